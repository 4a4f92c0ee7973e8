import { expect, test } from 'vitest';
import { createRandom, pickOne } from '../faults/random.ts';
import { useBatches } from '../harness/batches.ts';
import { expectNoRollbacks } from '../harness/invariants.ts';

const batches = useBatches();

test('no deadlock and no batch tried twice: moves of many items in opposite directions, on three workers', async () => {
  const workers = [batches.worker(), batches.worker(), batches.worker()];
  const itemIDs = await Promise.all(Array.from({ length: 12 }, () => batches.item()));
  await workers[0]!.apply(
    itemIDs.flatMap((itemID) =>
      [1, 2].map((wid) => batches.request('receive', { itemID, units: 10_000, wid })),
    ),
  );
  const errors: string[] = [];
  const statuses = new Set<string>();
  await Promise.all(
    workers.map(async (worker, index) => {
      const random = createRandom(index);
      for (let round = 0; round < 40; round++) {
        const wid = (round + index) % 2 === 0 ? 1 : 2;
        const moves = Array.from({ length: 12 }, () =>
          batches.request('move', { itemID: pickOne(random, itemIDs), units: 1, wid, shipToWid: 3 - wid }),
        );
        const outcomes = await worker.apply(moves).catch((error: Error) => {
          errors.push(error.message);
          return [];
        });
        for (const outcome of outcomes) statuses.add(outcome.status);
      }
    }),
  );
  expect(errors).toEqual([]);
  expect([...statuses]).toEqual(['applied']);
  for (const worker of workers) await worker.end();
  await expectNoRollbacks(batches.sql, 'test-worker');
});

test('no deadlock between batches that are the first to touch the same items, in opposite order', async () => {
  const workers = [batches.worker(), batches.worker(), batches.worker()];
  const errors: string[] = [];
  for (let round = 0; round < 15; round++) {
    const itemIDs = await Promise.all(Array.from({ length: 8 }, () => batches.item()));
    await Promise.all(
      workers.map((worker, index) => {
        const ordered = index % 2 === 0 ? itemIDs : itemIDs.toReversed();
        const wid = index % 2 === 0 ? 1 : 2;
        return worker
          .apply(
            ordered.flatMap((itemID) => [
              batches.request('receive', { itemID, units: 1, wid }),
              batches.request('move', { itemID, units: 1, wid, shipToWid: 3 - wid }),
            ]),
          )
          .catch((error: Error) => errors.push(error.message));
      }),
    );
  }
  expect(errors).toEqual([]);
  for (const worker of workers) await worker.end();
  await expectNoRollbacks(batches.sql, 'test-worker');
});
