import { readPickedLots } from '@inventory/db/batch/picks/pick-statements';
import { type Candidates, readPicks, readsOf } from '@inventory/db/batch/picks/read-picks';
import { readUntaken } from '@inventory/db/batch/picks/untaken-stock';
import { readFacts } from '@inventory/db/batch/read-facts';
import { parseQuantity } from '@inventory/domain/quantity';
import { isExpired, type LotState } from '@inventory/domain/stock/batch';
import type { LotFilter } from '@inventory/domain/stock/lot-filter';
import { expect, test } from 'vitest';
import { useBatches } from '../harness/queue/batches.ts';

const batches = useBatches();
const lastMoment = new Date('2031-05-06T23:59:59.999Z');
const nextDay = new Date('2031-05-07T00:00:00.000Z');
const limits = { lots: 4, looks: 16 };

// By one field, by one of two fields, and by the moment of receipt.
const ways: Partial<LotFilter>[] = [
  {},
  { serial: 'S' },
  { serial: 'S', spot: 'A' },
  { received: [0, nextDay.getTime()] },
];

async function pickFor(filters: Partial<LotFilter>): Promise<LotFilter> {
  const itemID = await batches.item();
  const marks = { spot: 'A', serial: 'S', expires: '2031-05-06' };
  await batches.worker().apply([batches.request('receive', { itemID, units: 3, wid: 1, ...marks })]);
  const [item] = await batches.sql<
    { part_no: number }[]
  >`select part_no from item where short_id = ${itemID}`;
  return {
    ...{ partNo: item!.part_no, wid: 1, spotField: 'spot', expiredToo: false, heldToo: false },
    ...filters,
  };
}

test.each(ways)(
  'a lot with a date is good through that day, and has expired with the next: by %j',
  async (filters) => {
    const pick = await pickFor(filters);
    const [read] = readsOf('', pick, false);
    await batches.sql.begin(async (tx) => {
      await readFacts(tx, [], []);
      for (const [now, found, late, expired] of [
        [lastMoment, 1, false, '0'],
        [nextDay, 0, true, '3'],
      ] as const) {
        const [issued] = await readPickedLots(tx, [read!], limits, now);
        expect(issued!.rows).toHaveLength(found);
        const [moved] = await readPickedLots(
          tx,
          [{ ...read!, pick: { ...pick, expiredToo: true } }],
          limits,
          now,
        );
        expect(moved!.rows).toMatchObject([{ late }]);
        const [untaken] = await readUntaken(tx, [pick], now);
        expect(untaken!.expired).toBe(parseQuantity(expired));
        const lot = { expires: lastMoment.getTime() } as LotState;
        expect(isExpired(lot, now.getTime())).toBe(late);
      }
    });
  },
);

test('a lot whose last moment is that of a batch is read before that moment is known', async () => {
  const pick = await pickFor({});
  const [read] = readsOf('', pick, false);
  const undone = new Error('undone');
  const looked = batches.sql.begin(async (tx) => {
    await readFacts(tx, [], []);
    await tx`update lot set expires = date_trunc('milliseconds', now()) where part_no = ${pick.partNo}`;
    const [picked] = await readPickedLots(tx, [read!], limits, null);
    expect(picked!.rows).toMatchObject([{ late: false }]);
    throw undone;
  });
  await expect(looked).rejects.toBe(undone);
});

test('a pick is read again when a lot it was read up to, and which did not match, has expired since', async () => {
  const pick = await pickFor({ serial: 'S', spot: 'B' });
  const [read] = readsOf('', pick, false);
  const found: Candidates = {
    ...{ lots: new Map(), lotsByRecNo: new Map(), horizons: new Map(), unread: new Set(), cut: new Set() },
    ...{ tallies: new Map(), past: new Map() },
  };
  const turns = { pace: () => undefined, lotsMax: 1000 };
  const picked = await batches.sql.begin(async (tx) => {
    await readFacts(tx, [], []);
    const reading = { room: { left: 1000 }, now: lastMoment, turns };
    return (await readPicks(tx, [read!], { lots: 4, looks: 1 }, found, reading)).get(read!)!;
  });
  expect(picked).toMatchObject({ lots: [], isCut: true, horizon: { spot: 'A' } });
  expect([lastMoment, nextDay].map(picked.isStale)).toEqual([false, true]);
});
