import type { OrderedLevel } from '@inventory/domain/contract/change';
import { itemRecord } from '../lists/list-items.ts';
import { fullLotRecord } from '../lists/list-lots.ts';
import { type Columns, recordText } from '../lists/record-json.ts';
import { transactionRecord } from '../lists/transaction-record.ts';
import { type Piece, piece, send } from '../postgres/piece.ts';
import type { Sql } from '../postgres/pool.ts';

/** A change for a caller: its number and the JSON text of its record. */
export type ChangeText = { no: number; text: string };

export type ChangePage = {
  changes: ChangeText[];
  /** The number up to which this page tells everything, if more changes follow; otherwise `until`. */
  through: number;
  /** Whether more changes follow, up to the given position. */
  hasMore: boolean;
};

/**
 * The changes after `after` and up to `until` that concern these warehouses, at most `limit`. `kinds`: only
 * these; default: all. `charactersMax`: fewer changes if their texts are longer together, but always one.
 */
export type ChangesAsked = {
  wids: readonly number[];
  after: number;
  until: number;
  limit: number;
  kinds?: readonly string[] | null;
  charactersMax?: number;
};

// A page has fewer changes if these are larger than this together: a move may have a thousand lines, a page a
// thousand moves, and an api keeps a page until its caller has read it.
const linesMax = 2000;
const charactersDefault = 2_000_000;
// With many warehouses, this many numbers are read from each at a time.
const numbersAtLeast = 16;

/**
 * Reads a page of the change feed. The cost depends only on its changes and on the number of warehouses,
 * whatever else the database contains: every number is found by an index that begins with the warehouse.
 * `until` must not be beyond the position that was read before; see `readFeedPosition`.
 */
export async function readChanges(sql: Sql, asked: ChangesAsked): Promise<ChangePage> {
  const { limit, wids, until, charactersMax = charactersDefault } = asked;
  const numbers = await findNumbers(sql, asked);
  const wanted = numbers.slice(0, limit);
  if (wanted.length === 0) return { changes: [], through: until, hasMore: false };
  const rows = await send<{ no: number; text: string | null }>(sql)`
    with asked as materialized (
      select no, sum(lines) over (order by no) as so_far, row_number() over (order by no) as place
      from unnest(${wanted}::bigint[]) as asked (no)
      cross join lateral (
        -- A line at least, for a change of another kind.
        select coalesce((select max(line) from stock_entry where transaction_no = no), 0) + 1 as lines
      ) as counted
    )
    select no, text
    from asked
    cross join lateral (
      select ${stockChange(wids)} as text
      from stock_transaction
      where transaction_no = asked.no and wid is not null
      union all
      select ${otherChange(wids)}
      from change
      where change_no = asked.no
    ) as told
    where place = 1 or so_far <= ${linesMax}
    order by no`;
  let characters = 0;
  const told = rows.filter(({ text }, place) => {
    characters += text?.length ?? 0;
    return place === 0 || characters <= charactersMax;
  });
  const hasMore = told.length < numbers.length;
  return {
    // Null if an operator has deleted what a change tells.
    changes: told.flatMap(({ no, text }) => (text === null ? [] : [{ no, text }])),
    through: hasMore ? told.at(-1)!.no : until,
    hasMore,
  };
}

/** The numbers of the next changes, in order: at most one more than `limit`. */
async function findNumbers(sql: Sql, asked: ChangesAsked): Promise<number[]> {
  const { wids, until, limit, kinds = null } = asked;
  const found: number[] = [];
  let { after } = asked;
  // One warehouse may have all of the next changes. Reading that many from each would cost too much with
  // hundreds of warehouses.
  let share =
    wids.length <= numbersAtLeast
      ? limit + 1
      : Math.max(numbersAtLeast, Math.ceil((4 * limit) / wids.length));
  while (found.length <= limit) {
    const rows = await send<{ no: number; complete_to: number | null }>(sql)`
      with taken as materialized (${numbersOf({ wids, after, until, kinds }, Math.min(share, limit + 1))}),
      complete as (
        -- Of a source with more numbers, only those up to the last one are known.
        select min(last) as complete_to
        from (select max(no) as last from taken group by source, wid having count(*) >= ${Math.min(share, limit + 1)}) as full_source
      )
      select distinct no, complete_to
      from taken
      cross join complete
      where complete_to is null or no <= complete_to
      order by no`;
    found.push(...rows.map(({ no }) => no));
    const completeTo = rows.at(-1)?.complete_to ?? null;
    if (completeTo === null) break;
    after = completeTo;
    share *= 4;
  }
  return found.slice(0, limit + 1);
}

/** The first numbers of each source: the transactions of a warehouse, its other changes, and items. */
function numbersOf({ wids, after, until, kinds = null }: Omit<ChangesAsked, 'limit'>, share: number): Piece {
  const areAsked = kinds === null || kinds.includes('stock') ? piece`` : piece` and false`;
  const isAsked = kinds === null ? piece`` : piece` and kind = any(${kinds}::text[])`;
  const transactions = piece`transaction_no > ${after} and transaction_no <= ${until}${areAsked}`;
  const changes = piece`change_no > ${after} and change_no <= ${until}${isAsked}`;
  return piece`
    select asked.wid, source, no
    from unnest(${wids}::integer[]) as asked (wid)
    cross join lateral (
      (
        select 1 as source, transaction_no as no
        from stock_transaction
        where wid = asked.wid and wid is not null and ${transactions}
        order by transaction_no
        limit ${share}
      )
      union all
      (
        select 2, transaction_no
        from stock_transaction
        where to_wid = asked.wid and to_wid is not null and ${transactions}
        order by transaction_no
        limit ${share}
      )
      union all
      (
        select 3, change_no
        from change
        where wid = asked.wid and wid is not null and ${changes}
        order by change_no
        limit ${share}
      )
    ) as of_warehouse
    union all
    (
      select 0, 4, change_no
      from change
      where wid is null and ${changes}
      order by change_no
      limit ${share}
    )`;
}

/** An object's JSON text with these fields before its own, and others after them. */
function extended(before: Piece, record: Piece, after: Piece = piece`''`): Piece {
  // Not named `record`, which the records use themselves.
  return piece`(
    select '{' || ${before} || ',' || substr(whole, 2, length(whole) - 2) || ${after} || '}'
    from (select ${record} as whole offset 0) as told
  )`;
}

const allLines = 2 ** 31 - 2;

/** A stock transaction, with all of its lots in these warehouses as they are now. */
function stockChange(wids: readonly number[]): Piece {
  const lots = piece`',"lots":[' || coalesce((
      select string_agg(${fullLotRecord(wids)}, ',' order by lot.rec_no)
      from (
        select distinct rec_no
        from stock_entry
        where stock_entry.transaction_no = stock_transaction.transaction_no and stock_entry.wid = any(${wids}::integer[])
        offset 0
      ) as touched
      join lot using (rec_no)
      join item using (part_no)
      join warehouse using (wid)
    ), '') || ']'`;
  return extended(piece`'"type":"stock"'`, transactionRecord(wids, allLines), lots);
}

const levelRecord = recordText({
  partNo: 'stock_level.part_no',
  shortID: '(select short_id from item where item.part_no = stock_level.part_no)',
  wID: 'stock_level.wid',
  onOrder: 'trim_scale(stock_level.on_order)',
  committed: 'trim_scale(stock_level.committed)',
  packed: 'trim_scale(stock_level.packed)',
  aSN: 'trim_scale(stock_level.asn)',
} satisfies Columns<keyof Omit<OrderedLevel, 'type'>>);

/** A change of another kind: the whole record as it is now. */
function otherChange(wids: readonly number[]): Piece {
  const aliases = piece`',"aliases":' || coalesce((
      select json_agg(alias order by alias)::text from item_alias where item_alias.part_no = item.part_no
    ), '[]')`;
  return piece`
    case change.kind
      when 'item' then (
        select ${extended(piece`'"type":"item"'`, itemRecord, aliases)} from item where item.part_no = change.part_no
      )
      when 'level' then (
        select ${extended(piece`'"type":"level"'`, levelRecord)}
        from stock_level
        where stock_level.part_no = change.part_no and stock_level.wid = change.wid
      )
      when 'warehouse' then (
        select json_build_object('type', 'warehouse', 'wID', warehouse.wid, 'name', warehouse.name)::text
        from warehouse
        where warehouse.wid = change.wid
      )
      when 'hold' then (
        select ${extended(piece`'"type":"hold"'`, fullLotRecord(wids))}
        from lot
        join item using (part_no)
        join warehouse using (wid)
        where lot.rec_no = change.rec_no
      )
    end`;
}
