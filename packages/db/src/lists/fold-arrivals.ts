import type { Sql } from '../pool.ts';

type Sizes = { block: number; chapter: number };

/**
 * What is counted, the table of its arrivals, the function that brings them in, the table whose lock makes
 * sure that only one process does, and a number for the lock: any will do, as long as nobody else on this
 * database takes it.
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
 * Brings what arrived since the last time into the counts and sets that the lists are read by. Lists are
 * right without it, and cost a little more with each arrival. Holds nothing that a batch or a reader waits
 * for, and waits for nobody who does the same. Fails with Postgres' `query_canceled` when one list takes
 * longer than `listMaxMs`. `sizes`: of blocks and chapters, for tests.
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
      // Asked before the transaction: that must lock before it sees anything.
      const [tried] = await own<{ mine: boolean }[]>`select pg_try_advisory_lock(${key}::bigint) as mine`;
      if (!tried!.mine) continue;
      try {
        // One at a time. Locking a table takes no snapshot: the one of the next statement sees what the last
        // one did.
        await own.unsafe(`begin isolation level repeatable read;
          set local statement_timeout = ${listMaxMs};
          lock table ${locked} in share row exclusive mode`);
        await own.unsafe(`select ${fold(sizes)}; commit`);
      } catch (error) {
        await own.unsafe('rollback').catch(() => {});
        throw error;
      } finally {
        // Else nobody would fold this list for as long as the connection lives.
        await own`select pg_advisory_unlock(${key}::bigint)`.catch(() => {});
      }
    } finally {
      own.release();
    }
  }
}
