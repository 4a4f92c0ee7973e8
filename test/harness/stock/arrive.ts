import type { Sql, Tx } from '@inventory/postgres/pool';

/**
 * Adds the arrivals of transactions that a test wrote itself, all with larger numbers than `after`. Row by
 * row, unlike a batch.
 */
export async function arriveTransactions(sql: Sql | Tx, after = 0): Promise<void> {
  await sql`
    insert into list_arrival (list, wid, other_wid, bucket, records, active)
    select 'transactions', touched.wid, touched.other_wid, transaction_no >> 11, records, 0
    from stock_transaction as made
    cross join lateral (
      values (made.wid, 0, 1), (made.to_wid, 0, 1), (least(made.wid, to_wid), greatest(made.wid, to_wid), -1)
    ) as touched (wid, other_wid, records)
    where transaction_no > ${after} and touched.wid <> touched.other_wid`;
}
