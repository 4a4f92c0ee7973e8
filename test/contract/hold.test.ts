import { setTimeout } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import {
  conflictObject,
  errorObject,
  expectAnswer,
  forbidden,
  validationError,
} from '../harness/contract/answers.ts';
import { type ItemStock, stockOf, useStock } from '../harness/contract/item-stock.ts';
import { uniqueName } from '../harness/service/service.ts';

const { service, test } = useStock();

const lotOf = async (stock: ItemStock, recNo: number) =>
  (await stock.client.get(`/Inventory/Lots/${recNo}`)).body;
const levelOf = async (stock: ItemStock) =>
  (await stock.client.get(`/Inventory/StockLevels/1?itemID=${stock.itemID}`)).body.value[0];
const operate = (stock: ItemStock, mode: 'each' | 'atomic', operations: object[], more: object = {}) =>
  stock.client.post('/Inventory/Batch', { mode, operations, ...more });

describe('200: a lot is held and released', () => {
  test('with its level, its reason and its place in the history', async ({ stock }) => {
    const { itemID, client } = stock;
    const serial = uniqueName('S');
    const recNo = await stock.addLot(5, { spot: 'A', serial });
    await stock.addLot(2);
    const fields = { recno: recNo, hold: true, reason: 'wet', remark: 'the label' };
    const held = await stock.done('Hold', fields);
    expect(held).toEqual({
      ...{ recNo, status: 'held', transactionNo: expect.any(Number), changed: true, units: 5, dryRun: false },
    });
    expect(await lotOf(stock, recNo)).toMatchObject({ hold: true, holdReason: 'wet', units: 5, spot: 'A' });
    expect(await levelOf(stock)).toMatchObject({ inStock: 7, onHold: 5 });
    expect((await stock.call('Issue', { units: 3 })).body).toMatchObject({ reason: 'onHold' });
    // So already: recorded, and nothing changes.
    const again = await stock.done('Hold', { ...fields, reason: 'other' });
    expect(again).toMatchObject({ status: 'held', changed: false });
    expect(await lotOf(stock, recNo)).toMatchObject({ hold: true, holdReason: 'wet' });
    const released = await stock.done('Hold', { recno: recNo, hold: false });
    expect(released).toMatchObject({ status: 'released', changed: true });
    expect(await lotOf(stock, recNo)).toMatchObject({ hold: false, holdReason: null });
    expect(await levelOf(stock)).toMatchObject({ inStock: 7, onHold: 0 });
    await stock.done('Issue', { units: 6 });
    const { value, totalCount } = (await client.get(`/Inventory/Transactions?itemID=${itemID}&kind=hold`))
      .body;
    expect(totalCount).toBe(3);
    expect(value).toMatchObject([
      { transactionNo: released.transactionNo, hold: { recNo, hold: false, reason: null, changed: true } },
      { hold: { recNo, hold: true, reason: 'other', changed: false } },
      {
        ...{ transactionNo: held.transactionNo, kind: 'hold', itemID, remark: 'the label', reasonCode: null },
        ...{ lines: [], reversedBy: null, hold: { recNo, hold: true, reason: 'wet', changed: true } },
      },
    ]);
    for (const query of [`recNo=${recNo}`, `serial=${serial}`]) {
      const found = (await client.get(`/Inventory/Transactions?${query}&kind=hold`)).body;
      expect(found, query).toMatchObject({ totalCount: 3, value });
      const all = (await client.get(`/Inventory/Transactions?${query}`)).body;
      expect(
        all.value.map(({ kind }: { kind: string }) => kind),
        query,
      ).toEqual([...['issue', 'hold', 'hold', 'hold', 'receive']]);
      const elsewhere = await service.client({ warehouses: [2] });
      expect((await elsewhere.get(`/Inventory/Transactions?${query}`)).body.totalCount, query).toBe(0);
    }
    const { history } = await lotOf(stock, recNo);
    expect(history.map(({ at: _, clientId: __, ...line }: Record<string, unknown>) => line)).toMatchObject([
      { kind: 'issue', delta: -5, balance: 0, hold: null },
      { kind: 'hold', spot: 'A', delta: 0, balance: 5, hold: { hold: false, reason: null } },
      { kind: 'hold', hold: { reason: 'other', changed: false } },
      {
        ...{ transactionNo: held.transactionNo, kind: 'hold', reasonCode: null, remark: 'the label' },
        ...{ spot: 'A', delta: 0, balance: 5, hold: { recNo, hold: true, reason: 'wet', changed: true } },
      },
      { kind: 'receive', spot: 'A', delta: 5, balance: 5, hold: null },
    ]);
    const received = (await client.get(`/Inventory/Transactions?itemID=${itemID}&kind=receive`)).body.value;
    expect(received.map(({ hold }: { hold: unknown }) => hold)).toEqual([null, null]);
  });

  test('once under one key, alone or in a list, and with the reasons that a list gives', async ({
    stock,
  }) => {
    const recno = await stock.addLot(5);
    const key = uniqueName('k');
    const first = await stock.call('Hold', { recno, hold: true }, { 'Idempotency-Key': key });
    await stock.done('Hold', { recno, hold: false });
    const again = await operate(stock, 'each', [{ op: 'hold', key, recno, hold: true }]);
    expect(again.body.results).toMatchObject([{ status: 'applied', replayed: true, body: first.body }]);
    expect(await lotOf(stock, recno)).toMatchObject({ hold: false });
    // Held with a reason, split, released and held without one, in one transaction of the database.
    const other = await stock.addLot(8);
    const { body } = await operate(stock, 'atomic', [
      { op: 'hold', recno, hold: true, reason: 'first' },
      { op: 'hold', recno: other, hold: true, reason: 'cracked' },
      { op: 'move', itemID: stock.itemID, wid: 1, units: 3, recno: other, toSpot: 'Q' },
      { op: 'hold', recno, hold: false },
      { op: 'hold', recno, hold: true },
    ]);
    expect(body.summary, JSON.stringify(body)).toMatchObject({ applied: 5 });
    const [{ recNo: split }] = body.results[2].body.lots;
    expect(await lotOf(stock, split)).toMatchObject({ units: 3, hold: true, holdReason: 'cracked' });
    expect(await lotOf(stock, other)).toMatchObject({ units: 5, hold: true, holdReason: 'cracked' });
    expect(await lotOf(stock, recno)).toMatchObject({ hold: true, holdReason: null });
    expect(await levelOf(stock)).toMatchObject({ inStock: 13, onHold: 13 });
  });

  test('in a list, what follows a hold or a release sees it', async ({ stock }) => {
    const { itemID } = stock;
    const [first, second] = [await stock.addLot(5), await stock.addLot(5)];
    for (let lots = 0; lots < 40; lots++) await stock.addLot(1);
    const issue = { op: 'issue', itemID, wid: 1, reasonCode: 0, units: 5 };
    for (const mode of ['atomic', 'each'] as const) {
      const { body } = await operate(stock, mode, [{ op: 'hold', recno: first, hold: true }, issue]);
      expect(body.summary).toMatchObject({ applied: 2 });
      const lots = body.results[1].body.lots as { recNo: number }[];
      expect(lots[0]!.recNo).toBe(mode === 'atomic' ? second : second + 1);
      expect(lots.map(({ recNo }) => recNo)).not.toContain(first);
      await stock.done('Hold', { recno: first, hold: false });
    }
    await stock.done('Hold', { recno: first, hold: true });
    const { body } = await operate(stock, 'atomic', [{ op: 'hold', recno: first, hold: false }, issue]);
    expect(body.results[1].body.lots).toMatchObject([{ recNo: first, units: 5 }]);
  });

  test.for(['each', 'atomic'] as const)(
    'without a reason, when a reversal refills a lot that had another: %s',
    async (mode, { stock }) => {
      const { itemID } = stock;
      const recno = await stock.addLot(10);
      await stock.done('Hold', { recno, hold: true });
      const { transactionNo } = await stock.done('Move', { units: 4, shipToWid: 2, recno });
      await stock.done('Hold', { recno, hold: false });
      await stock.done('Hold', { recno, hold: true, reason: 'Torn' });
      const { body } = await operate(stock, mode, [
        { op: 'move', itemID, wid: 1, units: 6, recno, shipToWid: 2 },
        { op: 'reverse', transactionNo },
      ]);
      expect(body.summary).toMatchObject({ applied: 2 });
      expect(await lotOf(stock, recno)).toMatchObject({ units: 4, hold: true, holdReason: null });
    },
  );

  test('tried out, alone and in a list, and nothing is stored', async ({ stock }) => {
    const recno = await stock.addLot(5);
    const tried = await stock.done('Hold', { recno, hold: true, dryRun: true });
    expect(tried).toEqual({
      ...{ recNo: recno, status: 'held', transactionNo: null, changed: true, units: 5, dryRun: true },
    });
    const list = await operate(stock, 'atomic', [{ op: 'hold', recno, hold: true }], { dryRun: true });
    expect(list.body.results).toMatchObject([{ body: { transactionNo: null, changed: true } }]);
    expect(await lotOf(stock, recno)).toMatchObject({ hold: false });
  });

  test('told by the feed as hold, by webhooks of its kind, and by lists of what has changed', async ({
    stock,
  }) => {
    const { client, itemID } = stock;
    const recNo = await stock.addLot(5);
    const { nextCursor } = (await client.get('/Changes?after=now')).body;
    const since = new Date(Date.now()).toISOString();
    // A change of the same millisecond is told anyway.
    await setTimeout(5);
    await stock.done('Hold', { recno: recNo, hold: true, reason: 'wet' });
    const { value } = (await client.get(`/Changes?after=${nextCursor}`)).body;
    expect(value).toMatchObject([{ type: 'hold', recNo, hold: true, holdReason: 'wet', shortID: itemID }]);
    const changed = await client.get(`/Inventory/1?modifiedSince=${since}&itemID=${itemID}`);
    expect(changed.body.value).toMatchObject([{ recNo, hold: true }]);
    const levels = await client.get(`/Inventory/StockLevels/1?modifiedSince=${since}&itemID=${itemID}`);
    expect(levels.body.value).toMatchObject([{ onHold: 5 }]);
  });
});

describe('a lot is not held', () => {
  test('400: without a lot or what to do, all named at once', async ({ stock }) => {
    expectAnswer(
      await stock.call('Hold', { reason: 'x'.repeat(501) }),
      400,
      validationError({
        recno: ['recno is required.'],
        hold: ['hold is required.'],
        reason: ['reason must be at most 500 characters long.'],
      }),
    );
  });

  test('404: a lot that is not there or not in scope, alike; 403 without both permissions', async ({
    stock,
  }) => {
    const { itemID } = stock;
    const keeper = stockOf(service, await service.client({ warehouses: [3] }), itemID);
    const elsewhere = (await keeper.done('Receive', { units: 5, wid: 3 })).recNo;
    const recno = await stock.addLot(5);
    const notFound = errorObject(404, 'not_found', 'There is no such lot.');
    for (const hidden of [elsewhere, 2 ** 52]) {
      expectAnswer(await stock.call('Hold', { recno: hidden, hold: true }), 404, notFound);
      const { body } = await operate(stock, 'each', [{ op: 'hold', recno: hidden, hold: true }]);
      expect(body.results).toMatchObject([{ statusCode: 404, error: notFound }]);
    }
    for (const permissions of [[95], [88], [11, 15]]) {
      const weak = stockOf(service, await service.client({ permissions }), itemID);
      expectAnswer(await weak.call('Hold', { recno, hold: true }), 403, forbidden.permission);
    }
  });

  test('409: it is used up, and a hold has no reversal', async ({ stock }) => {
    const recno = await stock.addLot(5);
    const { transactionNo } = await stock.done('Hold', { recno, hold: true });
    await stock.done('Hold', { recno, hold: false });
    await stock.done('Issue', { units: 5, recno });
    expectAnswer(
      await stock.call('Hold', { recno, hold: true }),
      409,
      conflictObject('lotNotInStock', { recNo: recno }, `Lot ${recno} is not in stock.`),
    );
    expect((await stock.call('Reverse', { transactionNo })).body).toMatchObject({ reason: 'hasNoReversal' });
  });
});
