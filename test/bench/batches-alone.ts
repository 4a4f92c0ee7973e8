import { applyBatch } from '@inventory/db/batch/apply-batch';
import { createBatchPool } from '@inventory/db/batch/batch-pool';
import { createPartNumbers } from '@inventory/db/batch/gates';
import { connect, type Sql } from '@inventory/db/postgres/pool';
import type { QueuedRequest } from '@inventory/domain/stock/request';
import type { Stack } from '@inventory/local/stack';
import { makeDatabase } from './site.ts';

/**
 * Measures what Postgres allows: a worker's code applies the batches of a service to another database,
 * without HTTP and without a queue.
 */
export type BatchesAlone = {
  /**
   * Applies all batches of the service that were not applied here yet; returns the applied requests a second,
   * NaN when there were none.
   */
  catchUp(): Promise<number>;
  stop(): Promise<void>;
};

const hourMs = 3_600_000;

/** `service`: the database of a service that is idle while it is read. */
export async function createBatchesAlone(stack: Stack, service: Sql, name: string): Promise<BatchesAlone> {
  const { url, sql } = await makeDatabase(stack, name);
  // Connects as the worker does.
  const pool = createBatchPool(connect(url, { name: 'bench-alone', connectionsMax: 3, byKeys: true }));
  const parts = createPartNumbers();
  let readUpTo = 0;

  async function readBatches(): Promise<QueuedRequest[][]> {
    // One transaction wrote each batch, and wrote each row of it once.
    const rows = await service<
      {
        batch: string;
        transaction_no: number;
        request_id: string;
        client_id: string;
        kind: string;
        body: unknown;
      }[]
    >`
      select xmin::text as batch, transaction_no, request_id, client_id, kind, body
      from stock_transaction
      where transaction_no > ${readUpTo}
      order by transaction_no`;
    readUpTo = rows.at(-1)?.transaction_no ?? readUpTo;
    const batches = new Map<string, QueuedRequest[]>();
    for (const { batch, request_id, client_id, kind, body } of rows) {
      const request = {
        requestId: request_id,
        clientId: client_id,
        deadline: Date.now() + hourMs,
        kind,
        body,
      };
      const others = batches.get(batch);
      if (others === undefined) batches.set(batch, [request as QueuedRequest]);
      else others.push(request as QueuedRequest);
    }
    return [...batches.values()];
  }

  return {
    async catchUp() {
      const batches = await readBatches();
      let applied = 0;
      const startedAt = performance.now();
      // One after the other, as the worker does.
      for (const batch of batches) {
        const outcomes = await applyBatch(pool, batch, parts);
        applied += [...outcomes.values()].filter((outcome) => outcome.status === 'applied').length;
      }
      return (applied / (performance.now() - startedAt)) * 1000;
    },
    async stop() {
      await pool.end({ timeout: 5 });
      await Promise.all([pool.sql.end(), sql.end()]);
    },
  };
}
