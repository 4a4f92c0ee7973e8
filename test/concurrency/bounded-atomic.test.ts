import { decideAtomic } from '@inventory/domain/atomic';
import { parseQuantity } from '@inventory/domain/quantity';
import type { AtomicOperation } from '@inventory/domain/request';
import { type Batch, gateKey, type LotState } from '@inventory/domain/stock/batch';
import { inSteps } from '@inventory/process/pacer';
import { expect, test } from 'vitest';

/** The most lots of one item that are read for 500 operations: 64 in each place, place by place. */
function largeBatch(): Batch {
  const ten = parseQuantity('10');
  const lots = Array.from({ length: 32_000 }, (_, index): LotState => {
    const spot = `spot ${Math.floor(index / 64)}`;
    return {
      ...{
        recNo: index + 1,
        partNo: 1,
        wid: 1,
        spot,
        units: ten,
        received: index,
        expires: null,
        serial: '',
      },
      ...{ serial2: null, rfidTag: null, netWeight: null, grossWeight: null, hold: false, changed: false },
      origin: { kind: 'stored', spot, units: ten, hold: false, rfidTag: null },
    };
  });
  const inStock = ten * BigInt(lots.length);
  const stored = { inStock, onHold: 0n, used: true };
  return {
    now: Date.now(),
    items: new Map([['A', { partNo: 1, shortId: 'A', description: '', dfltOwner: 1 }]]),
    warehouses: new Map([[1, 'Main']]),
    reasons: null,
    levels: new Map([[gateKey(1, 1), { partNo: 1, wid: 1, ...stored, stored }]]),
    lots: new Map([[gateKey(1, 1), lots]]),
    ...{ horizons: new Map(), unread: new Set(), cut: new Set(), tallies: new Map() },
    ...{ looks: 0, touched: new Set(), past: new Map(), lotsByRecNo: new Map(), newLots: [], shortages: [] },
  };
}

const issuesFrom = (spots: readonly number[]) =>
  spots.map(
    (spot): AtomicOperation => ({
      ...{ kind: 'issue', requestId: `${spot}`, ownKey: null },
      body: { itemID: 'A', units: 1, wid: 1, spot: `spot ${spot}`, reasonCode: 0 },
    }),
  );

const decide = (batch: Batch, operations: readonly AtomicOperation[]) =>
  inSteps(decideAtomic(batch, operations, new Map()), () => undefined);

test('409: an atomic batch that takes from hundreds of places at the end, because the lots it may pass over are bounded', async () => {
  const batch = largeBatch();
  const last = Array.from({ length: 500 }, (_, index) => 499 - index);
  expect(await decide(batch, issuesFrom(last))).toMatchObject({
    status: 'refused',
    refusal: {
      culprit: { refusal: { message: expect.stringMatching(/^Too many lots: .* Send it in parts/) } },
    },
  });
  expect(batch.looks).toBeLessThan(2_000_000);
});

test('applied: an atomic batch that takes from many places within reach', async () => {
  const first = Array.from({ length: 60 }, (_, index) => index);
  expect((await decide(largeBatch(), issuesFrom(first))).status).toBe('applied');
});
