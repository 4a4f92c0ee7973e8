import { expect, test } from 'vitest';
import { useBatches } from '../harness/batches.ts';

const batches = useBatches();

test('one of two counts at once on two workers finds what it expected; the other is judged against what that left', async () => {
  const workers = [batches.worker(), batches.worker()] as const;
  const itemID = await batches.item();
  await workers[0].apply([batches.request('receive', { itemID, units: 100, wid: 1 })]);
  for (let units = 100; units > 80; units--) {
    const count = () => batches.request('count', { itemID, wid: 1, counted: units - 1, expected: units });
    const outcomes = await Promise.all(workers.map((worker) => worker.apply([count()])));
    expect(
      outcomes
        .flat()
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['applied', 'refused']);
  }
});

test('one of two reversals at once on two workers is applied', async () => {
  const workers = [batches.worker(), batches.worker()] as const;
  const itemID = await batches.item();
  await workers[0].apply([batches.request('receive', { itemID, units: 100, wid: 1 })]);
  for (let round = 0; round < 20; round++) {
    const [issued] = await workers[0].apply([batches.request('issue', { itemID, units: 3, wid: 1 })]);
    const { transactionNo } = JSON.parse(issued!.result!);
    const of = { kind: 'issue' as const, itemID, wids: [1], lines: 1 };
    const reversal = () => ({ ...batches.request('reverse', {}), body: { transactionNo }, of });
    const outcomes = await Promise.all(workers.map((worker) => worker.apply([reversal()])));
    expect(
      outcomes
        .flat()
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['applied', 'refused']);
  }
});
