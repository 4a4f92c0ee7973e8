import { gateKey } from '@inventory/domain/stock/batch';
import { expect, test } from 'vitest';
import { createRandom, pickOne } from '../faults/random.ts';
import { useBatches } from '../harness/queue/batches.ts';
import { expectNoRollbacks } from '../harness/service/invariants.ts';

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
      for (let round = 0; round < 20; round++) {
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

test('applied: requests for items and gates that the worker remembers and Postgres has lost', async () => {
  const worker = batches.worker();
  const [itemID, other] = [await batches.item(), await batches.item()];
  await worker.apply([batches.request('receive', { itemID: other, units: 1, wid: 1 })]);
  // As after a failover to a standby that had not received the item: its number belongs to another one now.
  const { byShortId, gates } = worker.parts;
  byShortId.set(itemID, byShortId.get(other)!);
  const receipts = [1, 2].map((wid) => batches.request('receive', { itemID, units: 3, wid }));
  const received = await worker.apply(receipts);
  expect(received.map(({ status }) => status)).toEqual(['applied', 'applied']);
  // The gate of the other item in warehouse 2 is missing, too.
  gates.add(gateKey(byShortId.get(other)!, 2));
  const moved = await worker.apply([
    batches.request('move', { itemID: other, units: 1, wid: 1, shipToWid: 2 }),
  ]);
  expect(moved.map(({ status }) => status)).toEqual(['applied']);
  const levels = await batches.sql`
    select short_id, wid, in_stock
    from stock_level join item using (part_no)
    where short_id = any(${[itemID, other]}::text[])
    order by short_id, wid`;
  expect(levels.map((each) => [each.short_id, each.wid, Number(each.in_stock)])).toEqual([
    [itemID, 1, 3],
    [itemID, 2, 3],
    [other, 1, 0],
    [other, 2, 1],
  ]);
});
