import { settle } from '@inventory/db/requests/settle';
import { expect, test } from 'vitest';
import { countStatuses, expectWaiting, holdGates, useBatches } from '../harness/queue/batches.ts';

const batches = useBatches();

test('never applied: a request that was given up while its batch waited', async () => {
  const worker = batches.worker();
  const itemID = await batches.item();
  await worker.apply([batches.request('receive', { itemID, units: 10, wid: 1 })]);
  const givenUp = batches.request('issue', { itemID, units: 10, wid: 1 });
  const next = batches.request('issue', { itemID, units: 7, wid: 1 });
  const release = await holdGates(batches.sql, itemID);
  const applied = worker.apply([givenUp, next]);
  await expectWaiting(batches.sql, 1);
  const verdict = await settle(batches.sql, [givenUp]);
  expect(verdict.get(givenUp.requestId)).toEqual({ status: 'abandoned', result: null });
  await release();
  expect(await applied).toEqual([
    { status: 'abandoned', result: null },
    { status: 'applied', result: expect.any(String) },
  ]);
  expect(await settle(batches.sql, [givenUp])).toEqual(verdict);
  expect((await worker.apply([givenUp]))[0]?.status).toBe('abandoned');
  expect(await countStatuses(batches.sql, itemID)).toEqual({ applied: 2 });
});

test('applied or refused, as its batch decided: a request that is given up afterwards', async () => {
  const worker = batches.worker();
  const itemID = await batches.item();
  const requests = [
    batches.request('receive', { itemID, units: 1, wid: 1 }),
    batches.request('issue', { itemID, units: 2, wid: 1 }),
  ];
  const outcomes = await worker.apply(requests);
  const verdict = await settle(batches.sql, requests);
  expect(requests.map((request) => verdict.get(request.requestId))).toEqual(outcomes);
});

test('a verdict and a batch that race for the same requests agree on each', async () => {
  const worker = batches.worker();
  const itemID = await batches.item();
  const seen: Record<string, number> = {};
  for (let round = 0; round < 40; round++) {
    const requests = Array.from({ length: 24 }, () =>
      batches.request('receive', { itemID, units: 1, wid: 1 }),
    );
    const ids = requests.map((request) => request.requestId);
    const applied = worker.apply(requests);
    // One by one, so that some come before the batch is written, some during and some after.
    const verdicts = [];
    for (const request of requests.slice(0, 12))
      verdicts.push((await settle(batches.sql, [request])).get(request.requestId));
    const together = await settle(batches.sql, requests.slice(12));
    verdicts.push(...ids.slice(12).map((id) => together.get(id)));
    const outcomes = await applied;
    expect(verdicts).toEqual(outcomes);
    for (const { status } of outcomes) seen[status] = (seen[status] ?? 0) + 1;
  }
  expect((await countStatuses(batches.sql, itemID)).applied ?? 0).toBe(seen.applied ?? 0);
  const [level] = await batches.sql<{ in_stock: string }[]>`
    select in_stock
    from stock_level
    join item using (part_no)
    where short_id = ${itemID}`;
  expect(Number(level?.in_stock)).toBe(seen.applied ?? 0);
  expect(seen).toEqual({ applied: expect.any(Number), abandoned: expect.any(Number) });
});
