import type { Sql } from '../postgres/pool.ts';

type Sizes = { block: number; chapter: number };

/**
 * For each list: what is counted, the table of its arrivals, the function that folds them, the table whose
 * lock lets only one process fold, and the number of an advisory lock (any number that nothing else on this
 * database uses).
 */
export const folded = [
  {
    what: 'lots',
    arrivals: 'lot_arrival',
    locked: 'lot_block',
    key: 7_316_011,
    fold: ({ block, chapter }: Sizes) => `fold_lot_arrivals(${block}, ${chapter})`,
  },
  {
    what: 'items',
    arrivals: 'item_arrival',
    locked: 'item_block',
    key: 7_316_012,
    fold: ({ block }: Sizes) => `fold_item_arrivals(${block})`,
  },
  {
    what: 'levels',
    arrivals: 'level_arrival',
    locked: 'level_set',
    key: 7_316_013,
    fold: () => 'fold_level_arrivals()',
  },
  {
    what: 'transactions',
    arrivals: 'transaction_arrival',
    locked: 'transaction_block_count',
    key: 7_316_014,
    fold: () => 'fold_transaction_arrivals()',
  },
];

/**
 * Folds new arrivals into the counts and sets by which lists are read. Lists are correct without folding, but
 * each arrival makes them a little slower. Holds nothing that a batch or reader waits for, and does not wait
 * for another fold. Fails with Postgres' `query_canceled` if one list takes longer than `listMaxMs`. `sizes`:
 * of blocks and chapters, for tests.
 */
export async function foldArrivals(
  sql: Sql,
  listMaxMs: number,
  sizes: Sizes = { block: 1024, chapter: 64 },
): Promise<void> {
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
        await own.unsafe(`select ${fold(sizes)}; commit`);
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
