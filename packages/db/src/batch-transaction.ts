import type { ReservedSql } from 'postgres';
import type { Sql, Tx } from './client.ts';

/** A batch's transaction on a connection of its own. */
export type BatchTransaction = {
  tx: Tx;
  /** Commits behind the statements, which must all have been sent (`execute`), without waiting for their results first. */
  commitAfter(statements: readonly PromiseLike<unknown>[]): Promise<void>;
};

/**
 * Runs `work` inside one database transaction and rolls it back when it throws. Unlike the driver's own, it waits for no answer
 * to `begin`, nor to the writes before `commit`: the way to Postgres and back is most of what a lone request costs. That is
 * safe because a statement that fails turns the commit behind it into a rollback. `work` must call `commitAfter` once.
 */
export async function runBatchTransaction<T>(
  sql: Sql,
  work: (transaction: BatchTransaction) => Promise<T>,
): Promise<T> {
  const connection = (await sql.reserve()) as ReservedSql<{ bigint: number }>;
  // A reserved connection is used as a transaction's: begin and commit are ours.
  const tx = connection as unknown as Tx;
  let committed = false;
  try {
    const begun = connection`begin`.execute();
    begun.catch(() => {});
    const result = await work({
      tx,
      async commitAfter(statements) {
        const commit = connection`commit`.execute();
        const [ended] = await Promise.all([commit, begun, ...statements]);
        // After a failed statement Postgres takes `commit` and answers ROLLBACK.
        if (ended.command !== 'COMMIT') throw new Error(`the commit ended as ${ended.command}`);
        committed = true;
      },
    });
    return result;
  } finally {
    if (!committed) await connection`rollback`.catch(() => {});
    connection.release();
  }
}
