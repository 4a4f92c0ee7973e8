import { messages } from '@inventory/api/http/errors';
import { holdLot } from '@inventory/db/operator/holds';
import { describe, expect, test } from 'vitest';
import { errorObject, expectAnswer, validationError } from '../harness/contract/answers.ts';
import { createApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();

/** Everything a call could leave: rows, numbers and keys. */
async function everything() {
  const [row] = await service.sql`
    select (select count(*) from stock_transaction) as transactions, (select count(*) from stock_entry) as lines,
      (select count(*) from lot) as lots, (select count(*) from stock_level) as levels,
      (select count(*) from idempotency_key) as keys, (select sum(in_stock)::text from stock_level) as units,
      (select last_value from stock_transaction_no_seq) as transaction_no, (select last_value from lot_rec_no_seq) as rec_no`;
  return { ...row };
}

/** Runs a call as a dry run and then for real: the answers must be equal except for the drawn numbers. */
async function tryAndDo(path: string, body: Record<string, unknown>) {
  const client = await service.client();
  const before = await everything();
  const key = { 'Idempotency-Key': uniqueName('dry') };
  const tried = await client.post(`/Inventory/${path}`, { ...body, dryRun: true }, key);
  expect(await everything()).toEqual(before);
  const real = await client.post(`/Inventory/${path}`, { ...body, dryRun: false }, key);
  expect(real.headers.get('Idempotent-Replayed')).toBeNull();
  expect(tried.status, tried.text).toBe(real.status);
  return { tried: tried.body, real: real.body };
}

describe('dryRun: true', () => {
  test.each([
    ['Move', { units: 1, wid: 1, toSpot: 'X' }],
    ['Issue', { units: 1, wid: 1, reasonCode: 1 }],
    ['Count', { counted: 1, wid: 1, reasonCode: 1, everywhere: true }],
  ])('400: %s with an Idempotency-Key that is none', async (path, body) => {
    const client = await service.client();
    const itemID = await service.item();
    const headers = { 'Idempotency-Key': 'a b' };
    const answer = await client.post(`/Inventory/${path}`, { itemID, ...body, dryRun: true }, headers);
    expect(answer.status, answer.text).toBe(400);
  });

  test('200: the answer of an issue, with the lots it would skip and why; nothing is stored, no key used, no number drawn', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const other = await receiveLot(client, itemID, 3, { spot: 'B' });
    const expired = await receiveLot(client, itemID, 3, { spot: 'A', expires: '2020-01-01' });
    const held = await receiveLot(client, itemID, 3, { spot: 'A' });
    const first = await receiveLot(client, itemID, 2, { spot: 'A' });
    const second = await receiveLot(client, itemID, 2, { spot: 'A' });
    await holdLot(service.sql, { recNo: held, reason: 'inspection' });
    const { tried, real } = await tryAndDo('Issue', { itemID, units: 3, wid: 1, reasonCode: 1, spot: 'A' });
    const { skipped, ...answer } = tried;
    expect(answer).toEqual({ ...real, transactionNo: null, dryRun: true });
    expect(answer.lots.map(({ recNo }: { recNo: number }) => recNo)).toEqual([first, second]);
    expect(skipped.sort((a: { recNo: number }, b: { recNo: number }) => a.recNo - b.recNo)).toEqual([
      { recNo: other, reason: 'filter' },
      { recNo: expired, reason: 'expired' },
      { recNo: held, reason: 'onHold' },
    ]);
  });

  test('200: a lot without a tag or second serial is skipped by that filter, held or not', async () => {
    const client = await service.client();
    for (const [field, value] of [
      ['rfidTag', uniqueName('tag')],
      ['serial2', 'S-2'],
    ] as const) {
      const itemID = await service.item();
      const plain = await receiveLot(client, itemID, 3);
      const held = await receiveLot(client, itemID, 3);
      await holdLot(service.sql, { recNo: held, reason: 'inspection' });
      await receiveLot(client, itemID, 1, { [field]: value });
      const asked = { itemID, units: 1, wid: 1, reasonCode: 1, [field]: value, dryRun: true };
      const { body } = await client.post('/Inventory/Issue', asked);
      expect(body.skipped).toEqual([
        { recNo: plain, reason: 'filter' },
        { recNo: held, reason: 'filter' },
      ]);
    }
  });

  test('200: a move that splits a lot, to a warehouse that never had the item', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const recNo = await receiveLot(client, itemID, 3);
    const { tried, real } = await tryAndDo('Move', { itemID, units: 2, wid: 1, shipToWid: 2, toSpot: 'B' });
    expect(tried).toEqual({
      ...real,
      ...{ recNo: null, transactionNo: null, dryRun: true, skipped: [] },
      lots: [{ ...real.lots[0], recNo: null, fromRecNo: recNo }],
    });
  });

  test('200: counts and reversals', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 3);
    const more = await tryAndDo('Count', { itemID, counted: 5, wid: 1, reasonCode: 1, everywhere: true });
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

  test('409 and 400: the refusal of the real call', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const recno = await receiveLot(client, itemID, 3);
    const little = await tryAndDo('Issue', { itemID, units: 9, wid: 1, reasonCode: 1 });
    expect(little.tried).toEqual(little.real);
    const wrong = await tryAndDo('Move', { itemID, units: 1, wid: 2, toSpot: 'A', recno });
    expect(wrong.tried).toEqual(wrong.real);
    const unknown = await tryAndDo('Count', {
      itemID: 'unknown',
      counted: 9,
      wid: 1,
      reasonCode: 1,
      everywhere: true,
    });
    expect(unknown.tried).toEqual(unknown.real);
  });

  test('400: a receipt, which has nothing to try out', async () => {
    const client = await service.client();
    const body = { itemID: await service.item(), units: 1, wid: 1, reasonCode: 1 };
    const before = await everything();
    const tried = await client.post('/Inventory/Receive', { ...body, dryRun: true });
    const dryRun = ['dryRun must not be true: a receipt alone is not tried out.'];
    expectAnswer(tried, 400, validationError({ dryRun }));
    expect(await everything()).toEqual(before);
    expect((await client.post('/Inventory/Receive', { ...body, dryRun: false })).status).toBe(201);
  });

  test('200 for an atomic batch: each operation is judged against what the one before would leave', async () => {
    const itemID = await service.item();
    const issue = (units: number) => ({ op: 'issue', itemID, units, wid: 1, reasonCode: 1 });
    const operations = [
      { op: 'receive', itemID, units: 5, wid: 1, reasonCode: 1, key: uniqueName('k') },
      { op: 'move', itemID, units: 2, wid: 1, toSpot: 'B' },
      issue(4),
    ];
    const { tried, real } = await tryAndDo('Batch', { mode: 'atomic', operations });
    expect(tried).toMatchObject({ mode: 'atomic', dryRun: true, summary: real.summary });
    expect(tried.results[2].body).toMatchObject({
      ...{ recNo: null, transactionNo: null, units: 4, dryRun: true },
      lots: [
        { recNo: null, units: 3, remaining: 0 },
        { recNo: null, units: 1, remaining: 1 },
      ],
    });
    const refused = await tryAndDo('Batch', { mode: 'atomic', operations: [issue(1), issue(1)] });
    expect(refused.tried).toEqual(refused.real);
  });

  test('503 "busy": more dry runs than there is time for, alone or together, with Postgres up', async () => {
    const { clientId, token } = await service.client({ rateLimit: 1000 });
    // It asks once: this is about the first answers.
    const hasty = createApiClient(service.baseUrls[0]!, clientId, token, { isPatient: false });
    const issue = { itemID: await service.item(), units: 1, wid: 1, reasonCode: 1 };
    const answers = await service.sql.begin(async (tx) => {
      await tx`lock table item in access exclusive mode`;
      return Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          index % 2 === 0
            ? hasty.post('/Inventory/Issue', { ...issue, dryRun: true })
            : hasty.post('/Inventory/Batch', {
                ...{ mode: 'atomic', dryRun: true },
                operations: [{ op: 'issue', ...issue }],
              }),
        ),
      );
    });
    for (const { status, body, headers } of answers) {
      expect({ status, body }).toEqual({
        status: 503,
        body: errorObject(503, 'internal_error', messages.unavailable),
      });
      expect(headers.get('Retry-After')).toBe('5');
    }
  });

  test('400: a dry run of a batch in mode each', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const operations = [{ op: 'receive', itemID, units: 5, wid: 1, reasonCode: 1 }];
    expectAnswer(
      await client.post('/Inventory/Batch', { mode: 'each', dryRun: true, operations }),
      400,
      validationError({ dryRun: ['dryRun is for mode atomic.'] }),
    );
  });
});
