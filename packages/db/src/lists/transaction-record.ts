import type { Transaction } from '@inventory/domain/contract/transaction';
import { type Piece, piece, raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { fixedBytes, textBytes } from './pages/record-bytes.ts';
import { type Columns, columnList, dateTimeText } from './record-json.ts';

/** The JSON of what a hold did. */
export const holdText = `json_build_object(
      'recNo', (stock_transaction.result->>'recNo')::bigint, 'hold', (stock_transaction.body->>'hold')::boolean,
      'reason', stock_transaction.body->>'reason', 'changed', (stock_transaction.result->>'changed')::boolean)`;

const columns: Columns<Exclude<keyof Transaction, 'lines' | 'moreLines'>> = {
  transactionNo: 'stock_transaction.transaction_no',
  kind: 'stock_transaction.kind',
  at: dateTimeText('stock_transaction.at'),
  clientId: 'stock_transaction.client_id',
  itemID: '(select short_id from item where item.part_no = stock_transaction.part_no)',
  reasonCode: `(stock_transaction.body->>'reasonCode')::integer`,
  reference: `stock_transaction.body->>'reference'`,
  remark: `stock_transaction.body->>'remark'`,
  capturedAt: dateTimeText('stock_transaction.captured_at'),
  deviceID: 'stock_transaction.device_id',
  deviceSeq: 'stock_transaction.device_seq',
  reverses: 'stock_transaction.reverses',
  reversedBy: `(select reversal.transaction_no from stock_transaction as reversal
    where reversal.reverses = stock_transaction.transaction_no)`,
  hold: `case when stock_transaction.kind = 'hold' then ${holdText} end`,
};

/** The most lines of each transaction in a list. This bounds a page of moves of a thousand lots each. */
const listedLinesMax = 100;
const allLines = 2 ** 31 - 2;
/**
 * The most bytes of all lines in a list, in equal parts for each transaction of a page. Lines of usual length
 * reach it only if most transactions of the largest page touch dozens of lots.
 */
export const listedLinesBytesMax = 2 * 1024 * 1024;

/** The most bytes of a transaction without its lines, and of a line. A hold has a reason. */
export const transactionBytes =
  fixedBytes + textBytes.shortId + 3 * textBytes.label + textBytes.remark + textBytes.description;
export const lineBytes = textBytes.shortId + textBytes.label + 200;

/** Markdown, for the notes of calls that show transactions. */
export const transactionNotes = `
An applied receipt, move, issue, count, reversal or hold that touched a warehouse in scope; lines in other warehouses are left out. \`balance\`: the
units of the lot after the line. In a list, a transaction shows its first 100 lines, or fewer in a page whose lines would take more than 2 MiB; if \`moreLines\` is true, get the transaction by number to see all. A device's notes (\`capturedAt\`, by its own clock) are evidence; \`at\` is the time that counts.`;

/** The expression for a transaction's JSON text in a page of this size. */
export function listedTransaction(shown: readonly number[], pageSize: number): Piece {
  return transactionRecord(shown, listedLinesMax, Math.floor(listedLinesBytesMax / pageSize));
}

/**
 * The expression for a transaction's JSON text with its first `linesMax` lines in these warehouses, or as
 * many of them as have `bytesMax` together, but always one.
 */
export function transactionRecord(
  shown: readonly number[],
  linesMax: number,
  bytesMax: number | null = null,
): Piece {
  const fits =
    bytesMax === null
      ? piece`true`
      : piece`(place = 1 or sum(octet_length(shown_line::text)) over (order by place) <= ${bytesMax})`;
  return piece`(
    select case when has_more then (select row_to_json(cut) from (select record.*, true as "moreLines") as cut)
        else row_to_json(record) end
    from (
      select coalesce(json_agg(shown_line order by place) filter (where place <= ${linesMax} and fits), '[]') as lines,
        count(*) > count(*) filter (where place <= ${linesMax} and fits) as has_more
      from (
        select place, shown_line, ${fits} as fits
        from (
          select row_number() over (order by stock_entry.line) as place,
            (
              select row_to_json(told)
              from (
                select stock_entry.rec_no as "recNo", stock_entry.part_no as "partNo", item.short_id as "shortID",
                  stock_entry.wid as "wID", stock_entry.spot, trim_scale(stock_entry.delta) as delta,
                  trim_scale(stock_entry.balance) as balance
              ) as told
            ) as shown_line
          from stock_entry
          join item using (part_no)
          where stock_entry.transaction_no = stock_transaction.transaction_no
            and stock_entry.wid = any(${shown}::integer[])
          order by stock_entry.line
          limit ${linesMax + 1}
        ) as first_lines
      ) as shown_lines
    ) as shown
    cross join lateral (select ${raw(columnList(columns))}, shown.lines) as record
  )::text`;
}

/** A condition on `stock_transaction`: applied, and touched one of these warehouses. */
export function touches(wids: readonly number[]): Piece {
  return piece`stock_transaction.wid is not null and (stock_transaction.wid = any(${wids}::integer[])
    or stock_transaction.to_wid = any(${wids}::integer[]))`;
}

/** The JSON text of a transaction; null if there is none that touched one of these warehouses. */
export async function readTransaction(
  sql: Sql,
  transactionNo: number,
  scope: readonly number[],
): Promise<string | null> {
  const [row] = await send<{ record: string }>(sql)`
    select ${transactionRecord(scope, allLines)} as record
    from stock_transaction
    where transaction_no = ${transactionNo} and ${touches(scope)}`;
  return row?.record ?? null;
}
