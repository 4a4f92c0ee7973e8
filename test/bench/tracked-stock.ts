import type { Sql } from '@inventory/postgres/pool';

/** An item with many lots in warehouse 1, each with its own serial or RFID tag. */
export type TrackedItem = { itemID: string; lots: number; units: number; by: 'serial' | 'rfidTag' };

/** The stock that the loads of `requests.ts` take from. */
export const trackedItems = {
  serial: { itemID: 'SERIAL', lots: 20_000, units: 1, by: 'serial' },
  rfid: { itemID: 'RFID', lots: 20_000, units: 1, by: 'rfidTag' },
  large: { itemID: 'LARGE', lots: 100_000, units: 10, by: 'serial' },
} as const satisfies Record<string, TrackedItem>;

export const spotCount = 1000;

/**
 * The serial, tag or spot of lot `n` of a tracked item, from 0; lots that a load receives are numbered after
 * them.
 */
export const markOf = (n: number) => `T-${String(n).padStart(8, '0')}`;

/** One of the spots with lots of a tracked item. */
export const spotOf = (n: number) => `S-${String(n % spotCount).padStart(4, '0')}`;

/**
 * Adds these items with their lots, levels and ledger before the service of the database starts. One lot in
 * three expires some day, so that the order of allocation is not that of receipt.
 */
export async function addTrackedStock(sql: Sql): Promise<void> {
  for (const item of Object.values(trackedItems)) await addItem(sql, item);
  // By name, because another checkout may have other functions.
  const counts = await sql<{ name: string }[]>`
    select oid::regproc::text as name from pg_proc where proname ~ '^(recount|collect)_' and pronargs = 0`;
  for (const { name } of counts) await sql.unsafe(`select ${name}()`);
  await sql`vacuum`;
}

async function addItem(sql: Sql, { itemID, lots, units, by }: TrackedItem): Promise<void> {
  await sql.begin(async (tx) => {
    const [item] = await tx<{ part_no: number }[]>`
      insert into item (short_id, created_by)
      values (${itemID}, 'bench')
      returning part_no`;
    await tx`
      insert into stock_level (part_no, wid, in_stock, used)
      values (${item!.part_no}, 1, ${lots * units}, true)`;
    await tx`
      with made as materialized (
        select n, nextval('lot_rec_no_seq') as rec_no, nextval('stock_transaction_no_seq') as transaction_no,
          'T-' || lpad(n::text, 8, '0') as mark, 'S-' || lpad((n % ${spotCount})::text, 4, '0') as spot,
          date_trunc('milliseconds', now() - interval '1 year' + n * (interval '1 year' / ${lots})) as received
        from generate_series(0, ${lots - 1}::bigint) as n
      ), lots as (
        insert into lot (rec_no, part_no, wid, spot, units, received, expires, serial, rfid_tag, reason_code, modified)
        select rec_no, ${item!.part_no}, 1, spot, ${units}, received,
          case when n % 3 = 0 then now() + interval '30 days' + (hashint8(n) & 1048575) * interval '1 minute' end,
          case when ${by === 'serial'} then mark else '' end, case when ${by === 'rfidTag'} then mark end, 1, received
        from made
        order by n
      ), transactions as (
        insert into stock_transaction (transaction_no, request_id, client_id, kind, body, status, result, at)
        select transaction_no, gen_random_uuid(), 'seed', 'receive',
          json_build_object('itemID', ${itemID}::text, 'units', ${units}::integer, 'wid', 1, 'reasonCode', 1, ${by}::text, mark),
          'applied', json_build_object('recNo', rec_no, 'status', 'received', 'transactionNo', transaction_no), received
        from made
        order by n
      )
      insert into stock_entry (transaction_no, line, rec_no, part_no, wid, spot, delta, balance)
      select transaction_no, 1, rec_no, ${item!.part_no}, 1, spot, ${units}, ${units}
      from made
      order by n`;
  });
}
