import type { Transaction } from '@inventory/domain/contract/transaction';
import type { Fragment, Sql } from '../client.ts';
import { type Columns, columnList, dateTimeText } from './record-json.ts';

const columns: Columns<Exclude<keyof Transaction, 'lines'>> = {
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
};

/** The expression of a transaction's JSON text, with its lines in these warehouses. */
export function transactionRecord(sql: Sql, shown: readonly number[]): Fragment {
  return sql`(
    select row_to_json(record)
    from (
      select ${sql.unsafe(columnList(columns))},
        (
          select coalesce(json_agg(shown_line order by line), '[]')
          from (
            select stock_entry.line,
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
              and stock_entry.wid = any(${shown as number[]}::integer[])
          ) as lines
        ) as lines
    ) as record
  )::text`;
}

/** On `stock_transaction`: applied, and touched one of these warehouses. */
export function touches(sql: Sql, wids: readonly number[]): Fragment {
  return sql`stock_transaction.wid is not null and (stock_transaction.wid = any(${wids as number[]}::integer[])
    or stock_transaction.to_wid = any(${wids as number[]}::integer[]))`;
}

/** The JSON text of a transaction, or null when there is none that touched one of these warehouses. */
export async function readTransaction(
  sql: Sql,
  transactionNo: number,
  scope: readonly number[],
): Promise<string | null> {
  const [row] = await sql<{ record: string }[]>`
    select ${transactionRecord(sql, scope)} as record
    from stock_transaction
    where transaction_no = ${transactionNo} and ${touches(sql, scope)}`;
  return row?.record ?? null;
}
