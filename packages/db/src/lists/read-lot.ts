import type { LotHistoryLine } from '@inventory/domain/contract/transaction';
import { raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { heldLot, isHold } from './holds-of-lots.ts';
import { fullLotColumns } from './list-lots.ts';
import { type Columns, columnList, dateTimeText } from './record-json.ts';
import { holdText } from './transaction-record.ts';

const lineColumns: Columns<keyof LotHistoryLine> = {
  transactionNo: 'stock_transaction.transaction_no',
  kind: 'stock_transaction.kind',
  at: dateTimeText('stock_transaction.at'),
  clientId: 'stock_transaction.client_id',
  reasonCode: `(stock_transaction.body->>'reasonCode')::integer`,
  reference: `stock_transaction.body->>'reference'`,
  remark: `stock_transaction.body->>'remark'`,
  spot: 'stock_entry.spot',
  delta: 'trim_scale(stock_entry.delta)',
  balance: 'trim_scale(stock_entry.balance)',
  hold: 'null::json',
};
/** A hold moves nothing. Its spot is that of the line before it. */
const holdColumns: Columns<keyof LotHistoryLine> = {
  ...lineColumns,
  spot: `coalesce((
      select spot
      from stock_entry
      where stock_entry.rec_no = lot.rec_no and stock_entry.transaction_no < stock_transaction.transaction_no
      order by transaction_no desc, line desc
      limit 1
    ), lot.spot)`,
  delta: '0',
  balance: `trim_scale((stock_transaction.result->>'units')::numeric)`,
  hold: holdText,
};

/** The most history lines in the answer for a lot. */
const historyLines = 50;

/** The JSON text of a lot with its history; null if there is no such lot in these warehouses. */
export async function readLot(sql: Sql, recNo: number, scope: readonly number[]): Promise<string | null> {
  const [row] = await send<{ record: string }>(sql)`
    select (
      select row_to_json(record)
      from (
        select ${fullLotColumns(scope)},
          (
            select coalesce(json_agg(told order by transaction_no desc, nth desc), '[]')
            from (
              (
                select stock_entry.transaction_no, stock_entry.line as nth,
                  (select row_to_json(shown) from (select ${raw(columnList(lineColumns))}) as shown) as told
                from stock_entry
                join stock_transaction using (transaction_no)
                where stock_entry.rec_no = lot.rec_no
                order by stock_entry.transaction_no desc, stock_entry.line desc
                limit ${historyLines}
              )
              union all
              (
                select stock_transaction.transaction_no, 0 as nth,
                  (select row_to_json(shown) from (select ${raw(columnList(holdColumns))}) as shown) as told
                from stock_transaction
                where ${isHold} and ${heldLot} = lot.rec_no
                order by stock_transaction.transaction_no desc
                limit ${historyLines}
              )
              order by transaction_no desc, nth desc
              limit ${historyLines}
            ) as lines
          ) as history
      ) as record
    )::text as record
    from lot
    join item using (part_no)
    join warehouse using (wid)
    where lot.rec_no = ${recNo} and lot.wid = any(${scope}::integer[])`;
  return row?.record ?? null;
}
