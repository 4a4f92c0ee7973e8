import { applyBatch, heldGatesAmong } from '@inventory/db/batch/apply-batch';
import { gateNamesOf } from '@inventory/db/batch/gates';
import { settle } from '@inventory/db/requests/settle';
import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { Batcher, type BatcherOptions, type Batches } from '@inventory/worker/batcher';
import type { BatchWorker } from './batches.ts';
import { inOrder } from './outcomes.ts';

/**
 * The batcher of a worker process. Its outcomes are in the order of the envelope's requests. `see` is shown
 * each batch before it is applied.
 */
export function batcherOf(
  { pool, parts }: BatchWorker,
  {
    see,
    apply = (requests) => applyBatch(pool, requests, parts),
    report = () => {},
  }: Partial<Pick<Batches, 'apply'> & Pick<BatcherOptions, 'report'>> & {
    see?: (requests: QueuedRequest[]) => void;
  } = {},
) {
  const batches: Batches = {
    async apply(requests) {
      see?.(requests);
      return apply(requests);
    },
    abandon: async (request) => (await settle(pool.sql, [request])).get(request.requestId)!,
    gatesOf: (request) => gateNamesOf(request, parts),
    findHeld: (requests) => heldGatesAmong(pool.sql, requests, parts),
  };
  const batcher = new Batcher(batches, { batchMax: 256, report });
  return async (requests: QueuedRequest[], attempt: number): Promise<Outcome[]> =>
    inOrder(requests, await batcher.apply(requests, attempt)) as Outcome[];
}
