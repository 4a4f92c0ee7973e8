import { describe, expect } from 'vitest';
import { dateTime, expectAnswer } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';

const { test } = useStock();

/** The answer to a move of one lot. */
const moved = (recNo: number, lot: { fromRecNo: number; units: number; [field: string]: unknown }) => ({
  ...{ recNo, status: 'moved', transactionNo: expect.any(Number), dryRun: false, units: lot.units },
  lots: [{ recNo, ...lot }],
});

test('200: a whole lot inside its warehouse keeps its record and changes its spot', async ({ stock }) => {
  const recNo = await stock.addLot(4, { spot: 'A', rfidTag: 'R' });
  const [before] = await stock.lots();
  const fields = { fromSpot: 'A', toSpot: 'B', transitSlip: 'T', reference: 'X' };
  const lot = { fromRecNo: recNo, units: 4, remaining: 4, wID: 1, spot: 'B' };
  expectAnswer(await stock.call('Move', { units: 4, ...fields }), 200, moved(recNo, lot));
  expect(await stock.lots()).toEqual([{ ...before, spot: 'B' }]);
});

// lot-fields.test.ts has every fact that a part keeps.
test('200: part of a lot is a new record with the same facts, without the RFID tag', async ({ stock }) => {
  const recNo = await stock.addLot(4, { spot: 'A', serial: 'S', remark: 'fragile', rfidTag: 'R' });
  const [before] = await stock.lots();
  const answer = await stock.call('Move', { units: 1.25, toSpot: 'B' });
  const part = answer.body.recNo;
  expect(part).toBeGreaterThan(recNo);
  const lot = { fromRecNo: recNo, units: 1.25, remaining: 2.75, wID: 1, spot: 'B' };
  expectAnswer(answer, 200, moved(part, lot));
  expect(await stock.lots()).toEqual([
    { ...before, units: 2.75 },
    { ...before, recNo: part, units: 1.25, spot: 'B', rFIDTag: null },
  ]);
});

test('200: a whole lot to another warehouse is a new record; its source is closed', async ({ stock }) => {
  const recNo = await stock.addLot(4, { spot: 'A', rfidTag: 'R' });
  const [before] = await stock.lots();
  const answer = await stock.call('Move', { units: 4, shipToWid: 2, toSpot: 'C' });
  const arrived = answer.body.recNo;
  const lot = { fromRecNo: recNo, units: 4, remaining: 0, wID: 2, spot: 'C' };
  expectAnswer(answer, 200, moved(arrived, lot));
  expect(await stock.lots()).toEqual([
    { ...before, units: 0, shipped: dateTime, active: false, rFIDTag: null },
    { ...before, recNo: arrived, wID: 2, warehouse: 'Overflow', spot: 'C', rFIDTag: 'R' },
  ]);
});

test('200: to another warehouse, without a spot there', async ({ stock }) => {
  await stock.addLot(4, { spot: 'A' });
  expect((await stock.done('Move', { units: 1, shipToWid: 2 })).lots).toMatchObject([{ wID: 2, spot: '' }]);
});

test('200: a lot on hold that is named keeps its hold and its reason, in every part', async ({ stock }) => {
  const held = await stock.addLot(5);
  await stock.hold(held);
  const part = await stock.done('Move', { units: 2, recno: held, toSpot: 'B' });
  const away = await stock.done('Move', { units: 3, recno: held, shipToWid: 2 });
  const lots = await stock.lots('&view=full');
  expect(lots.map(({ recNo, units, hold, holdReason }) => [recNo, units, hold, holdReason])).toEqual([
    // A lot at 0 loses its hold.
    [held, 0, false, null],
    [part.recNo, 2, true, 'inspection'],
    [away.recNo, 3, true, 'inspection'],
  ]);
});

describe('weights', () => {
  test('are shared out by units, to the last digit', async ({ stock }) => {
    const weights = async () =>
      (await stock.lots('&view=full')).map((lot) => [lot.units, lot.netWeight, lot.grossWeight]);
    await stock.addLot(3, { spot: 'A', netWeight: 1, grossWeight: 2.000001 });
    await stock.done('Move', { units: 1, toSpot: 'B' });
    expect(await weights()).toEqual([
      [2, 0.666667, 1.333334],
      [1, 0.333333, 0.666667],
    ]);
    await stock.done('Move', { units: 2, fromSpot: 'A', shipToWid: 2 });
    expect(await weights()).toEqual([
      [0, 0, 0],
      [1, 0.333333, 0.666667],
      [2, 0.666667, 1.333334],
    ]);
  });

  test('stay with a whole lot inside its warehouse; no weight stays no weight', async ({ stock }) => {
    await stock.addLot(2, { spot: 'A', netWeight: 7 });
    await stock.done('Move', { units: 2, toSpot: 'B' });
    await stock.done('Move', { units: 0.5, toSpot: 'C' });
    const lots = await stock.lots('&view=full');
    expect(lots.map(({ netWeight, grossWeight }) => [netWeight, grossWeight])).toEqual([
      [5.25, null],
      [1.75, null],
    ]);
  });
});
