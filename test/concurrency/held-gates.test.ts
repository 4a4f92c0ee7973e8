import { applyBatch, GatesHeldError } from '@inventory/db/apply-batch';
import { isOutage } from '@inventory/db/client';
import { settle } from '@inventory/db/verdict';
import type { Outcome, QueuedRequest } from '@inventory/queue/envelope';
import { createBatcher } from '@inventory/worker/batcher';
import { expect, test } from 'vitest';
import { type BatchWorker, countStatuses, holdGates, useBatches } from '../harness/batches.ts';

const batches = useBatches();

function batcherOf(
  { pool, parts }: BatchWorker,
  apply = (requests: QueuedRequest[]): Promise<(Outcome | null)[]> => applyBatch(pool, requests, parts),
) {
  return createBatcher({
    batchMax: 256,
    apply,
    abandon: async (requestId) => (await settle(pool.sql, [requestId])).get(requestId)!,
    isOutage,
    heldGatesOf: (error) => (error instanceof GatesHeldError ? error.gates : null),
    report: () => {},
  });
}

const statusesOf = (outcomes: readonly Outcome[]) => outcomes.map(({ status }) => status);

test('applied at once, while somebody holds another gate; what is for that one is applied when it is free', async () => {
  const worker = batches.worker({ lockTimeoutMs: 300 });
  const [held, free] = [await batches.item(), await batches.item()];
  const receive = (itemID: string) => batches.request('receive', { itemID, units: 10, wid: 1 });
  const move = batches.request('move', { itemID: held, units: 1, wid: 2, shipToWid: 1 });
  await worker.apply([receive(held), receive(free)]);
  await worker.apply([batches.request('receive', { itemID: held, units: 10, wid: 2 })]);
  const tried: number[] = [];
  const apply = batcherOf(worker, (requests) => {
    if (requests.some(({ body }) => body.itemID === free)) tried.push(requests.length);
    return applyBatch(worker.pool, requests, worker.parts);
  });
  const release = await holdGates(batches.sql, held, 1);
  const first = await apply([receive(free), receive(held), move, receive(free)], 1);
  expect(statusesOf(first)).toEqual(['applied', 'pending', 'pending', 'applied']);
  for (let round = 0; round < 20; round++) {
    const outcomes = await apply([receive(held), receive(free)], 1);
    expect(statusesOf(outcomes)).toEqual(['pending', 'applied']);
  }
  // Nobody waited for the gate but the first batch.
  expect(tried).toEqual([4, ...Array.from({ length: 21 }, (_, index) => (index === 0 ? 2 : 1))]);
  expect(await countStatuses(batches.sql, held)).toEqual({ applied: 2 });
  await release();
  await expect.poll(() => countStatuses(batches.sql, held), { timeout: 30_000 }).toEqual({ applied: 24 });
  await expect
    .poll(async () => statusesOf(await apply([receive(held)], 1)), { timeout: 30_000 })
    .toEqual(['applied']);
});

test('cut no further: a batch when nobody can lock any gate', async () => {
  const worker = batches.worker({ lockTimeoutMs: 300 });
  const itemID = await batches.item();
  const receive = () => batches.request('receive', { itemID, units: 1, wid: 1 });
  await worker.apply([receive()]);
  let batchCount = 0;
  const apply = batcherOf(worker, (requests) => {
    batchCount += 1;
    return applyBatch(worker.pool, requests, worker.parts);
  });
  await batches.sql.begin(async (tx) => {
    await tx`lock table stock_level in access exclusive mode`;
    await expect(apply([receive(), receive(), receive()], 1)).rejects.toThrow('stock levels is locked');
  });
  expect(batchCount).toBe(1);
  await expect(apply([receive()], 2)).resolves.toMatchObject([{ status: 'applied' }]);
});

test('an envelope that comes again is alone, cut in halves, then in quarters', async () => {
  const worker = batches.worker();
  const itemID = await batches.item();
  const sizes: number[] = [];
  const apply = batcherOf(worker, (requests) => {
    sizes.push(requests.length);
    return applyBatch(worker.pool, requests, worker.parts);
  });
  const envelope = (size: number) =>
    Array.from({ length: size }, () => batches.request('receive', { itemID, units: 1, wid: 1 }));
  await Promise.all([
    apply(envelope(3), 1),
    apply(envelope(2), 1),
    apply(envelope(9), 2),
    apply(envelope(8), 3),
    apply(envelope(4), 1),
  ]);
  expect(sizes).toEqual([5, 5, 4, 2, 2, 2, 2, 4]);
});
