import { applyBatch } from '@inventory/db/batch/apply-batch';
import type { BatchPool } from '@inventory/db/batch/batch-pool';
import { createPartNumbers } from '@inventory/db/batch/gates';
import type { QueuedRequest } from '@inventory/domain/request';
import type { Sql, Tx } from '@inventory/postgres/pool';
import { onTestFinished } from 'vitest';

/**
 * Runs `write` in a database transaction and leaves it open, like a writer that stalls before its commit.
 * `write` may begin and end a transaction of its own inside. Returns the commit.
 */
export async function holdOpen(
  sql: Sql,
  write: (held: Sql) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const own = await sql.reserve();
  let open = true;
  const end = async (how: 'commit' | 'rollback') => {
    if (!open) return;
    open = false;
    await own.unsafe(how).finally(() => own.release());
  };
  // However the test ended.
  onTestFinished(() => end('rollback'));
  const held = new Proxy(own as unknown as Sql, {
    get: (from, name) =>
      name === 'begin' ? (work: (tx: Sql) => unknown) => work(held) : Reflect.get(from, name),
  });
  await own.unsafe('begin');
  await write(held);
  return () => end('commit');
}

/** Applies a batch by {@link holdOpen}; its gates are created outside the transaction, as always. */
export async function applyHeld(sql: Sql, held: Sql, requests: readonly QueuedRequest[]): Promise<void> {
  const pool: BatchPool = {
    sql,
    async transaction(work) {
      const { result, write } = await work(held as unknown as Tx);
      await write;
      return result;
    },
    counts: () => ({ busy: 1, idle: 0 }),
    untilDone: () => null,
    end: async () => {},
  };
  await applyBatch(pool, requests, createPartNumbers());
}
