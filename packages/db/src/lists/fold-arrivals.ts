import type { Sql } from '@inventory/postgres/pool';

/**
 * For each kind of counts: what is counted, the table of its arrivals, the function that folds them, the
 * table whose lock lets only one process fold, and the number of an advisory lock (any number that nothing
 * else on this database uses).
 */
export const folded = [
  {
    what: 'lots and transactions',
    arrivals: 'list_arrival',
    locked: 'list_count',
    key: 7_316_011,
    fold: () => 'fold_list_arrivals()',
  },
  {
    what: 'items',
    arrivals: 'item_arrival',
    locked: 'item_block',
    key: 7_316_012,
    fold: (itemBlock: number) => `fold_item_arrivals(${itemBlock})`,
  },
  {
    what: 'levels',
    arrivals: 'level_arrival',
    locked: 'level_set',
    key: 7_316_013,
    fold: () => 'fold_level_arrivals()',
  },
];

/**
 * Folds new arrivals into the counts and sets by which lists are read. Lists are correct without folding, but
 * each arrival makes them a little slower. Holds nothing that a batch or reader waits for, and does not wait
 * for another fold. Fails with Postgres' `query_canceled` if one kind takes longer than `listMaxMs`.
 * `itemBlock`: the size of a block of items, for tests.
 */
export async function foldArrivals(sql: Sql, listMaxMs: number, itemBlock = 1024): Promise<void> {
  for (const { arrivals, locked, key, fold } of folded) {
    const [row] = await sql.unsafe(`select exists (select from ${arrivals}) as waiting`);
    if (!row!.waiting) continue;
    const own = await sql.reserve();
    try {
      // Asked outside the transaction, because the transaction must lock before its first snapshot.
      const [tried] = await own<{ mine: boolean }[]>`select pg_try_advisory_lock(${key}::bigint) as mine`;
      if (!tried!.mine) continue;
      try {
        // One fold at a time. Locking a table takes no snapshot, so the next statement's snapshot includes
        // the previous fold.
        await own.unsafe(`begin isolation level repeatable read;
          set local statement_timeout = ${listMaxMs};
          lock table ${locked} in share row exclusive mode`);
        await own.unsafe(`select ${fold(itemBlock)}; commit`);
      } catch (error) {
        await own.unsafe('rollback').catch(() => {});
        throw error;
      } finally {
        // Otherwise this list would not be folded as long as the connection lives.
        await own`select pg_advisory_unlock(${key}::bigint)`.catch(() => {});
      }
    } finally {
      own.release();
    }
  }
}
