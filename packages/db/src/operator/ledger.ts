import { piece, raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { heldLot, isHold } from '../lists/holds-of-lots.ts';
import { storedLotColumns } from '../lists/list-lots.ts';
import { columnList } from '../lists/record-json.ts';
import { holdText } from '../lists/transaction-record.ts';

/** A lot with all stored values. Quantities are text, digit for digit. */
export type FullLot = Record<string, string | number | boolean | Date | null>;

/** A lot by number; null if there is none. */
export async function readFullLot(sql: Sql, recNo: number): Promise<FullLot | null> {
  const [row] = await send<FullLot>(sql)`
    select ${raw(columnList(storedLotColumns))}, lot.owner, lot.from_rec_no as "fromRecNo"
    from lot
    join item using (part_no)
    join warehouse using (wid)
    where rec_no = ${recNo}`;
  return row ?? null;
}

/** A line of a lot's history. Quantities are text, digit for digit. */
export type LotHistoryLine = {
  transactionNo: number;
  at: Date;
  kind: string;
  clientId: string;
  wID: number;
  spot: string;
  delta: string;
  balance: string;
  /** Of a hold or a release, which moves nothing. `changed`: false if the lot was so already. */
  hold: { recNo: number; hold: boolean; reason: string | null; changed: boolean } | null;
};

// No index leads to the holds of a lot by the command line, which are rare. So the changes of its warehouse
// are read backwards, at most this many.
const changesMax = 1_000_000;

/** Where the lot was before a hold, and how much of it there was. */
const place = piece`
  left join lateral (
    select spot, balance
    from stock_entry
    where stock_entry.rec_no = lot.rec_no and stock_entry.transaction_no < stock_transaction.transaction_no
    order by stock_entry.transaction_no desc, line desc
    limit 1
  ) as was on true`;

const holdColumns = piece`stock_transaction.transaction_no, stock_transaction.at, stock_transaction.client_id, lot.wid,
  coalesce(was.spot, lot.spot) as spot, 0 as delta, coalesce(was.balance, lot.units) as balance, 0 as nth`;

/** The last lines of a lot's history, and its last holds and releases, newest first. */
export async function readLotHistory(sql: Sql, recNo: number, limit: number): Promise<LotHistoryLine[]> {
  const rows = await send<LotHistoryLine>(sql)`
    with lines as (
      select stock_entry.transaction_no, at, client_id, stock_entry.wid, spot, delta, balance, line as nth,
        kind, null::json as hold
      from stock_entry
      join stock_transaction using (transaction_no)
      where rec_no = ${recNo}
      order by stock_entry.transaction_no desc, line desc
      limit ${limit}
    ),
    holds as (
      select ${holdColumns},
        case when (stock_transaction.body->>'hold')::boolean then 'hold' else 'release' end as kind,
        ${raw(holdText)} as hold
      from stock_transaction
      join lot on lot.rec_no = ${heldLot}
      ${place}
      where ${isHold} and ${heldLot} = ${recNo}
      order by stock_transaction.transaction_no desc
      limit ${limit}
    ),
    -- These have no warehouse in the ledger.
    holds_by_command as (
      select ${holdColumns}, stock_transaction.kind,
        json_build_object('recNo', rec_no, 'hold', stock_transaction.kind = 'hold',
          'reason', stock_transaction.body->>'reason', 'changed', true) as hold
      from (
        select change_no, kind, rec_no
        from change
        where wid = (select wid from lot where rec_no = ${recNo})
        order by change_no desc
        limit ${changesMax}
      ) as changes
      join stock_transaction on stock_transaction.transaction_no = changes.change_no
      join lot using (rec_no)
      ${place}
      where changes.kind = 'hold' and rec_no = ${recNo} and stock_transaction.wid is null
      order by stock_transaction.transaction_no desc
      limit ${limit}
    )
    select transaction_no as "transactionNo", at, kind, client_id as "clientId", wid as "wID", spot,
      trim_scale(delta)::text as delta, trim_scale(balance)::text as balance, hold
    from (
      select * from lines union all select * from holds union all select * from holds_by_command
    ) as told
    order by transaction_no desc, nth desc
    limit ${limit}`;
  return [...rows];
}

/** A transaction in a list. */
export type ListedTransaction = {
  transactionNo: number;
  at: Date;
  kind: string | null;
  status: string;
  clientId: string | null;
  itemID: string | null;
};

/** Selects transactions before a number, newest first. `kind`, `clientId` and `status` are filters. */
export type TransactionChoice = {
  before: number | null;
  kind: string | null;
  clientId: string | null;
  status: string | null;
  limit: number;
};

// No index leads to a client's transactions, because it would slow down each of them. So the list reads
// backwards, at most this far.
const readMax = 1_000_000;

/** Transactions, newest first. `complete`: whether all of them were examined, not only the last million. */
export async function listTransactions(
  sql: Sql,
  { before, kind, clientId, status, limit }: TransactionChoice,
): Promise<{ transactions: ListedTransaction[]; complete: boolean }> {
  const rows = await sql<ListedTransaction[]>`
    select transaction_no as "transactionNo", at, kind, status, client_id as "clientId",
      -- A reversal names a transaction, which names the item.
      coalesce(body->>'itemID', (select short_id from item where item.part_no = newest.part_no)) as "itemID"
    from (
      select *
      from stock_transaction
      where ${before}::bigint is null or transaction_no < ${before}
      order by transaction_no desc
      limit ${readMax}
    ) as newest
    where (${kind}::text is null or kind = ${kind}) and (${clientId}::text is null or client_id = ${clientId})
      and (${status}::text is null or status = ${status})
    order by transaction_no desc
    limit ${limit}`;
  if (rows.length === limit) return { transactions: [...rows], complete: true };
  const [more] = await sql<{ there: boolean }[]>`
    select exists (
      select
      from stock_transaction
      where ${before}::bigint is null or transaction_no < ${before}
      order by transaction_no desc
      offset ${readMax}
      limit 1
    ) as there`;
  return { transactions: [...rows], complete: !more!.there };
}

/** A line of the ledger. */
export type LedgerLine = {
  line: number;
  recNo: number;
  partNo: number;
  shortID: string;
  wID: number;
  spot: string;
  delta: string;
};

/** A transaction with its request and its answer as JSON text, and its lines. */
export type FullTransaction = ListedTransaction & {
  requestId: string;
  asked: string | null;
  answered: string | null;
  lines: LedgerLine[];
};

/** A transaction by number; null if there is none. */
export async function readTransaction(sql: Sql, transactionNo: number): Promise<FullTransaction | null> {
  const [row] = await sql<Omit<FullTransaction, 'lines'>[]>`
    select transaction_no as "transactionNo", at, kind, status, client_id as "clientId", body->>'itemID' as "itemID",
      request_id as "requestId", body::text as asked, result::text as answered
    from stock_transaction
    where transaction_no = ${transactionNo}`;
  if (row === undefined) return null;
  const lines = await sql<LedgerLine[]>`
    select line, rec_no as "recNo", part_no as "partNo", short_id as "shortID", wid as "wID", spot, trim_scale(delta)::text as delta
    from stock_entry
    join item using (part_no)
    where transaction_no = ${transactionNo}
    order by line`;
  return { ...row, lines: [...lines] };
}

/** Selects lots before a number, highest first. null: any. */
export type LotChoice = {
  shortId: string | null;
  wid: number | null;
  spot: string | null;
  serial: string | null;
  held: boolean | null;
  inStock: boolean | null;
  before: number | null;
  limit: number;
};

/** A lot in a list. */
export type ListedLot = {
  recNo: number;
  shortID: string;
  wID: number;
  spot: string;
  units: string;
  received: Date;
  shipped: Date | null;
  expires: Date | null;
  serial: string;
  hold: boolean;
};

export async function listLotsByNumber(sql: Sql, choice: LotChoice): Promise<ListedLot[]> {
  const rows = await sql<ListedLot[]>`
    select rec_no as "recNo", short_id as "shortID", wid as "wID", spot, trim_scale(lot.units)::text as units, received, shipped, expires,
      serial, hold
    from lot
    join item using (part_no)
    where (${choice.shortId}::text is null or part_no = (select part_no from item where short_id = ${choice.shortId}))
      and (${choice.wid}::integer is null or wid = ${choice.wid})
      and (${choice.spot}::text is null or spot = ${choice.spot})
      and (${choice.serial}::text is null or serial = ${choice.serial})
      and (${choice.held}::boolean is null or hold = ${choice.held})
      and (${choice.inStock}::boolean is null or active = ${choice.inStock})
      and (${choice.before}::bigint is null or rec_no < ${choice.before})
    order by rec_no desc
    limit ${choice.limit}`;
  return [...rows];
}
