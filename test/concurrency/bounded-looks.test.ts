import { applyBatch } from '@inventory/db/batch/apply-batch';
import { tryOutTogether } from '@inventory/db/batch/dry-run';
import type { SingleRequest } from '@inventory/domain/kinds/kinds';
import type { Queued, QueuedRequest } from '@inventory/domain/request';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { beforeAll, expect, test } from 'vitest';
import { atomicOf, type BatchWorker, useBatches } from '../harness/queue/batches.ts';
import { inOrder } from '../harness/queue/outcomes.ts';
import { countingPool, type Looked } from '../harness/stock/lots-looked-at.ts';
import { days, fillShared, marksOf, shared } from '../harness/stock/shared-marks.ts';

const batches = useBatches();
const lots = 24_000;
// The rows the first pick of a batch may look at, the rows all picks may look at beyond that, and the lots
// they find.
const [firstMax, eachMax, atomicMax, foundMax] = [13_000, 20_000, 20_000, 10_000];

let itemID: string;
let heldID: string;
let expiredID: string;
let worker: BatchWorker;
beforeAll(async () => {
  [itemID, heldID, expiredID] = await Promise.all([batches.item(), batches.item(), batches.item()]);
  await fillShared(batches.sql, itemID, lots);
  await fillShared(batches.sql, heldID, lots, { held: true });
  await fillShared(batches.sql, expiredID, lots, { expired: true });
  worker = batches.worker();
}, 600_000);

/** The outcomes of one batch, and the most that one of its transactions has looked at. */
async function applyCounted(
  requests: readonly QueuedRequest[],
): Promise<{ outcomes: (StoredOutcome | null)[]; most: Looked }> {
  const looked: Looked[] = [];
  const pool = countingPool(worker.pool, (each) => looked.push(each));
  const outcomes = inOrder(requests, await applyBatch(pool, requests, worker.parts));
  const most = {
    rows: Math.max(...looked.map(({ rows }) => rows)),
    pages: Math.max(...looked.map(({ pages }) => pages)),
  };
  return { outcomes, most };
}

const numbers = Array.from({ length: 500 }, (_, index) => lots - 2 * index);
const ask = (kind: 'issue' | 'move' | 'count', body: object) =>
  batches.request(kind, { itemID, wid: 1, units: 1, ...body }) as Queued<SingleRequest>;

test('applied: 500 issues in one atomic batch, by a tag that 12,000 lots share and the serial of one lot', async () => {
  const issues = numbers.map((n) => ask('issue', { rfidTag: shared.even.rfidTag, serial: `S-${n}` }));
  const { outcomes, most } = await applyCounted([atomicOf(issues)]);
  expect(outcomes).toMatchObject([{ status: 'applied' }]);
  expect(most.rows).toBeLessThan(firstMax + atomicMax + foundMax);
});

// Each field a move can name, with values that thousands of lots have.
const fields = Object.entries({
  rfidTag: shared.even.rfidTag,
  serial: shared.odd.serial,
  serial2: shared.even.serial2,
  fromSpot: shared.odd.spot,
  received: days[0],
});

const cases: Record<string, (n: number) => Queued<SingleRequest>> = {
  ...Object.fromEntries(
    [1, 3, 5].map((count) => [
      `moves by ${count} marks shared by thousands`,
      (n: number) => ask('move', { ...Object.fromEntries(fields.slice(0, count)), toSpot: `T-${n}` }),
    ]),
  ),
  'issues by two marks, each shared by thousands, both by none': () =>
    ask('issue', { ...shared.even, ...shared.odd }),
  'issues by a serial of thousands and a spot of others': (n) =>
    ask('issue', { serial: shared.odd.serial, rfidTag: shared.even.rfidTag, serial2: `B-${n}` }),
  'moves by day of receipt and a spot of another day': (n) =>
    ask('move', { received: days[0], fromSpot: shared.odd.spot, toSpot: `T-${n}` }),
  'moves by day of receipt alone': (n) =>
    ask('move', { received: days[1], toSpot: `T-${n}`, units: 1 + (n % 7) }),
  'moves of lots outside the spot that nearly all are on': (n) =>
    ask('move', { rfidTag: shared.even.rfidTag, serial2: shared.even.serial2, units: n, toSpot: 'T' }),
  'issues without a serial and without a spot': (n) => ask('issue', { serial: '', units: n }),
  'issues of lots on hold': (n) => ask('issue', { itemID: heldID, ...marksOf(n) }),
  'issues of expired lots': (n) => ask('issue', { itemID: expiredID, ...marksOf(n) }),
  'moves of lots on hold': (n) => ask('move', { itemID: heldID, received: days[0], toSpot: `T-${n}` }),
  'counts by a serial of thousands at the spot of another lot': (n) =>
    ask('count', { serial: shared.odd.serial, spot: `P-${n}`, counted: 0 }),
  'counts of lots on hold': (n) =>
    ask('count', {
      itemID: heldID,
      serial: shared.odd.serial,
      spot: n % 4 === 0 ? '' : `P-${n}`,
      counted: 1,
    }),
};

test.each(Object.entries(cases))(
  'a bounded number of rows is read, and the first request is decided: %s',
  async (_name, make) => {
    const differing = () => numbers.map((n) => make(n));
    // A count has two picks.
    const first = make(lots).kind === 'count' ? 2 * firstMax : firstMax;
    const ways: [QueuedRequest[], rowsMax: number][] = [
      [[make(lots)], first + 4000],
      [[atomicOf(differing())], first + atomicMax + foundMax],
      [differing(), first + eachMax + foundMax],
    ];
    for (const [requests, rowsMax] of ways) {
      const { outcomes, most } = await applyCounted(requests);
      expect(outcomes[0]).not.toBeNull();
      expect(most.rows).toBeLessThan(rowsMax);
      expect(most.pages).toBeLessThan(3 * rowsMax);
    }
    const trial = await tryOutTogether(worker.pool.sql, differing(), batches.clientId, new Map());
    expect(['applied', 'refused']).toContain(trial.status);
  },
);

test('409: too many lots, where thousands match each named field and none matches both', async () => {
  const issue = ask('issue', { rfidTag: shared.even.rfidTag, serial: shared.odd.serial });
  const { outcomes } = await applyCounted([issue]);
  expect(outcomes).toMatchObject([
    { status: 'refused', result: expect.stringMatching(/"conflict".*Too many lots/) },
  ]);
});

test('decided in the same batch: a move of another item by any lot, behind hundreds that need more than the room there is', async () => {
  const costly = numbers.map((n) =>
    ask('move', { ...shared.even, serial: shared.odd.serial, toSpot: `T-${n}` }),
  );
  const otherID = await batches.item();
  await worker.apply([batches.request('receive', { itemID: otherID, units: 1, wid: 1, spot: 'A' })]);
  const { outcomes } = await applyCounted([...costly, ask('move', { itemID: otherID, toSpot: 'B' })]);
  expect(outcomes[0]).toMatchObject({ status: 'refused' });
  expect(outcomes[1]).toBeNull();
  expect(outcomes.at(-1)).toMatchObject({ status: 'applied' });
});
