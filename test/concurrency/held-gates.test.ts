import { applyBatch, GatesHeldError } from '@inventory/db/batch/apply-batch';
import { forget, gateNamesOf } from '@inventory/db/batch/gates';
import { itemIdOf } from '@inventory/domain/kinds/kinds';
import { operationsOf, type QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { connect } from '@inventory/postgres/pool';
import { HeldGates } from '@inventory/worker/held-gates';
import { expect, test } from 'vitest';
import { batcherOf } from '../harness/queue/batcher.ts';
import { countStatuses, expectWaiting, holdGates, useBatches } from '../harness/queue/batches.ts';
import { allApplied } from '../harness/queue/outcomes.ts';

const batches = useBatches();

// Requests that wait for a held gate are given up after three seconds: a slow machine does fewer rounds.
const roundsMaxMs = 1000;

const statusesOf = (outcomes: readonly Outcome[]) => outcomes.map(({ status }) => status);

// Tried again: a machine may stand still for longer than requests are kept.
const again = { retry: 3 };

test(
  'applied at once while somebody holds another gate; requests for that gate are applied when it is free',
  again,
  async () => {
    const worker = batches.worker({ lockTimeoutMs: 300 });
    const [held, free] = [await batches.item(), await batches.item()];
    const receive = (itemID: string) => batches.request('receive', { itemID, units: 10, wid: 1 });
    const move = batches.request('move', { itemID: held, units: 1, wid: 2, shipToWid: 1 });
    await worker.apply([receive(held), receive(free)]);
    await worker.apply([batches.request('receive', { itemID: held, units: 10, wid: 2 })]);
    const tried: number[] = [];
    const apply = batcherOf(worker, {
      see(requests) {
        const isOfFree = requests.flatMap(operationsOf).some((each) => itemIdOf(each) === free);
        if (isOfFree) tried.push(requests.length);
      },
    });
    const release = await holdGates(batches.sql, held, 1);
    const first = await apply([receive(free), receive(held), move, receive(free)], 1);
    expect(statusesOf(first)).toEqual(['applied', 'pending', 'pending', 'applied']);
    let rounds = 0;
    for (const from = performance.now(); rounds < 20 && performance.now() - from < roundsMaxMs; rounds++) {
      const outcomes = await apply([receive(held), receive(free)], 1);
      expect(statusesOf(outcomes)).toEqual(['pending', 'applied']);
    }
    // Only the first batch waited for the gate.
    expect(tried).toEqual([4, ...Array.from({ length: 1 + rounds }, (_, index) => (index === 0 ? 2 : 1))]);
    expect(await countStatuses(batches.sql, held)).toEqual({ applied: 2 });
    await release();
    await expect.poll(() => countStatuses(batches.sql, held)).toEqual({ applied: 2 + 2 + rounds });
    await expect.poll(async () => statusesOf(await apply([receive(held)], 1))).toEqual(['applied']);
  },
);

test('every held gate has its turn: requests for the fifth are applied when it is free, while four stay held', async () => {
  const worker = batches.worker({ lockTimeoutMs: 300 });
  const itemIDs = await Promise.all(Array.from({ length: 5 }, () => batches.item()));
  const receives = () => itemIDs.map((itemID) => batches.request('receive', { itemID, units: 1, wid: 1 }));
  await worker.apply(receives());
  const holder = connect(batches.url, { name: 'holder', connectionsMax: 5 });
  const releases = [];
  for (const itemID of itemIDs) releases.push(await holdGates(holder, itemID, 1));
  const apply = batcherOf(worker);
  expect(statusesOf(await apply(receives(), 1))).toEqual(Array(5).fill('pending'));
  await releases[4]!();
  await expect.poll(async () => statusesOf(await apply(receives(), 1))[4], { interval: 50 }).toBe('applied');
  for (const release of releases.slice(0, 4)) await release();
  await holder.end();
});

test(
  'applied at once: requests for the gate a move takes from, while the gate it goes to is held',
  again,
  async () => {
    const worker = batches.worker({ lockTimeoutMs: 300 });
    const itemID = await batches.item();
    const receive = (wid: number) => batches.request('receive', { itemID, units: 100, wid });
    await worker.apply([receive(1), receive(2)]);
    const apply = batcherOf(worker);
    const release = await holdGates(batches.sql, itemID, 2);
    const move = () => batches.request('move', { itemID, units: 1, wid: 1, shipToWid: 2 });
    expect(statusesOf(await apply([receive(1), move()], 1))).toEqual(['applied', 'pending']);
    // The lane of the held gate tries its moves meanwhile, and locks nothing for them.
    let rounds = 0;
    for (const from = performance.now(); rounds < 40 && performance.now() - from < roundsMaxMs; rounds++) {
      expect(statusesOf(await apply([move(), receive(1)], 1))).toEqual(['pending', 'applied']);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await release();
    await expect
      .poll(() => countStatuses(batches.sql, itemID))
      .toEqual({ applied: 2 + 1 + (rounds + 1) + rounds });
  },
);

test.each(['stock_level', 'lot', 'client'])(
  'not cut further: a batch while somebody has locked the table %s',
  async (table) => {
    const worker = batches.worker({ lockTimeoutMs: 300 });
    const itemID = await batches.item();
    const receive = () => batches.request('receive', { itemID, units: 1, wid: 1 });
    await worker.apply([receive()]);
    let batchCount = 0;
    const apply = batcherOf(worker, { see: () => batchCount++ });
    await batches.sql.begin(async (tx) => {
      await tx.unsafe(`lock table ${table} in access exclusive mode`);
      await expect(apply([receive(), receive(), receive()], 1)).rejects.toThrow(
        'is locked by another session',
      );
    });
    expect(batchCount).toBe(1);
    await expect(apply([receive()], 2)).resolves.toMatchObject([{ status: 'applied' }]);
  },
);

test('in order of arrival, also in pieces: a later piece does not overtake the requests that a piece leaves for the next batch', async () => {
  const worker = batches.worker();
  const itemIDs = await Promise.all([1, 2, 3].map(() => batches.item()));
  for (const itemID of itemIDs) {
    const receives = Array.from({ length: 320 }, () =>
      batches.request('receive', { itemID, units: 1, wid: 1 }),
    );
    await worker.apply(receives);
  }
  const issue = (item: number, units: number) =>
    batches.request('issue', { itemID: itemIDs[item], units, wid: 1 });
  const outcomes = await batcherOf(worker)(
    [issue(0, 300), issue(1, 300), issue(2, 300), issue(2, 1), issue(2, 1), issue(2, 1)],
    2,
  );
  const numbers = outcomes.map(({ result }) => JSON.parse(result!).transactionNo as number);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});

test('an envelope that comes again is tried alone, cut in halves, then in quarters', async () => {
  const worker = batches.worker();
  const itemID = await batches.item();
  const sizes: number[] = [];
  const apply = batcherOf(worker, { see: ({ length }) => sizes.push(length) });
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

test('held, not unknown: an item whose number the process forgets while it waits for the gate', async () => {
  const worker = batches.worker({ lockTimeoutMs: 3000 });
  const itemID = await batches.item();
  const receive = () => batches.request('receive', { itemID, units: 1, wid: 1 });
  await worker.apply([receive()]);
  const release = await holdGates(batches.sql, itemID, 1);
  const outcome = applyBatch(worker.pool, [receive()], worker.parts).catch((error: unknown) => error);
  await expectWaiting(batches.sql, 1);
  forget(worker.parts);
  expect(await outcome).toBeInstanceOf(GatesHeldError);
  await release();
});

/** Held gates over a Postgres that answers as told. */
function heldGatesOf(options: {
  held: (look: number) => string[];
  apply: (requests: QueuedRequest[]) => Promise<ReadonlyMap<string, Outcome>>;
}) {
  let looks = 0;
  const findHeld = async () => new Set(options.held(looks++));
  return new HeldGates(
    { apply: options.apply, findHeld, gatesOf: (request) => gateNamesOf(request) },
    () => {},
  );
}

test('applied in the end: a move whose gates are held in turn', async () => {
  const move = batches.request('move', { itemID: 'X', units: 1, wid: 1, shipToWid: 2 });
  const done: string[] = [];
  const gates = heldGatesOf({
    held: (look) => [['2/X'], ['1/X'], ['2/X'], ['1/X']][look] ?? [],
    async apply(requests) {
      done.push(...requests.map(({ requestId }) => requestId));
      return allApplied(requests);
    },
  });
  gates.add(new Set(['1/X']));
  expect(gates.takes(move)).toBe(true);
  await expect.poll(() => done).toEqual([move.requestId]);
});

test.each([
  ['a connection that ends', 1, Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' })],
  ['a request that cannot be applied', Number.POSITIVE_INFINITY, new Error('by a fault of ours')],
])('harms no other request that waits for the gate: %s', async (_, times, error) => {
  const [first, second, third] = Array.from({ length: 3 }, () =>
    batches.request('receive', { itemID: 'X', units: 1, wid: 1 }),
  );
  const done: string[] = [];
  let failures = 0;
  const gates = heldGatesOf({
    held: () => [],
    async apply(requests) {
      if (requests.includes(second!) && failures < times) {
        failures += 1;
        throw error;
      }
      done.push(...requests.map(({ requestId }) => requestId));
      return allApplied(requests);
    },
  });
  gates.add(new Set(['1/X']));
  for (const each of [first!, second!, third!]) expect(gates.takes(each)).toBe(true);
  const expected = times === 1 ? [first, second, third] : [first, third];
  await expect.poll(() => done).toEqual(expected.map((each) => each!.requestId));
});
