import type { BatchPool } from '@inventory/db/batch/batch-pool';
import type { Tx } from '@inventory/postgres/pool';

export type Looked = { rows: number; pages: number };

/**
 * The rows of the table of lots, and the pages of it and of its indexes, that a connection has lately read.
 */
async function readLooked(tx: Tx): Promise<Looked> {
  const [row] = await tx<Looked[]>`
    select pg_stat_get_xact_tuples_returned('lot'::regclass) + sum(pg_stat_get_xact_tuples_fetched(indexrelid))::bigint as rows,
      pg_stat_get_xact_blocks_fetched('lot'::regclass) + sum(pg_stat_get_xact_blocks_fetched(indexrelid))::bigint as pages
    from pg_index
    where indrelid = 'lot'::regclass`;
  return row!;
}

/** The lots that `work` looks at in this transaction, found or skipped. */
export async function lookedAt(tx: Tx, work: () => Promise<unknown>): Promise<Looked> {
  const before = await readLooked(tx);
  await work();
  const after = await readLooked(tx);
  return { rows: after.rows - before.rows, pages: after.pages - before.pages };
}

/** The same pool, which reports the lots that each transaction has looked at. */
export function countingPool(pool: BatchPool, tell: (looked: Looked) => void): BatchPool {
  return {
    ...pool,
    transaction: (work) =>
      pool.transaction(async (tx) => {
        let done!: Awaited<ReturnType<typeof work>>;
        tell(
          await lookedAt(tx, async () => {
            done = await work(tx);
          }),
        );
        return done;
      }),
  };
}
