import type { Sql } from '@inventory/db/postgres/pool';

/**
 * Adds an item with `count` one-unit lots in warehouse 1 and their ledger, as if each had been received. Much
 * faster than receipts, but no other request may know the item yet.
 */
export async function prepareLots(sql: Sql, shortId: string, count: number): Promise<void> {
  await sql.begin(async (tx) => {
    const [item] = await tx<{ part_no: number }[]>`
      insert into item (short_id, created_by) values (${shortId}, 'faults') returning part_no`;
    const partNo = item!.part_no;
    await tx`
      insert into stock_level (part_no, wid, in_stock, used) values (${partNo}, 1, ${count}, true)`;
    await tx`
      with made as (
        select n, nextval('lot_rec_no_seq') as rec_no, nextval('stock_transaction_no_seq') as transaction_no
        from generate_series(1, ${count}::integer) as n
      ), lots as (
        insert into lot (rec_no, part_no, wid, spot, units, received, reason_code, modified)
        -- Few distinct times, so that there are few arrivals.
        select rec_no, ${partNo}, 1, '', 1, now() - n / 100 * interval '1 ms', 1, now()
        from made
      ), transactions as (
        insert into stock_transaction (transaction_no, request_id, client_id, kind, body, status, result)
        select transaction_no, gen_random_uuid(), 'faults', 'receive',
          json_build_object('itemID', ${shortId}::text, 'units', 1, 'wid', 1, 'reasonCode', 1, 'reference', ${shortId}::text || '/' || n),
          'applied', '{}'
        from made
      )
      insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
      select transaction_no, 1, rec_no, ${partNo}, 1, '', 1, 1
      from made`;
  });
  await sql`analyze lot`;
}
