import { describe, expect } from 'vitest';
import { errorObject, expectAnswer, forbidden } from '../harness/contract/answers.ts';
import { type ItemStock, stockOf, useStock } from '../harness/contract/item-stock.ts';
import { untilAnswered } from '../harness/service/api-client.ts';
import { allPermissions, uniqueName } from '../harness/service/service.ts';

const { service, test } = useStock();

const undo = (stock: ItemStock, { transactionNo }: { transactionNo: number }, fields: object = {}) =>
  stock.call('Reverse', { transactionNo, ...fields });

/** The lots that a reversal changed, when it must be applied. */
async function undone(...reversal: Parameters<typeof undo>) {
  const { status, body, text } = await undo(...reversal);
  expect(status, text).toBe(200);
  return body.lots;
}

/** Every lot of the item, with all that a reversal must restore. */
async function lotsOf(stock: ItemStock) {
  const lots = await stock.lots('&view=full');
  return lots.map(({ modified: _, ...lot }) => lot);
}

async function levelsOf({ itemID }: ItemStock) {
  const levels = await service.sql`
    select wid, in_stock::float8, on_hold::float8
    from stock_level
    join item using (part_no)
    where short_id = ${itemID}
    order by wid`;
  return levels.map((level) => ({ ...level }));
}

describe('POST /Inventory/Reverse', () => {
  test('200: an issue: the units are back, and shipped lots are in stock again', async ({ stock }) => {
    const [first, second] = [await stock.addLot(2, { netWeight: 3 }), await stock.addLot(4)];
    const before = await lotsOf(stock);
    const issued = await stock.done('Issue', { units: 3.5 });
    const answer = await undo(stock, issued, { remark: 'wrong order' });
    const { transactionNo } = answer.body;
    expectAnswer(answer, 200, {
      ...{ recNo: first, status: 'reversed', transactionNo, dryRun: false, reverses: issued.transactionNo },
      lots: [
        { recNo: first, units: 2, remaining: 2 },
        { recNo: second, units: 1.5, remaining: 4 },
      ],
    });
    expect(await lotsOf(stock)).toEqual(before);
    const [stored] = await service.sql`
      select kind, reverses, body from stock_transaction where transaction_no = ${transactionNo}`;
    const body = { transactionNo: issued.transactionNo, remark: 'wrong order' };
    expect(stored).toEqual({ kind: 'reverse', reverses: issued.transactionNo, body });
  });

  test.for<[string, object]>([
    ['part of a lot to another spot', { units: 2, toSpot: 'B' }],
    ['part of a lot to another warehouse', { units: 2, shipToWid: 2, toSpot: 'B' }],
    ['a whole lot to another spot', { units: 3, toSpot: 'B' }],
    ['a whole lot to another warehouse', { units: 3, shipToWid: 2 }],
    ['several lots to another spot', { units: 6.5, toSpot: 'B' }],
    ['several lots to another warehouse', { units: 6.5, shipToWid: 2, toSpot: 'B' }],
  ])(
    '200: a move of %s: everything is as before, including weights and tags',
    async ([, move], { stock }) => {
      await stock.addLot(3, { spot: 'A', netWeight: 1, grossWeight: 2.5, rfidTag: 'R' });
      await stock.addLot(7, { spot: 'C', netWeight: 0.000001 });
      const before = await lotsOf(stock);
      await undone(stock, await stock.done('Move', move));
      const after = await lotsOf(stock);
      expect(after.slice(0, before.length)).toEqual(before);
      // The part that was split off is closed and has no weight left.
      for (const lot of after.slice(before.length)) {
        expect(lot).toMatchObject({ units: 0, active: false, shipped: expect.any(String), hold: false });
        expect(lot.netWeight || 0).toBe(0);
      }
      expect((await levelsOf(stock))[0]).toEqual({ wid: 1, in_stock: 10, on_hold: 0 });
    },
  );

  test('200: a held lot returns with its hold and reason, also in one batch', async ({ stock }) => {
    const { client } = stock;
    const recno = await stock.addLot(3);
    await stock.hold(recno);
    const before = await lotsOf(stock);
    const first = await stock.done('Move', { units: 3, shipToWid: 2, recno });
    await undone(stock, first);
    expect((await lotsOf(stock))[0]).toEqual(before[0]);
    const again = await stock.done('Move', { units: 3, shipToWid: 2, recno });
    const back = await stock.done('Move', { units: 3, wid: 2, shipToWid: 1, recno: again.recNo });
    const operations = [back, again].map(({ transactionNo }) => ({ op: 'reverse', transactionNo }));
    const batch = await client.post('/Inventory/Batch', { mode: 'atomic', operations });
    expect(batch.status, batch.text).toBe(200);
    expect((await lotsOf(stock))[0]).toEqual(before[0]);
    expect(await levelsOf(stock)).toEqual([
      { wid: 1, in_stock: 3, on_hold: 3 },
      { wid: 2, in_stock: 0, on_hold: 0 },
    ]);
  });

  test('200: an RFID tag goes with a whole lot, and returns with the reversal', async ({ stock }) => {
    const tagged = async () =>
      (await stock.lots())
        .filter(({ rFIDTag }) => rFIDTag === 'T')
        .map(({ recNo, active }) => [recNo, active]);
    const recNo = await stock.addLot(5, { rfidTag: 'T' });
    const issued = await stock.done('Issue', { units: 2 });
    const moved = await stock.done('Move', { units: 3, shipToWid: 2 });
    expect(await tagged()).toEqual([[moved.recNo, true]]);
    // The first lot is in stock again, without the tag.
    await undone(stock, issued);
    expect(await tagged()).toEqual([[moved.recNo, true]]);
    const part = await stock.done('Move', { units: 1, wid: 2, toSpot: 'X' });
    expect(await tagged()).toEqual([[moved.recNo, true]]);
    await undone(stock, part);
    await undone(stock, moved);
    expect(await tagged()).toEqual([[recNo, true]]);
  });

  test('409: a second reversal; with ten at once, one is applied', async ({ stock }) => {
    await stock.addLot(50);
    const { transactionNo } = await stock.done('Issue', { units: 3 });
    // With a key, so that asking again settles a slow machine's "not known".
    const reverseOnce = () => {
      const headers = { 'Idempotency-Key': uniqueName('reversal') };
      return untilAnswered(() => stock.call('Reverse', { transactionNo }, headers));
    };
    const answers = await Promise.all(Array.from({ length: 10 }, reverseOnce));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect(await stock.units()).toBe(50);
  });

  test('403: without the permission for the opposite', async ({ stock }) => {
    const received = await stock.done('Receive', { units: 5 });
    const moved = await stock.done('Move', { units: 5, toSpot: 'B' });
    const issued = await stock.done('Issue', { units: 1 });
    const counted = await stock.done('Count', { counted: 3, everywhere: true });
    const asks = async (permissions: number[]) =>
      stockOf(service, await service.client({ permissions }), stock.itemID);
    for (const [transaction, needed] of [
      [counted, [88, 95]],
      [issued, [95]],
      [moved, [15]],
      [received, [88]],
    ] as const) {
      for (const missing of needed) {
        const weak = await asks(allPermissions.filter((each) => each !== missing));
        expectAnswer(await undo(weak, transaction), 403, forbidden.permission);
      }
      if (transaction !== received) await undone(await asks([...needed]), transaction);
    }
  });

  test('404: not there, or with a warehouse out of scope, alike, with any permission', async ({ stock }) => {
    const { itemID } = stock;
    const keeper = stockOf(service, await service.client({ warehouses: [1, 2, 3] }), itemID);
    const received = await keeper.done('Receive', { units: 5 });
    const there = await keeper.done('Move', { units: 2, shipToWid: 3 });
    const elsewhere = await keeper.done('Receive', { units: 5, wid: 3 });
    const reversal = (await undo(keeper, elsewhere)).body;
    await keeper.hold(await keeper.addLot(5));
    const [held] = await service.sql<{ transactionNo: number }[]>`
      select max(transaction_no) as "transactionNo" from stock_transaction where kind = 'hold'`;
    const weak = stockOf(service, await service.client({ permissions: [15] }), itemID);
    const notFound = errorObject(404, 'not_found', 'There is no such transaction.');
    for (const hidden of [there, elsewhere, reversal, held!, { transactionNo: 2 ** 52 }]) {
      for (const each of [stock, weak]) expectAnswer(await undo(each, hidden), 404, notFound);
    }
    expectAnswer(await undo(weak, received), 403, forbidden.permission);
    expectAnswer(await undo(stock, received), 409, expect.anything());
  });
});
