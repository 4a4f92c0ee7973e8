import { setTimeout as pause } from 'node:timers/promises';
import { formatQuantity, parseQuantity } from '@inventory/domain/quantity';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { expectAnswer, forbidden, validationError } from '../harness/contract/answers.ts';
import { type ItemStock, useStock } from '../harness/contract/item-stock.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { holdOpen } from '../harness/network/held-open.ts';
import type { ApiClient } from '../harness/service/api-client.ts';

const { service, test } = useStock();

const list = '/Inventory/StockAt';

async function stockAt(client: ApiClient, time: Date | string, query = ''): Promise<{ inStock: number }[]> {
  const text = typeof time === 'string' ? time : time.toISOString();
  const { status, body, text: said } = await client.get(`${list}?time=${text}${query}`);
  expect(status, said).toBe(200);
  return body.value;
}

type Line = { at: number; wID: number; delta: number };

/** Every line of the item's ledger, as the history tells it. */
async function linesOf({ client, itemID }: ItemStock): Promise<Line[]> {
  const { body } = await client.get(`/Inventory/Transactions?itemID=${itemID}&pageSize=250`);
  expect(body.hasMore).toBe(false);
  return body.value.flatMap(({ at, lines }: { at: string; lines: Line[] }) =>
    lines.map(({ wID, delta }) => ({ at: Date.parse(at), wID, delta })),
  );
}

/** What the ledger says was there at the end of a moment. */
function replayed(lines: readonly Line[], time: number, wids: readonly number[]): number {
  const units = lines
    .filter(({ at, wID }) => at <= time && wids.includes(wID))
    .reduce((sum, { delta }) => sum + parseQuantity(String(delta)), 0n);
  return Number(formatQuantity(units));
}

describe('200: the stock at the end of a moment', () => {
  test('is what the ledger says, for every moment, warehouse and order of transactions', async ({
    stock,
    client,
  }) => {
    const quantity = fc
      .integer({ min: 1, max: 9_000_000 })
      .map((units) => Number(formatQuantity(BigInt(units))));
    const step = fc.record({
      what: fc.constantFrom('receive', 'receive', 'issue', 'move', 'spot', 'count', 'hold', 'undo', 'batch'),
      wid: fc.integer({ min: 1, max: 2 }),
      units: quantity,
    });
    type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
    let last: number | null = null;
    const note = (answer: { status: number; body: { transactionNo: number } }) => {
      if (answer.status < 300) last = answer.body.transactionNo;
    };
    const { itemID } = stock;
    const act: Record<string, (asked: Step) => Promise<unknown>> = {
      receive: async ({ units, wid }) => note(await stock.call('Receive', { units, wid })),
      issue: async ({ units, wid }) => note(await stock.call('Issue', { units, wid })),
      move: async ({ units, wid }) => note(await stock.call('Move', { units, wid, shipToWid: 3 - wid })),
      spot: ({ units, wid }) => stock.call('Move', { units, wid, toSpot: 'B' }),
      count: ({ units, wid }) => stock.call('Count', { counted: units, wid, everywhere: true }),
      hold: async ({ wid }) => {
        const [lot] = await stock.lots(`&inStock=true&hold=false`);
        if (lot !== undefined && lot.wID === wid) await stock.done('Hold', { recno: lot.recNo, hold: true });
      },
      undo: async () => last !== null && stock.call('Reverse', { transactionNo: last }),
      // Several in one transaction of the database, and often in one millisecond.
      batch: ({ units, wid }) =>
        client.post('/Inventory/Batch', {
          mode: 'atomic',
          operations: [
            { op: 'receive', itemID, wid, units, reasonCode: 0 },
            { op: 'move', itemID, wid, units, shipToWid: 3 - wid },
            { op: 'issue', itemID, wid: 3 - wid, units: 0.000001, reasonCode: 0 },
          ],
        }),
    };
    let moments = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), async (steps) => {
        for (const asked of steps) await act[asked.what]!(asked);
        const lines = await linesOf(stock);
        const times = [...new Set(lines.map(({ at }) => at))].sort((one, other) => one - other).slice(-8);
        for (const time of [...times, ...times.map((each) => each - 1)]) {
          for (const [query, wids] of [
            ['', [1, 2]],
            ['&wid=1', [1]],
            ['&wid=2', [2]],
          ] as const) {
            const [found] = await stockAt(client, new Date(time), `&itemID=${itemID}${query}`);
            expect(found?.inStock ?? 0, `${new Date(time).toISOString()}${query}`).toBe(
              replayed(lines, time, wids),
            );
            moments += 1;
          }
        }
      }),
      { numRuns: 6 },
    );
    expect(moments).toBeGreaterThan(60);
  });

  test('paged by part number, with names, for some items or all', async ({ stock, client }) => {
    await client.put('/Item', { shortID: stock.itemID, description: 'a washer' });
    const { lot } = await stock.done('Receive', { units: 4.5 });
    const partNo = lot.partNo;
    const at = new Date(lot.received);
    await stock.done('Issue', { units: 1 });
    const record = { partNo, shortID: stock.itemID, description: 'a washer', inStock: 4.5 };
    // Notes are a little later than the lot was received.
    const time = new Date(
      (await linesOf(stock)).reduce((first, { at: each }) => Math.min(first, each), Infinity),
    );
    expect(time.getTime()).toBeGreaterThanOrEqual(at.getTime());
    for (const query of [
      `itemID=${stock.itemID}`,
      `partNo=${partNo}`,
      `partNos=${partNo},2147483647`,
      'pageSize=250',
    ])
      expect(await stockAt(client, time, `&${query}`)).toContainEqual(record);
    // Before: it has a level now, and nothing then.
    expect(await stockAt(client, '2001-01-01', `&partNo=${partNo}`)).toEqual([{ ...record, inStock: 0 }]);
    const { body } = await client.get(`${list}?time=${time.toISOString()}&pageSize=1&page=2`);
    expect(body).toMatchObject({ page: 2, pageSize: 1, totalCount: expect.any(Number), value: [{}] });
    // A date: through its end.
    const [yesterday, today] = [1, 0].map((days) =>
      new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10),
    );
    expect(await stockAt(client, yesterday!, `&partNo=${partNo}`)).toEqual([{ ...record, inStock: 0 }]);
    const refused = await client.get(`${list}?time=${today}`);
    expectAnswer(refused, 400, validationError({ time: ['time must not be in the future.'] }));
    const other = await service.client({ warehouses: [2] });
    expect(await stockAt(other, time, `&partNo=${partNo}`)).toEqual([]);
  });
});

test('a moment is not answered before every change up to it has committed', async ({ stock, client }) => {
  await stock.addLot(10);
  const { sql } = service;
  const query = `&itemID=${stock.itemID}`;
  // A change of that moment stays open.
  const letGo = await holdOpen(
    sql,
    (own) => own`select set_config('idle_in_transaction_session_timeout', '60s', true), change_moment()`,
  );
  const time = new Date();
  // The client of the tests would ask again.
  const headers = { authorization: `Bearer ${client.token}` };
  const refused = await fetch(`${service.baseUrl}${list}?time=${time.toISOString()}${query}`, { headers });
  expect(refused.status, await refused.text()).toBe(503);
  const asked = meanwhile(client.get(`${list}?time=${time.toISOString()}${query}`));
  expect(await Promise.race([asked, pause(1000, 'waits')])).toBe('waits');
  await letGo();
  expect((await asked).body.value).toMatchObject([{ inStock: 10 }]);
});

describe('refused', () => {
  test('400: no moment, none that can be read, or one in the future; 403: out of scope', async ({
    client,
  }) => {
    const message = 'time must be an ISO 8601 date or datetime.';
    expectAnswer(await client.get(`${list}?time=soon`), 400, validationError({ time: [message] }));
    expectAnswer(await client.get(list), 400, validationError({ time: ['time is required.'] }));
    const future = await client.get(`${list}?time=2999-01-01`);
    expectAnswer(future, 400, validationError({ time: ['time must not be in the future.'] }));
    const far = await client.get(`${list}?time=2026-01-01&wid=77`);
    expectAnswer(far, 403, forbidden.scope);
  });
});
