import { setTimeout as pause } from 'node:timers/promises';
import { formatQuantity, parseQuantity } from '@inventory/domain/quantity';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { expectAnswer, forbidden, invalid, validationError } from '../harness/contract/answers.ts';
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

type Line = {
  at: number;
  kind: string;
  isReversal: boolean;
  wID: number;
  delta: number;
  transactionNo: number;
};

/** Every line of the item's ledger, as the history tells it; a reversal under the kind of what it undid. */
async function linesOf({ client, itemID }: ItemStock): Promise<Line[]> {
  const { body } = await client.get(`/Inventory/Transactions?itemID=${itemID}&pageSize=250`);
  expect(body.hasMore).toBe(false);
  // biome-ignore lint/suspicious/noExplicitAny: transactions have their own names.
  const transactions: any[] = body.value;
  const kinds = new Map(transactions.map(({ transactionNo, kind }) => [transactionNo, kind]));
  return transactions.flatMap(({ at, kind, reverses, transactionNo, lines }) =>
    lines.map(({ wID, delta }: Line) => ({
      ...{ at: Date.parse(at), kind: kinds.get(reverses) ?? kind, wID, delta, transactionNo },
      isReversal: reverses !== null,
    })),
  );
}

/** What the ledger says was there at the end of a moment. */
function replayed(lines: readonly Line[], time: number, wids: readonly number[]): number {
  const units = lines
    .filter(({ at, wID }) => at <= time && wids.includes(wID))
    .reduce((sum, { delta }) => sum + parseQuantity(String(delta)), 0n);
  return Number(formatQuantity(units));
}

const quantity = fc.integer({ min: 1, max: 9_000_000 }).map((units) => Number(formatQuantity(BigInt(units))));
const step = fc.record({
  what: fc.constantFrom('receive', 'receive', 'issue', 'move', 'spot', 'count', 'hold', 'undo', 'batch'),
  wid: fc.integer({ min: 1, max: 2 }),
  units: quantity,
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Work on an item, by its name in a step. */
function actsOf(stock: ItemStock): Record<string, (asked: Step) => Promise<unknown>> {
  const { itemID, client } = stock;
  let last: number | null = null;
  const note = (answer: { status: number; body: { transactionNo: number } }) => {
    if (answer.status < 300) last = answer.body.transactionNo;
  };
  return {
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
}

const unitsOf = (some: readonly number[]) =>
  Number(formatQuantity(some.reduce((sum, each) => sum + parseQuantity(String(each)), 0n)));

/** What the ledger says of a day. */
function daySums(lines: readonly Line[], day: string, wids: readonly number[]) {
  const own = lines.filter(({ at, wID }) => wids.includes(wID) && new Date(at).toISOString().startsWith(day));
  const nets = new Map<number, { kind: string; isReversal: boolean; units: number[] }>();
  for (const { transactionNo, kind, isReversal, delta } of own)
    nets.set(transactionNo, { kind, isReversal, units: [...(nets.get(transactionNo)?.units ?? []), delta] });
  /** `sign`: of what was done first, and a reversal took back. */
  const sumOf = (of: string, sign: 1 | -1 | 0) =>
    unitsOf(
      [...nets.values()]
        .filter(({ kind }) => kind === of)
        .map(({ isReversal, units }) => ({ isReversal, net: unitsOf(units) }))
        .filter(({ isReversal, net }) => sign === 0 || Math.sign(isReversal ? -net : net) === sign)
        .map(({ net }) => net),
    );
  return {
    ...{ received: sumOf('receive', 0), issued: 0 - sumOf('issue', 0) },
    ...{ movedIn: sumOf('move', 1), movedOut: 0 - sumOf('move', -1), counted: sumOf('count', 0) },
    inStock: replayed(lines, Date.parse(`${day}T23:59:59.999Z`), wids),
  };
}

describe('200: the stock at the end of a moment', () => {
  test('is what the ledger says, for every moment, warehouse and order of transactions', async ({
    stock,
    client,
  }) => {
    const act = actsOf(stock);
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
            const [found] = await stockAt(client, new Date(time), `&itemID=${stock.itemID}${query}`);
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

  test('one that the ledger had, also in the middle of a list of operations', async ({ stock, client }) => {
    const { itemID } = stock;
    const operations = Array.from({ length: 64 }, (_, place) => ({
      ...{ op: place % 2 === 0 ? 'receive' : 'issue', itemID, wid: 1, units: 5, reasonCode: 0 },
    }));
    const { body } = await client.post('/Inventory/Batch', { mode: 'each', operations });
    expect(body.results.every(({ status }: { status: string }) => status === 'applied')).toBe(true);
    const lines = (await linesOf(stock)).sort((one, other) => one.transactionNo - other.transactionNo);
    const times = lines.map(({ at }) => at);
    expect(times).toHaveLength(64);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    for (const time of new Set(times)) {
      const [found] = await stockAt(client, new Date(time), `&itemID=${itemID}`);
      expect([0, 5]).toContain(found!.inStock);
    }
  });

  test('weeks back, at the end of each day, and what happened on it', async ({ stock, client }) => {
    const act = actsOf(stock);
    const [first] = fc.sample(fc.array(step, { minLength: 90, maxLength: 90 }), { numRuns: 1, seed: 20 });
    await stock.addLot(30);
    for (const asked of first!) await act[asked.what]!(asked);
    // As if it had been done over some weeks, in the same order.
    const partNo = (await client.get(`/Item?key=${stock.itemID}&type=id`)).body.partNo as number;
    await service.sql.begin(async (tx) => {
      await tx`alter table stock_transaction disable trigger stock_transaction_append_only`;
      await tx`
        update stock_transaction
        set at = at - (last.no - transaction_no) * interval '157 minutes' - interval '1 day'
        from (select max(transaction_no) as no from stock_transaction where part_no = ${partNo}) as last
        where part_no = ${partNo}`;
      await tx`alter table stock_transaction enable trigger stock_transaction_append_only`;
    });
    const lines = await linesOf(stock);
    const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
    const days = [...new Set(lines.map(({ at }) => dayOf(at)))].sort();
    expect(days.length).toBeGreaterThan(7);
    const [from, to] = [days[0]!, days.at(-1)!];
    for (const [query, wids] of [
      ['', [1, 2]],
      ['&wid=1', [1]],
      ['&wid=2', [2]],
    ] as [string, number[]][]) {
      const { body, text } = await client.get(
        `/Inventory/StockDays?partNo=${partNo}&from=${from}&to=${to}${query}`,
      );
      expect(
        body.value?.map(({ day }: { day: string }) => day),
        text,
      ).toEqual(expect.arrayContaining(days));
      let before = 0;
      for (const day of body.value) {
        const end = Date.parse(`${day.day}T23:59:59.999Z`);
        expect(day, `${day.day}${query}`).toEqual({ day: day.day, ...daySums(lines, day.day, wids) });
        expect(day.inStock).toBe(replayed(lines, end, wids));
        const [found] = await stockAt(client, day.day, `&partNo=${partNo}${query}`);
        expect(found!.inStock, day.day).toBe(day.inStock);
        const { received, movedIn, counted, issued, movedOut } = day;
        expect(unitsOf([before, received, movedIn, counted, -issued, -movedOut])).toBe(day.inStock);
        before = day.inStock;
      }
    }
    const all = (await client.get(`/Inventory/StockDays?partNo=${partNo}&from=${from}&to=${to}`)).body.value;
    for (const field of ['received', 'issued', 'counted'])
      expect(
        all.some((each: Record<string, number>) => each[field] !== 0),
        field,
      ).toBe(true);
    const firstDay = await client.get(`/Inventory/StockDays?partNo=${partNo}&from=0001-01-01&to=0001-01-01`);
    expect(firstDay.body.value).toMatchObject([{ day: '0001-01-01', inStock: 0 }]);
    // Before and after.
    const later = await client.get(`/Inventory/StockDays?partNo=${partNo}&from=2020-12-31&to=2021-01-01`);
    expect(later.body.value).toMatchObject([{ day: '2020-12-31', inStock: 0 }, { day: '2021-01-01' }]);
    const today = dayOf(Date.now());
    const now = await client.get(`/Inventory/StockDays?partNo=${partNo}&from=${today}&to=${today}`);
    expect(now.body.value).toMatchObject([{ day: today, received: 0, inStock: all.at(-1).inStock }]);
    // Days that have not begun are left out.
    const ahead = dayOf(Date.now() + 3 * 86_400_000);
    const query = `/Inventory/StockDays?partNo=${partNo}&from=${today}&to=${ahead}`;
    expect((await client.get(query)).body).toEqual(now.body);
    const future = await client.get(`/Inventory/StockDays?partNo=${partNo}&from=2999-01-01&to=2999-01-02`);
    expect(future.body).toEqual({ value: [] });
  });

  test('paged by part number, with names, for some items or all', async ({ stock, client }) => {
    await client.put('/Item', { shortID: stock.itemID, description: 'a washer' });
    const { lot } = await stock.done('Receive', { units: 4.5 });
    const partNo = lot.partNo;
    const time = new Date(lot.received);
    // In a later millisecond.
    await pause(5);
    await stock.done('Issue', { units: 1 });
    const record = { partNo, shortID: stock.itemID, description: 'a washer', inStock: 4.5 };
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
    // A time without a fraction: through the end of that second.
    const second = `${new Date().toISOString().slice(0, 19)}Z`;
    expect(await stockAt(client, second, `&partNo=${partNo}`)).toHaveLength(1);
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
  test('days: 400 for none, wrong or too many; 404 for no item; 403: out of scope', async ({ client }) => {
    const ask = (query: string) => client.get(`/Inventory/StockDays?${query}`);
    const days = 'from=2026-01-01&to=2026-01-31';
    expectAnswer(
      await ask(''),
      400,
      invalid({ partNo: 'is required.', from: 'is required.', to: 'is required.' }),
    );
    const date = 'must be a date, such as 2026-01-31.';
    for (const wrong of ['2026-02-30', '2026-01-31T00:00:00Z', 'x', ''])
      expectAnswer(await ask(`partNo=1&from=${wrong}&to=2026-03-01`), 400, invalid({ from: date }));
    expectAnswer(
      await ask('partNo=1&from=2026-01-02&to=2026-01-01'),
      400,
      invalid({ to: 'must not be before from.' }),
    );
    expectAnswer(
      await ask('partNo=1&from=2025-01-01&to=2026-01-02'),
      400,
      invalid({ to: 'must be within 366 days.' }),
    );
    const whole = await ask('partNo=1&from=2024-01-01&to=2024-12-31');
    expect(whole.body.value.length).toBe(366);
    expect((await ask(`partNo=2147483647&${days}`)).status).toBe(404);
    expectAnswer(await ask(`partNo=1&wid=77&${days}`), 403, forbidden.scope);
  });

  test('400: no moment, none that can be read, or one in the future; 403: out of scope', async ({
    client,
  }) => {
    const message = 'time must be an ISO 8601 date or datetime.';
    expectAnswer(await client.get(`${list}?time=soon`), 400, validationError({ time: [message] }));
    expectAnswer(await client.get(list), 400, validationError({ time: ['time is required.'] }));
    const future = await client.get(`${list}?time=2999-01-01`);
    expectAnswer(future, 400, validationError({ time: ['time must not be in the future.'] }));
    const wrong = await client.get(`${list}?time=2999-01-01&wid=77&page=0&partNo=x`);
    expectAnswer(
      wrong,
      400,
      invalid({
        time: 'must not be in the future.',
        page: 'must be from 1 to 999999999999999.',
        partNo: 'must be a plain integer.',
      }),
    );
    const far = await client.get(`${list}?time=2026-01-01&wid=77`);
    expectAnswer(far, 403, forbidden.scope);
  });
});
