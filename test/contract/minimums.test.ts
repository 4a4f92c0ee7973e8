import { findImbalances } from '@inventory/db/audit/audit';
import { releaseLot } from '@inventory/db/operator/holds';
import { importMinimums } from '@inventory/db/operator/import-minimums';
import { setOrderQuantities } from '@inventory/db/operator/order-quantities';
import { formatQuantity, parseQuantity } from '@inventory/domain/quantity';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { errorObject, expectAnswer, forbidden, invalid } from '../harness/contract/answers.ts';
import { type ItemStock, useStock } from '../harness/contract/item-stock.ts';
import { holdOpen } from '../harness/network/held-open.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { findWrongLows } from '../harness/stock/wrong-lows.ts';

const { service, test } = useStock();

const list = '/Inventory/StockLevels';

const partNoOf = async ({ client, itemID }: ItemStock) =>
  (await client.get(`/Item?key=${itemID}&type=id`)).body.partNo as number;
const put = async (stock: ItemStock, minimum: unknown, wid = 1) =>
  stock.client.put(`${list}/${wid}/${await partNoOf(stock)}`, { minimum });
async function set(stock: ItemStock, minimum: number | null, wid = 1) {
  const answer = await put(stock, minimum, wid);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** The item's record, if the list has it. */
const levelOf = async ({ client, itemID }: ItemStock, place = '/1', query = '') =>
  (await client.get(`${list}${place}?view=full&itemID=${itemID}${query}`)).body.value[0];

/** Follows the feed; each call returns the changes of `low` and `level` since the one before. */
async function follow(client: ApiClient) {
  let cursor = (await client.get('/Changes?after=now')).body.nextCursor;
  // biome-ignore lint/suspicious/noExplicitAny: changes have their own names.
  return async (...types: string[]): Promise<any[]> => {
    const { status, body, text } = await client.get(`/Changes?limit=1000&after=${cursor}`);
    expect(status, text).toBe(200);
    cursor = body.nextCursor;
    return body.value.filter(({ type }: { type: string }) => types.includes(type));
  };
}

describe('200: a minimum is set', () => {
  test('changed and removed, for one warehouse, and shown', async ({ stock, client }) => {
    const { itemID } = stock;
    await stock.addLot(10);
    await stock.addLot(3, { wid: 2 });
    const partNo = await partNoOf(stock);
    const told = await follow(client);
    const record = { partNo, shortID: itemID, wID: 1, minimum: 10, available: 10, low: false };
    expect(await set(stock, 10)).toEqual(record);
    const { modified } = await levelOf(stock);
    expect(await set(stock, 10)).toEqual(record);
    expect(await levelOf(stock)).toMatchObject({ minimum: 10, modified });
    expect(await levelOf(stock, '/2')).toMatchObject({ minimum: null });
    await set(stock, 2.5, 2);
    // Over both, sums.
    expect(await levelOf(stock, '')).toMatchObject({ available: 13, minimum: 12.5 });
    expect(await set(stock, null)).toEqual({ ...record, minimum: null });
    expect(await levelOf(stock, '')).toMatchObject({ available: 13, minimum: 2.5 });
    // A change each; none for what was so already.
    const level = {
      type: 'level',
      partNo,
      shortID: itemID,
      wID: 1,
      onOrder: 0,
      committed: 0,
      packed: 0,
      aSN: 0,
    };
    expect(await told('level', 'low')).toEqual([level, { ...level, wID: 2, minimum: 2.5 }, level]);
    // Plain records are those of the contract.
    const { body } = await client.get(`${list}/1?itemID=${itemID}`);
    expect(Object.keys(body.value[0])).not.toContain('minimum');
  });

  test('digit for digit, up to what a sum may be', async ({ stock }) => {
    const partNo = await partNoOf(stock);
    for (const text of ['999999999999999.999999', '0.000001', '0']) {
      const answer = await stock.client.send('PUT', `${list}/1/${partNo}`, { body: `{"minimum":${text}}` });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text).toContain(`"minimum":${text},`);
    }
  });

  test('for an item that was never there, which is low at once and listed', async ({ stock, client }) => {
    const told = await follow(client);
    expect(await set(stock, null)).toMatchObject({ minimum: null, low: false });
    expect(await levelOf(stock)).toBeUndefined();
    expect(await set(stock, 5)).toMatchObject({ minimum: 5, available: 0, low: true });
    expect(await levelOf(stock, '/1', '&belowMinimum=true')).toMatchObject({ inStock: 0, minimum: 5 });
    expect(await told('level', 'low')).toMatchObject([
      { type: 'level', minimum: 5 },
      { type: 'low', low: true, minimum: 5, available: 0 },
    ]);
    await set(stock, null);
    expect(await levelOf(stock)).toMatchObject({ inStock: 0, minimum: null });
    expect(await told('low')).toMatchObject([{ low: false, minimum: null, available: 0 }]);
  });
});

describe('low is told', () => {
  test('once when available falls below, and once when it is back, whatever moves it', async ({
    stock,
    client,
  }) => {
    const first = await stock.addLot(10);
    await stock.addLot(4, { spot: 'B' });
    await set(stock, 10);
    const told = await follow(client);
    const shortId = stock.itemID;
    const order = (quantities: object) => setOrderQuantities(service.sql, { shortId, wid: 1 }, quantities);
    const steps: [() => Promise<unknown>, { low: boolean; available: number } | null][] = [
      [() => stock.done('Issue', { units: 4 }), null],
      [() => stock.done('Issue', { units: 0.000001 }), { low: true, available: 9.999999 }],
      [() => stock.done('Issue', { units: 1 }), null],
      [() => stock.done('Receive', { units: 5, spot: 'B' }), { low: false, available: 13.999999 }],
      [() => stock.done('Hold', { recno: first, hold: true }), { low: true, available: 9 }],
      [() => stock.done('Hold', { recno: first, hold: false }), { low: false, available: 13.999999 }],
      [() => stock.done('Move', { units: 8, shipToWid: 2 }), { low: true, available: 5.999999 }],
      [() => stock.done('Count', { counted: 14, spot: 'B' }), { low: false, available: 14 }],
      [() => order({ committed: '4', packed: '1' }), { low: true, available: 9 }],
      [() => order({ committed: '2' }), { low: false, available: 11 }],
      [() => set(stock, 11.5), { low: true, available: 11 }],
      [() => set(stock, 20), null],
      [() => order({ minimum: '0' }), { low: false, available: 11 }],
      [() => order({ committed: '30' }), { low: true, available: -17 }],
      [() => order({ minimum: null }), { low: false, available: -17 }],
      // In the other warehouse none is set.
      [() => stock.done('Issue', { units: 8, wid: 2 }), null],
    ];
    for (const [place, [step, word]] of steps.entries()) {
      await step();
      const got = (await told('low')).map(({ low, available }) => ({ low, available }));
      expect(got, `step ${place + 1}`).toEqual(word === null ? [] : [word]);
    }
    expect(await findWrongLows(service.sql)).toEqual([]);
  });

  test('behind the transactions that did it, and only to those who see the warehouse', async ({
    stock,
    client,
  }) => {
    const { itemID } = stock;
    await stock.addLot(10);
    await set(stock, 8);
    const [all, other] = [await follow(client), await follow(await service.client({ warehouses: [2] }))];
    const { body } = await client.post('/Inventory/Batch', {
      mode: 'atomic',
      operations: [5, 1].map((units) => ({ op: 'issue', itemID, wid: 1, units, reasonCode: 0 })),
    });
    expect(body.summary).toMatchObject({ applied: 2 });
    expect((await all('stock', 'low')).map(({ type, available }) => ({ type, available }))).toEqual([
      { type: 'stock' },
      { type: 'stock' },
      { type: 'low', available: 4 },
    ]);
    expect(await other('stock', 'low')).toEqual([]);
    // One transaction of the database that goes below and back is never below.
    const back = [
      { op: 'receive', itemID, wid: 1, units: 6, reasonCode: 0 },
      { op: 'issue', itemID, wid: 1, units: 3, reasonCode: 0 },
    ];
    await client.post('/Inventory/Batch', { mode: 'atomic', operations: back });
    expect(await all('low')).toEqual([]);
  });

  test('behind a hold of the command line', async ({ stock, client }) => {
    const recNo = await stock.addLot(10);
    await set(stock, 8);
    const told = await follow(client);
    await stock.hold(recNo);
    expect((await told('hold', 'low')).map(({ type, low }) => [type, low])).toEqual([
      ['hold', undefined],
      ['low', true],
    ]);
    await releaseLot(service.sql, recNo);
    expect((await told('hold', 'low')).map(({ type, low }) => [type, low])).toEqual([
      ['hold', undefined],
      ['low', false],
    ]);
  });

  test('a level that is deleted is low no longer, and the audit finds what is listed wrongly', async ({
    stock,
  }) => {
    await set(stock, 8);
    const partNo = await partNoOf(stock);
    const lowGates = async () =>
      (await findImbalances(service.sql)).filter(({ check }) => check.startsWith('low gates'));
    const [listed] = await service.sql`delete from low_level where part_no = ${partNo} returning wid`;
    expect(listed).toEqual({ wid: 1 });
    expect(await lowGates()).toMatchObject([
      { place: { part_no: partNo, wid: 1 }, expected: '1', found: '0' },
    ]);
    await service.sql`insert into low_level (wid, part_no) values (1, ${partNo})`;
    expect(await lowGates()).toEqual([]);
    const undone = new Error('undone');
    const deleting = service.sql.begin(async (tx) => {
      await tx`delete from stock_level where part_no = ${partNo}`;
      expect(await tx`select from low_level where part_no = ${partNo}`).toHaveLength(0);
      throw undone;
    });
    await expect(deleting).rejects.toBe(undone);
  });

  test('while the level is locked: 503 for the call, and an import that breaks off leaves other levels free', async ({
    stock,
    client,
  }) => {
    await stock.addLot(10);
    const partNo = await partNoOf(stock);
    const other = await service.item();
    await client.post('/Inventory/Receive', { itemID: other, units: 1, wid: 1, reasonCode: 0 });
    const told = await follow(client);
    const letGo = await holdOpen(
      service.sql,
      (own) => own`select from stock_level where part_no = ${partNo} and wid = 1 for no key update`,
    );
    // The client of the tests would ask again.
    const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
    const asked = { method: 'PUT', headers, body: '{"minimum":5}' };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => fetch(`${service.baseUrl}${list}/1/${partNo}`, asked)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    const given = [stock.itemID, other].map((shortId, index) => ({
      ...{ line: index + 2, shortId, wid: 1, minimum: '5' },
    }));
    const importing = importMinimums(service.sql, given, { take: 'all', report: () => {} });
    importing.catch(() => {});
    // Nobody who follows waits for it, and nothing of the other item does.
    for (let receipts = 0; receipts < 3; receipts++) {
      await client.post('/Inventory/Receive', { itemID: other, units: 1, wid: 1, reasonCode: 0 });
      expect(await told('stock')).not.toEqual([]);
    }
    await expect(importing).rejects.toThrow(/^line 2: another transaction has locked this stock/);
    await letGo();
    expect(await levelOf(stock)).toMatchObject({ minimum: null });
    expect(await importMinimums(service.sql, given, { take: 'all', report: () => {} })).toMatchObject({
      ...{ changed: 2, unchanged: 0, refused: [] },
    });
    await set(stock, 3);
  });

  test('a dry run tells nothing', async ({ stock, client }) => {
    await stock.addLot(10);
    await set(stock, 8);
    const told = await follow(client);
    await stock.done('Issue', { units: 5, dryRun: true });
    expect(await told('low')).toEqual([]);
    expect(await levelOf(stock, '/1', '&belowMinimum=true')).toBeUndefined();
  });

  test('whatever is done, the last word on each gate is what the list says', async ({ stock, client }) => {
    const told = await follow(client);
    const partNo = await partNoOf(stock);
    const lowNow = new Set<number>();
    const quantity = fc
      .integer({ min: 1, max: 8_000_000 })
      .map((millionths) => formatQuantity(BigInt(millionths)));
    const step = fc.record({
      what: fc.constantFrom('receive', 'issue', 'move', 'count', 'minimum', 'minimum', 'none', 'commit'),
      wid: fc.integer({ min: 1, max: 2 }),
      units: quantity.map(Number),
    });
    type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
    const act: Record<string, (asked: Step) => Promise<unknown>> = {
      receive: ({ units, wid }) => stock.call('Receive', { units, wid }),
      issue: ({ units, wid }) => stock.call('Issue', { units, wid }),
      move: ({ units, wid }) => stock.call('Move', { units, wid, shipToWid: 3 - wid }),
      count: ({ units, wid }) => stock.call('Count', { counted: units, wid, everywhere: true }),
      minimum: ({ units, wid }) => set(stock, units, wid),
      none: ({ wid }) => set(stock, null, wid),
      commit: ({ units, wid }) =>
        setOrderQuantities(service.sql, { shortId: stock.itemID, wid }, { committed: String(units) }),
    };
    let words = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
        for (const asked of steps) await act[asked.what]!(asked);
        for (const { wID, low, minimum, available } of await told('low')) {
          words += 1;
          expect(lowNow.has(wID)).toBe(!low);
          expect(low).toBe(minimum !== null && available < minimum);
          if (low) lowNow.add(wID);
          else lowNow.delete(wID);
        }
        for (const wid of [1, 2]) {
          const is = await levelOf(stock, `/${wid}`);
          const isLow =
            (is?.minimum ?? null) !== null &&
            parseQuantity(String(is.available)) < parseQuantity(String(is.minimum));
          expect(lowNow.has(wid)).toBe(isLow);
          for (const asked of [true, false]) {
            const listed = (await client.get(`${list}/${wid}?partNo=${partNo}&belowMinimum=${asked}`)).body;
            expect(listed.totalCount).toBe(is !== undefined && isLow === asked ? 1 : 0);
          }
        }
      }),
      { numRuns: 60 },
    );
    expect(words).toBeGreaterThan(10);
    expect(await findWrongLows(service.sql)).toEqual([]);
  });
});

test('belowMinimum: items that are low in one of the warehouses, with figures over all of them', async ({
  stock,
  client,
}) => {
  await stock.addLot(10);
  await stock.addLot(1, { wid: 2 });
  await set(stock, 5);
  await set(stock, 2, 2);
  expect(await levelOf(stock, '/1', '&belowMinimum=true')).toBeUndefined();
  expect(await levelOf(stock, '/2', '&belowMinimum=true')).toMatchObject({ available: 1, minimum: 2 });
  expect(await levelOf(stock, '', '&belowMinimum=true')).toMatchObject({ available: 11, minimum: 7 });
  expect(await levelOf(stock, '', '&belowMinimum=false')).toBeUndefined();
  // Without naming the item, in pages, in any order, and since a time.
  const partNo = await partNoOf(stock);
  const isListed = async (query: string, place = '') => {
    const { status, body, text } = await client.get(`${list}${place}?pageSize=250&${query}`);
    expect(status, text).toBe(200);
    return body.value.some((level: { partNo: number }) => level.partNo === partNo);
  };
  for (const more of [
    '',
    '&sort=available',
    '&sort=partNo&direction=desc',
    '&modifiedSince=2020-01-01',
    '&view=full',
  ]) {
    expect(await isListed(`belowMinimum=true${more}`)).toBe(true);
    expect(await isListed(`belowMinimum=true${more}`, '/1')).toBe(false);
    expect(await isListed(`belowMinimum=false${more}`, '/1')).toBe(true);
  }
  const other = await service.client({ warehouses: [1] });
  expect((await other.get(`${list}?itemID=${stock.itemID}&belowMinimum=true`)).body.totalCount).toBe(0);
});

describe('refused', () => {
  const wrong = {
    'must be a number with at most 6 digits after the point.': ['5', true, [5]],
    'must not be negative.': [-0.000001, -5],
    'must be less than 1000000000000000.': [1e15, 2e15],
  };

  test('400: each wrong minimum, and nothing is set', async ({ stock }) => {
    await set(stock, 5);
    for (const [message, values] of Object.entries(wrong)) {
      for (const minimum of values)
        expectAnswer(await put(stock, minimum), 400, invalid({ minimum: message }));
    }
    const partNo = await partNoOf(stock);
    expectAnswer(
      await stock.client.put(`${list}/1/${partNo}`, {}),
      400,
      invalid({ minimum: 'is required.' }),
    );
    expect(await levelOf(stock)).toMatchObject({ minimum: 5 });
  });

  test('404: no such item, or no number; 403: warehouse out of scope or unknown, no right', async ({
    stock,
    client,
  }) => {
    const partNo = await partNoOf(stock);
    const noItem = errorObject(404, 'not_found', 'There is no such item.');
    expectAnswer(await client.put(`${list}/1/2147483647`, { minimum: 1 }), 404, noItem);
    expect((await client.put(`${list}/1/${stock.itemID}`, { minimum: 1 })).status).toBe(404);
    expectAnswer(await client.put(`${list}/77/${partNo}`, { minimum: 1 }), 403, forbidden.scope);
    const reader = await service.client({ readOnly: true });
    expectAnswer(await reader.put(`${list}/1/${partNo}`, { minimum: 1 }), 403, forbidden.readOnly);
    const without = await service.client({ permissions: [11, 15, 88, 95] });
    expectAnswer(await without.put(`${list}/1/${partNo}`, { minimum: 1 }), 403, forbidden.permission);
  });
});
