import { applyBatch, GatesHeldError, heldGatesAmong } from '@inventory/db/batch/apply-batch';
import { isOutage } from '@inventory/db/postgres/pool';
import { settle } from '@inventory/db/requests/settle';
import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { type BatcherOptions, createBatcher } from '@inventory/worker/batcher';
import type { BatchWorker } from './batches.ts';
import { inOrder } from './outcomes.ts';

/**
 * The batcher of a worker process. Its outcomes are in the order of the envelope's requests. `see` is shown
 * each batch before it is applied.
 */
export function batcherOf(
  { pool, parts }: BatchWorker,
  { see, ...options }: Partial<BatcherOptions> & { see?: (requests: QueuedRequest[]) => void } = {},
) {
  const apply = createBatcher({
    batchMax: 256,
    apply: (requests) => {
      see?.(requests);
      return applyBatch(pool, requests, parts);
    },
    abandon: async (request) => (await settle(pool.sql, [request])).get(request.requestId)!,
    isOutage,
    findHeld: (requests) => heldGatesAmong(pool.sql, requests, parts),
    heldGatesOf: (error) => (error instanceof GatesHeldError ? error.gates : null),
    report: () => {},
    ...options,
  });
  return async (requests: QueuedRequest[], attempt: number): Promise<Outcome[]> =>
    inOrder(requests, await apply(requests, attempt)) as Outcome[];
}
