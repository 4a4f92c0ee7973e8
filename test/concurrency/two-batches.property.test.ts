import { applyBatch } from '@inventory/db/batch/apply-batch';
import { gateNamesOf } from '@inventory/db/batch/gates';
import type { SingleRequest } from '@inventory/domain/kinds/kinds';
import type { Queued, QueuedRequest } from '@inventory/domain/request';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { batcherOf } from '../harness/queue/batcher.ts';
import { atomicOf, type BatchWorker, useBatches } from '../harness/queue/batches.ts';

const batches = useBatches();
let worker: BatchWorker;
beforeAll(() => {
  worker = batches.worker();
});

/** A worker's batcher that reports which batches are under way, and holds some until told. */
function watched(mayGo: (requests: readonly QueuedRequest[]) => Promise<unknown> = async () => {}) {
  const underWay = new Set<readonly QueuedRequest[]>();
  let mostAtOnce = 0;
  const shared: string[] = [];
  const send = batcherOf(worker, {
    apply: async (requests) => {
      const own = new Set(requests.flatMap((request) => gateNamesOf(request)));
      for (const other of underWay) {
        shared.push(...other.flatMap((request) => gateNamesOf(request)).filter((gate) => own.has(gate)));
        if (requests[0]!.kind === 'batch' && other[0]!.kind === 'batch') shared.push('two atomic batches');
      }
      underWay.add(requests);
      mostAtOnce = Math.max(mostAtOnce, underWay.size);
      await mayGo(requests);
      return applyBatch(worker.pool, requests, worker.parts).finally(() => underWay.delete(requests));
    },
  });
  return { send, found: () => ({ mostAtOnce, shared }) };
}

test('two batches at once share no gate, and each gate keeps the order of arrival', async () => {
  const items = await Promise.all(Array.from({ length: 4 }, () => batches.item()));
  const receipt = fc.record({ item: fc.integer({ min: 0, max: 3 }), wid: fc.integer({ min: 1, max: 2 }) });
  const envelope = fc.record({
    isAtomic: fc.boolean(),
    receipts: fc.array(receipt, { minLength: 1, maxLength: 4 }),
  });
  let most = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(envelope, { minLength: 2, maxLength: 12 }), async (envelopes) => {
      const { send, found } = watched();
      const sent = envelopes.map(({ isAtomic, receipts }) => {
        const singles = receipts.map(
          ({ item, wid }) =>
            batches.request('receive', { itemID: items[item]!, units: 1, wid }) as Queued<SingleRequest>,
        );
        return { singles, requests: isAtomic ? [atomicOf(singles)] : (singles as QueuedRequest[]) };
      });
      const outcomes = await Promise.all(sent.map(({ requests }) => send(requests, 1)));
      expect(outcomes.flat().map(({ status }) => status)).toEqual(
        sent.flatMap(({ requests }) => requests.map(() => 'applied')),
      );
      const { shared, mostAtOnce } = found();
      expect(shared).toEqual([]);
      most = Math.max(most, mostAtOnce);
      const arrived = sent.flatMap(({ singles }) => singles);
      const ids = arrived.map(({ requestId }) => requestId);
      const stored = await batches.sql<{ request_id: string; gate: string }[]>`
        select request_id, stock_entry.part_no || '/' || stock_entry.wid as gate
        from stock_transaction
        join stock_entry using (transaction_no)
        where request_id = any(${ids}::uuid[])
        order by transaction_no`;
      for (const gate of new Set(stored.map((row) => row.gate))) {
        const places = stored.filter((row) => row.gate === gate).map((row) => ids.indexOf(row.request_id));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
      }
    }),
    { numRuns: 60 },
  );
  expect(most).toBe(2);
});

test('beside a slow atomic batch others are applied; requests at its gates and other atomic batches wait', async () => {
  const [busy, free, other] = await Promise.all([batches.item(), batches.item(), batches.item()]);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isFirst = true;
  const { send } = watched(async ([first]) => {
    if (first!.kind !== 'batch' || !isFirst) return;
    isFirst = false;
    await released;
  });
  const receive = (itemID: string) => batches.request('receive', { itemID, units: 1, wid: 1 });
  const list = (itemID: string) => atomicOf([receive(itemID) as Queued<SingleRequest>]);
  const told: string[] = [];
  const tell = (name: string) => (outcomes: readonly { status: string }[]) =>
    told.push(`${name}: ${outcomes.map(({ status }) => status).join()}`);
  const first = send([list(busy)], 1).then(tell('first'));
  const sent = [
    send([receive(busy), receive(free)], 1).then(tell('partly at its gate')),
    send([list(other)], 1).then(tell('atomic')),
    send([receive(other)], 1).then(tell('behind the atomic one')),
  ];
  await send([receive(free)], 1).then(tell('free'));
  await send([receive(free)], 1).then(tell('free again'));
  expect(told).toEqual(['free: applied', 'free again: applied']);
  release();
  await Promise.all([first, ...sent]);
  expect(told.slice(2).toSorted()).toEqual([
    'atomic: applied',
    'behind the atomic one: applied',
    'first: applied',
    'partly at its gate: applied,applied',
  ]);
});
