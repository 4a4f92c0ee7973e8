import { messages } from '@inventory/api/http/errors';
import { describe, expect } from 'vitest';
import { errorObject, expectAnswer, invalid } from '../harness/contract/answers.ts';
import { type StockCall, useStock } from '../harness/contract/item-stock.ts';
import { createApiClient } from '../harness/service/api-client.ts';
import { uniqueName } from '../harness/service/service.ts';
import { issueOf, receiveOf } from '../harness/stock/operations.ts';

const { service, test: plain } = useStock();

/** Everything a call could leave: rows, numbers and keys. */
async function everything() {
  const [row] = await service.sql`
    select (select count(*) from stock_transaction) as transactions, (select count(*) from stock_entry) as lines,
      (select count(*) from lot) as lots, (select count(*) from stock_level) as levels,
      (select count(*) from idempotency_key) as keys, (select sum(in_stock)::text from stock_level) as units,
      (select last_value from stock_transaction_no_seq) as transaction_no, (select last_value from lot_rec_no_seq) as rec_no`;
  return { ...row };
}

/** Runs a call as a dry run, which leaves nothing, and then for real; returns both bodies. */
const test = plain.extend('tryAndDo', ({ client, itemID }) => {
  return async (call: StockCall | 'Batch', fields: object) => {
    const before = await everything();
    const key = { 'Idempotency-Key': uniqueName('dry') };
    const body =
      call === 'Batch' || call === 'Reverse' ? fields : { itemID, wid: 1, reasonCode: 1, ...fields };
    const send = (dryRun: boolean) => client.post(`/Inventory/${call}`, { ...body, dryRun }, key);
    const tried = await send(true);
    expect(await everything()).toEqual(before);
    const real = await send(false);
    expect(real.headers.get('Idempotent-Replayed')).toBeNull();
    expect(tried.status, tried.text).toBe(real.status);
    return { tried: tried.body, real: real.body };
  };
});

describe('dryRun: true', () => {
  test('200: the answer of an issue, and what it skips; nothing is stored', async ({ stock, tryAndDo }) => {
    const other = await stock.addLot(3, { spot: 'B' });
    const expired = await stock.addLot(3, { spot: 'A', expires: '2020-01-01' });
    const held = await stock.addLot(3, { spot: 'A' });
    const [first, second] = [await stock.addLot(2, { spot: 'A' }), await stock.addLot(2, { spot: 'A' })];
    await stock.hold(held);
    const { tried, real } = await tryAndDo('Issue', { units: 3, spot: 'A' });
    const { skipped, ...answer } = tried;
    expect(answer).toEqual({ ...real, transactionNo: null, dryRun: true });
    expect(answer.lots).toMatchObject([{ recNo: first }, { recNo: second }]);
    expect(skipped.sort((a: { recNo: number }, b: { recNo: number }) => a.recNo - b.recNo)).toEqual([
      { recNo: other, reason: 'filter' },
      { recNo: expired, reason: 'expired' },
      { recNo: held, reason: 'onHold' },
    ]);
  });

  test.for(['rfidTag', 'serial2'])(
    '200: a lot without %s is skipped by that filter, held or not',
    async (field, { stock }) => {
      const [plain, held] = [await stock.addLot(3), await stock.addLot(3)];
      await stock.hold(held);
      const mark = { [field]: uniqueName('mark') };
      await stock.addLot(1, mark);
      const { skipped } = await stock.done('Issue', { units: 1, ...mark, dryRun: true });
      expect(skipped).toEqual([plain, held].map((recNo) => ({ recNo, reason: 'filter' })));
    },
  );

  test('200: a move that splits a lot, to a warehouse new to the item', async ({ stock, tryAndDo }) => {
    const recNo = await stock.addLot(3);
    const { tried, real } = await tryAndDo('Move', { units: 2, shipToWid: 2, toSpot: 'B' });
    expect(tried).toEqual({
      ...real,
      ...{ recNo: null, transactionNo: null, dryRun: true, skipped: [] },
      lots: [{ ...real.lots[0], recNo: null, fromRecNo: recNo }],
    });
  });

  test('200: counts and reversals', async ({ stock, tryAndDo }) => {
    await stock.addLot(3);
    const more = await tryAndDo('Count', { counted: 5, everywhere: true });
    expect(more.tried).toEqual({
      ...more.real,
      ...{ recNo: null, transactionNo: null, dryRun: true },
      lots: [{ ...more.real.lots[0], recNo: null }],
    });
    const { transactionNo } = more.real;
    const undone = await tryAndDo('Reverse', { transactionNo });
    expect(undone.tried).toEqual({ ...undone.real, transactionNo: null, dryRun: true });
    const again = await tryAndDo('Reverse', { transactionNo });
    expect(again.tried).toEqual(again.real);
  });

  test('400: a receipt, which has nothing to try out', async ({ stock }) => {
    const before = await everything();
    const said = invalid({ dryRun: 'must not be true: a receipt alone is not tried out.' });
    expectAnswer(await stock.call('Receive', { units: 1, dryRun: true }), 400, said);
    expect(await everything()).toEqual(before);
    await stock.addLot(1, { dryRun: false });
  });

  test('200, 409: an atomic batch, judged as if each was applied', async ({ stock, tryAndDo }) => {
    const { itemID } = stock;
    const moved = { op: 'move', itemID, units: 2, wid: 1, toSpot: 'B' };
    const operations = [receiveOf(itemID, 5, { key: uniqueName('k') }), moved, issueOf(itemID, 4)];
    const { tried, real } = await tryAndDo('Batch', { mode: 'atomic', operations });
    expect(tried).toMatchObject({ mode: 'atomic', dryRun: true, summary: real.summary });
    const lots = [3, 1].map((units) => ({ recNo: null, units }));
    expect(tried.results[2].body).toMatchObject({ recNo: null, transactionNo: null, units: 4, lots });
    const twice = { mode: 'atomic', operations: [issueOf(itemID, 1), issueOf(itemID, 1)] };
    const refused = await tryAndDo('Batch', twice);
    expect(refused.tried).toEqual(refused.real);
  });

  test.for(['Issue', 'Move', 'Count', 'Batch'] as const)(
    'a key that was used: %s gets the stored answer; 409 with another body',
    async (call, { client, stock }) => {
      await stock.addLot(9);
      const { itemID } = stock;
      const bodyOf = (units: number) => {
        const own = { itemID, wid: 1, reasonCode: 1 };
        if (call === 'Batch') return { mode: 'atomic', operations: [issueOf(itemID, units)] };
        if (call === 'Count') return { ...own, counted: units, everywhere: true };
        return { ...own, units, ...(call === 'Move' && { toSpot: 'C' }) };
      };
      const key = { 'Idempotency-Key': uniqueName('used') };
      const real = await client.post(`/Inventory/${call}`, bodyOf(2), key);
      expect(real.status, real.text).toBe(200);
      const resent = await client.post(`/Inventory/${call}`, bodyOf(2), key);
      const before = await everything();
      const again = await client.post(`/Inventory/${call}`, { ...bodyOf(2), dryRun: true }, key);
      expect({ status: again.status, text: again.text }).toEqual({ status: 200, text: resent.text });
      expect(again.headers.get('Idempotent-Replayed')).toBe('true');
      const other = await client.post(`/Inventory/${call}`, { ...bodyOf(3), dryRun: true }, key);
      expect(other).toMatchObject({ status: 409, body: { reason: 'keyReused' } });
      expect(await everything()).toEqual(before);
    },
  );

  test('an atomic batch with keys that were used: the answer that the real call gets', async ({
    client,
    stock,
  }) => {
    await stock.addLot(9);
    const { itemID } = stock;
    const post = (operations: object[], dryRun = false) =>
      client.post('/Inventory/Batch', { mode: 'atomic', operations, dryRun });
    const [used, twin] = [uniqueName('used'), uniqueName('twin')].map((key) => issueOf(itemID, 2, { key }));
    expect((await post([used!, twin!])).status).toBe(200);
    const fresh = issueOf(itemID, 3, { key: uniqueName('fresh') });
    const cases: [operations: object[], status: number][] = [
      [[used!, twin!], 200],
      [[{ ...used!, units: 1 }, fresh], 409],
      [[used!, issueOf(itemID, 6)], 409],
      [[used!, issueOf(itemID, -1)], 409],
      [[{ ...used!, capturedAt: '2999-01-01T00:00:00Z' }, twin!], 200],
      [[used!, fresh, issueOf(itemID, 1)], 200],
    ];
    for (const [operations, status] of cases) {
      const before = await everything();
      const tried = await post(operations, true);
      expect(await everything()).toEqual(before);
      const real = await post(operations);
      expect([tried.status, real.status], tried.text).toEqual([status, status]);
      expect(tried.headers.get('Idempotent-Replayed')).toBe(real.headers.get('Idempotent-Replayed'));
      const without = ({ body, ...result }: { body?: object }) =>
        body === undefined ? result : { ...result, body: { ...body, transactionNo: null, dryRun: null } };
      const bodies = [tried, real].map(({ body }) => ({
        ...body,
        dryRun: null,
        results: body.results.map(without),
      }));
      expect(bodies[0]).toEqual(bodies[1]);
    }
  });

  test('503 "busy": more dry runs than there is time for, with Postgres up', async ({ itemID }) => {
    const { clientId, token } = await service.client({ rateLimit: 1000 });
    // It asks once: this is about the first answers.
    const hasty = createApiClient(service.baseUrls[0]!, clientId, token, { isPatient: false });
    const { op, ...issue } = issueOf(itemID, 1);
    const sends = [
      () => hasty.post('/Inventory/Issue', { ...issue, dryRun: true }),
      () => hasty.post('/Inventory/Batch', { mode: 'atomic', dryRun: true, operations: [{ op, ...issue }] }),
    ];
    const answers = await service.sql.begin(async (tx) => {
      await tx`lock table item in access exclusive mode`;
      return Promise.all(Array.from({ length: 16 }, (_, index) => sends[index % 2]!()));
    });
    for (const answer of answers) {
      expectAnswer(answer, 503, errorObject(503, 'internal_error', messages.unavailable));
      expect(answer.headers.get('Retry-After')).toBe('5');
    }
  });
});
