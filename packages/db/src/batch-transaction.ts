import type { Sql, Tx } from './client.ts';

/** What a batch's work leaves behind: its result, and the statement of its writes, sent (`execute`) and not waited for; null: none. */
export type BatchWork<T> = { result: T; write: PromiseLike<unknown> | null };

/**
 * Runs `work` inside one database transaction, and rolls it back when it throws or its write fails. The commit goes out
 * behind the write without waiting for it: the way to Postgres and back is most of what a lone request costs. That is safe
 * because Postgres takes a commit behind a failed statement as a rollback.
 */
export async function runBatchTransaction<T>(sql: Sql, work: (tx: Tx) => Promise<BatchWork<T>>): Promise<T> {
  let write: PromiseLike<unknown> | null = null;
  const result = await sql.begin(async (tx) => {
    const done = await work(tx);
    write = done.write;
    // When the connection breaks the transaction itself rejects, and nobody waits for this.
    done.write?.then(undefined, () => {});
    return { of: done.result };
  });
  await write;
  return result.of;
}
