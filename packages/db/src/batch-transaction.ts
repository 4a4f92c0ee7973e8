import type { Sql, Tx } from './client.ts';

/** What a batch's work leaves behind: its result, and the writes it has sent (`execute`) and not waited for. */
export type BatchWork<T> = { result: T; writes: readonly PromiseLike<unknown>[] };

/**
 * Runs `work` inside one database transaction, and rolls it back when it throws or one of its writes fails. The commit goes out
 * behind the writes without waiting for them: the way to Postgres and back is most of what a lone request costs. That is safe
 * because Postgres takes a commit behind a failed statement as a rollback.
 */
export async function runBatchTransaction<T>(sql: Sql, work: (tx: Tx) => Promise<BatchWork<T>>): Promise<T> {
  let writes: readonly PromiseLike<unknown>[] = [];
  const result = await sql.begin(async (tx) => {
    const done = await work(tx);
    writes = done.writes;
    // When the connection breaks the transaction itself rejects, and nobody waits for these.
    for (const write of writes) write.then(undefined, () => {});
    return { of: done.result };
  });
  await Promise.all(writes);
  return result.of;
}
