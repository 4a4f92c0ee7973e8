import type { Sql } from './client.ts';

/**
 * Brings the lots that arrived since the last time into the counts that the lists are read by. Lists are right without it, and
 * cost a little more for each batch that it is late. Holds nothing that a batch or a reader waits for. `sizes`: for tests.
 */
export async function foldLotArrivals(sql: Sql, sizes?: { block: number; chapter: number }): Promise<void> {
  await sql.begin('isolation level repeatable read', async (tx) => {
    // One at a time. Locking a table takes no snapshot: the one of the next statement sees what the last one did.
    await tx`lock table lot_block in share row exclusive mode`;
    await (sizes === undefined
      ? tx`select fold_lot_arrivals()`
      : tx`select fold_lot_arrivals(${sizes.block}, ${sizes.chapter})`);
  });
}
