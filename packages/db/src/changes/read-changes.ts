import type { OrderedLevel } from '@inventory/domain/contract/change';
import type { Minimum } from '@inventory/domain/contract/stock-level';
import { type Piece, piece, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { onStandbys } from '@inventory/postgres/servers/on-standbys';
import { warehouseRecord } from '../catalog/warehouses.ts';
import { itemRecord } from '../lists/list-items.ts';
import { fullLotRecord } from '../lists/list-lots.ts';
import { type Columns, recordText } from '../lists/record-json.ts';
import { transactionRecord } from '../lists/transaction-record.ts';

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
 * these; default: all. `bytesMax`: fewer changes if their texts, with `besideBytes` for each, are larger
 * together, but always one.
 */
export type ChangesAsked = {
  wids: readonly number[];
  after: number;
  until: number;
  limit: number;
  kinds?: readonly string[] | null;
  bytesMax?: number;
  besideBytes?: number;
};

/** An answer has room for 1 MiB. Some of it is for what surrounds the changes. */
export const changesBytesMax = 2 ** 20 - 256;
// Each change has a cursor of 24 characters: in JSON with quotes, and a comma behind both; as an event with
// `id: `, `data: ` and three line breaks.
const cursorBytes = 24 + 13;
// With many warehouses, this many numbers are read from each at a time.
const numbersAtLeast = 16;

/**
 * Reads a page of the change feed. The cost depends only on its changes and on the number of warehouses,
 * whatever else the database contains: every number is found by an index that begins with the warehouse.
 * `until` must not be beyond the position that was read before; see `readFeedPosition`. With synchronous
 * standbys, returns only after they have everything that the page shows: lots are shown as they are now.
 */
export async function readChanges(sql: Sql, asked: ChangesAsked): Promise<ChangePage> {
  const { limit, wids, until, bytesMax = changesBytesMax, besideBytes = cursorBytes } = asked;
  const numbers = await findNumbers(sql, asked);
  const wanted = numbers.slice(0, limit);
  if (wanted.length === 0) return { changes: [], through: until, hasMore: false };
  // One change after the other, and none behind the first that has no room: a change may be a thousand lots,
  // or an item with all of its aliases, and a page could be a thousand of these.
  const rows = await send<{ no: number; text: string | null }>(sql)`
    with recursive told as (
      select 0 as place, 0::bigint as no, null::text as text, 0::bigint as bytes
      union all
      select place + 1, next.no, made.text, told.bytes + coalesce(octet_length(made.text) + ${besideBytes}::integer, 0)
      from told
      cross join lateral (select (${wanted}::bigint[])[place + 1] as no) as next
      cross join lateral (
        select coalesce(
          -- A hold is told under the number of its change.
          (
            select ${stockChange(wids)}
            from stock_transaction
            where transaction_no = next.no and wid is not null and kind <> 'hold'
          ),
          (select ${otherChange(wids)} from change where change_no = next.no)
        ) as text
        offset 0
      ) as made
      where next.no is not null and told.bytes <= ${bytesMax}
    )
    select no, text, ${onStandbys} as on_standbys
    from told
    where place = 1 or place > 1 and bytes <= ${bytesMax}
    order by place`;
  const hasMore = rows.length < numbers.length;
  return {
    // Null of a hold, and if an operator has deleted what a change tells.
    changes: rows.flatMap(({ no, text }) => (text === null ? [] : [{ no, text }])),
    through: hasMore ? rows.at(-1)!.no : until,
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
  const isAsked = kinds === null ? piece`` : piece` and kind = any(${kinds}::text[])`;
  const transactions = piece`transaction_no > ${after} and transaction_no <= ${until}`;
  const changes = piece`change_no > ${after} and change_no <= ${until}${isAsked}`;
  // The changes of a source without these kinds would all be read, and none be found.
  const onlyIf = (isSource: (kind: string) => boolean) =>
    kinds === null || kinds.some(isSource) ? piece`` : piece` and false`;
  const ifStock = onlyIf((kind) => kind === 'stock');
  const ifOfWarehouse = onlyIf((kind) => kind !== 'stock' && kind !== 'item');
  const ifItems = onlyIf((kind) => kind === 'item');
  return piece`
    select asked.wid, source, no
    from unnest(${wids}::integer[]) as asked (wid)
    cross join lateral (
      (
        select 1 as source, transaction_no as no
        from stock_transaction
        where wid = asked.wid and wid is not null and ${transactions}${ifStock}
        order by transaction_no
        limit ${share}
      )
      union all
      (
        select 2, transaction_no
        from stock_transaction
        where to_wid = asked.wid and to_wid is not null and ${transactions}${ifStock}
        order by transaction_no
        limit ${share}
      )
      union all
      (
        select 3, change_no
        from change
        where wid = asked.wid and wid is not null and ${changes}${ifOfWarehouse}
        order by change_no
        limit ${share}
      )
    ) as of_warehouse
    union all
    (
      select 0, 4, change_no
      from change
      where wid is null and ${changes}${ifItems}
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
} satisfies Columns<keyof Omit<OrderedLevel, 'type' | 'minimum'>>);

/** As it was told: the last one of a gate says how it is now. */
const lowRecord = recordText({
  partNo: 'change.part_no',
  shortID: 'item.short_id',
  wID: 'change.wid',
  minimum: 'trim_scale(change.minimum)',
  available: 'trim_scale(change.available)',
  low: 'coalesce(change.available < change.minimum, false)',
} satisfies Columns<keyof Minimum>);

/** A change of another kind: the whole record as it is now. */
function otherChange(wids: readonly number[]): Piece {
  const aliases = piece`',"aliases":' || coalesce((
      select json_agg(alias order by alias)::text from item_alias where item_alias.part_no = item.part_no
    ), '[]') || coalesce((
      select ',"aliasUnits":' || json_agg(
          json_build_object('alias', alias, 'units', trim_scale(item_alias.units)) order by alias
        )::text
      from item_alias
      where item_alias.part_no = item.part_no and item_alias.units <> 1
    ), '')`;
  return piece`
    case change.kind
      when 'item' then (
        select ${extended(piece`'"type":"item"'`, itemRecord, aliases)} from item where item.part_no = change.part_no
      )
      when 'level' then (
        select ${extended(
          piece`'"type":"level"'`,
          levelRecord,
          piece`coalesce(',"minimum":' || trim_scale(stock_level.minimum), '')`,
        )}
        from stock_level
        where stock_level.part_no = change.part_no and stock_level.wid = change.wid
      )
      when 'warehouse' then (
        select ${extended(piece`'"type":"warehouse"'`, warehouseRecord)}
        from warehouse
        where warehouse.wid = change.wid
      )
      when 'low' then (
        select ${extended(piece`'"type":"low"'`, lowRecord)} from item where item.part_no = change.part_no
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
