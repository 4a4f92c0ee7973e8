import { holdLot } from '@inventory/db/operator/holds';
import { describe, expect, test } from 'vitest';
import { conflictObject, expectAnswer, inChunks, validationError } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();

function count(client: ApiClient, itemID: string, counted: number, fields: object = {}) {
  const isPlaced = ['recno', 'spot', 'serial'].some((field) => field in fields);
  const place = isPlaced ? {} : { everywhere: true };
  return client.post('/Inventory/Count', { itemID, counted, wid: 1, reasonCode: 5, ...place, ...fields });
}

async function inStock(client: ApiClient, itemID: string) {
  const { body } = await client.get(`/Inventory/1?itemID=${itemID}&inStock=true&sort=recNo`);
  return body.value.map(({ recNo, units }: { recNo: number; units: number }) => [recNo, units]);
}

const hold = (recNo: number) => holdLot(service.sql, { recNo, reason: 'inspection' });

describe('POST /Inventory/Count', () => {
  test('200: fewer units are taken in the order of allocation, expired lots last', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const expired = await receiveLot(client, itemID, 4, { expires: '2020-01-01' });
    const plain = await receiveLot(client, itemID, 3);
    const soon = await receiveLot(client, itemID, 2, { expires: '2090-01-01' });
    const answer = await count(client, itemID, 3.5);
    expectAnswer(answer, 200, {
      recNo: soon,
      status: 'counted',
      transactionNo: expect.any(Number),
      dryRun: false,
      before: 9,
      counted: 3.5,
      difference: -5.5,
      lots: [
        { recNo: soon, units: -2, remaining: 0 },
        { recNo: plain, units: -3, remaining: 0 },
        { recNo: expired, units: -0.5, remaining: 3.5 },
      ],
    });
    expect(await inStock(client, itemID)).toEqual([[expired, 3.5]]);
  });

  test('200: more units become a new lot, at the spot and with the serial that were counted', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const there = await receiveLot(client, itemID, 2, { spot: 'A', serial: 'S' });
    await receiveLot(client, itemID, 7, { spot: 'A', serial: 'T' });
    await receiveLot(client, itemID, 7, { spot: 'B', serial: 'S' });
    const { body, status } = await count(client, itemID, 5, { spot: 'A', serial: 'S', remark: 'found' });
    expect(status).toBe(200);
    expect(body).toEqual({
      recNo: expect.any(Number),
      status: 'counted',
      transactionNo: expect.any(Number),
      dryRun: false,
      ...{ before: 2, counted: 5, difference: 3 },
      lots: [{ recNo: body.recNo, units: 3, remaining: 3 }],
    });
    expect(body.recNo).toBeGreaterThan(there);
    const lots = await client.get(`/Inventory/1?itemID=${itemID}&sort=recNo&direction=DESC&pageSize=1`);
    expect(lots.body.value).toMatchObject([
      { recNo: body.recNo, spot: 'A', serial: 'S', units: 3, remark: 'found', active: true },
    ]);
  });

  test('200: no difference is recorded, without a lot', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 2);
    const { status, body } = await count(client, itemID, 2, { expected: 2 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ recNo: null, before: 2, counted: 2, difference: 0, lots: [] });
    const [stored] = await service.sql`
      select kind, status, result::text, (select count(*) from stock_entry where transaction_no = ${body.transactionNo}) as lines
      from stock_transaction
      where transaction_no = ${body.transactionNo}`;
    expect(stored).toEqual({ kind: 'count', status: 'applied', result: JSON.stringify(body), lines: 0 });
  });

  test('200: nothing was there and nothing is found', async () => {
    const client = await service.client();
    const answer = await count(client, await service.item(), 0);
    expect(answer.body).toMatchObject({ recNo: null, before: 0, counted: 0, difference: 0, lots: [] });
  });

  test('200: with recno only that lot, even when it has expired', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const expired = await receiveLot(client, itemID, 4, { expires: '2020-01-01' });
    const other = await receiveLot(client, itemID, 4);
    const less = await count(client, itemID, 1, { recno: expired });
    expect(less.body).toMatchObject({ before: 4, difference: -3, lots: [{ recNo: expired, remaining: 1 }] });
    const more = await count(client, itemID, 6, { recno: other });
    expect(more.body).toMatchObject({ before: 4, difference: 2, lots: [{ recNo: other, remaining: 6 }] });
    expect(await inStock(client, itemID)).toEqual([
      [expired, 1],
      [other, 6],
    ]);
  });

  test('200: a shipped lot that is found again is in stock again', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const recNo = await receiveLot(client, itemID, 4);
    await count(client, itemID, 0);
    expect(await inStock(client, itemID)).toEqual([]);
    const answer = await count(client, itemID, 1.5, { recno: recNo });
    expect(answer.body).toMatchObject({ recNo, before: 0, difference: 1.5 });
    const { body } = await client.get(`/Inventory/1?itemID=${itemID}`);
    expect(body.value).toMatchObject([{ recNo, units: 1.5, shipped: null, active: true }]);
  });

  test('200: a blank spot or serial matches lots without one; an omitted one matches all', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 1, { spot: 'A', serial: 'S' });
    await receiveLot(client, itemID, 2, { serial: 'S' });
    await receiveLot(client, itemID, 4);
    const before = async (fields: object) =>
      (await count(client, itemID, 0, { ...fields, expected: 100 })).body.message;
    expect(await before({ spot: '' })).toContain(', 6 there');
    expect(await before({ serial: '' })).toContain(', 4 there');
    expect(await before({ spot: '', serial: 'S' })).toContain(', 2 there');
    expect(await before({})).toContain(', 7 there');
  });

  test('409: the stock differs from what was expected; the present figure is given and nothing is applied', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const recNo = await receiveLot(client, itemID, 2.5);
    expectAnswer(
      await count(client, itemID, 1, { expected: 3 }),
      409,
      conflictObject(
        'countDiffers',
        { expected: 3, present: 2.5 },
        'Not as expected: 3 expected, 2.5 there.',
      ),
    );
    expect(await inStock(client, itemID)).toEqual([[recNo, 2.5]]);
  });

  test('409: a lot on hold that the same batch created is named without a number', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const held = await receiveLot(client, itemID, 10);
    await hold(held);
    const operations = [
      { op: 'move', itemID, wid: 1, recno: held, units: 5, toSpot: 'B' },
      { op: 'count', itemID, wid: 1, counted: 0, reasonCode: 5, everywhere: true },
    ];
    const message = `Lots on hold are not counted down: 0 counted, 10 on hold in lot ${held} and a lot made just now.`;
    const { body } = await client.post('/Inventory/Batch', { mode: 'atomic', operations });
    expect(body.results[1]).toMatchObject({
      status: 'refused',
      error: conflictObject('onHold', { counted: 0, onHold: 10, lots: 2 }, message),
    });
  });

  test('409: lots on hold are never counted down, and are named', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const held = await receiveLot(client, itemID, 3);
    const free = await receiveLot(client, itemID, 2);
    await hold(held);
    const refusal = conflictObject(
      'onHold',
      { counted: 2.5, onHold: 3, lots: 1 },
      `Lots on hold are not counted down: 2.5 counted, 3 on hold in lot ${held}.`,
    );
    expectAnswer(await count(client, itemID, 2.5), 409, refusal);
    expectAnswer(await count(client, itemID, 2.5, { recno: held }), 409, refusal);
    const answer = await count(client, itemID, 3);
    expect(answer.body).toMatchObject({ before: 5, lots: [{ recNo: free, units: -2, remaining: 0 }] });
    expect((await count(client, itemID, 4, { recno: held })).status).toBe(200);
    const { body } = await client.get(`/Inventory/1?itemID=${itemID}&inStock=true`);
    expect(body.value).toMatchObject([{ recNo: held, units: 4, hold: true }]);
  });

  test('409: a lot that does not match the other filters; 400: a lot of another item', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const recno = await receiveLot(client, itemID, 3, { spot: 'A' });
    expectAnswer(
      await count(client, itemID, 1, { recno, spot: 'B' }),
      409,
      conflictObject('lotDiffers', { recNo: recno, present: 3 }, 'The lot does not match spot.'),
    );
    const other = await service.item();
    expectAnswer(
      await count(client, other, 1, { recno }),
      400,
      validationError({ recno: ['recno is not a lot of this item in this warehouse.'] }),
    );
  });

  test('409: more lots than one transaction may count', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await inChunks(1001, 50, () => receiveLot(client, itemID, 1));
    const answer = await count(client, itemID, 1);
    expect(answer.status).toBe(409);
    expect(answer.body.message).toMatch(/^Too many lots: more than 1000 lie there/);
    await client.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0 });
    expect((await count(client, itemID, 999)).body).toMatchObject({ before: 1000, difference: -1 });
  });

  test('400: every offending field is named', async () => {
    const client = await service.client();
    expectAnswer(
      await client.post('/Inventory/Count', { itemID: '', counted: -1, expected: '1' }),
      400,
      validationError({
        itemID: ['itemID must not be empty.'],
        wid: ['wid is required.'],
        counted: ['counted must not be negative.'],
        reasonCode: ['reasonCode is required.'],
        spot: ['spot or recno or serial is required, or everywhere: true for the whole warehouse.'],
        expected: ['expected must be a number with at most 6 digits after the point.'],
      }),
    );
    expectAnswer(
      await count(client, 'unknown', 1),
      400,
      validationError({ itemID: ['itemID is not a known item.'] }),
    );
  });

  test.each([
    [{}, { spot: ['spot or recno or serial is required, or everywhere: true for the whole warehouse.'] }],
    [
      { everywhere: false },
      { spot: ['spot or recno or serial is required, or everywhere: true for the whole warehouse.'] },
    ],
    [
      { spot: 'A', everywhere: true },
      { everywhere: ['everywhere must not be true beside recno, spot or serial.'] },
    ],
    [{ everywhere: 'true' }, null],
  ])(
    '400: a count without the number counted, alone and in a batch; nothing is counted: %j',
    async (fields, details) => {
      const client = await service.client();
      const itemID = await service.item();
      const recNo = await receiveLot(client, itemID, 5, { spot: 'B' });
      const body = { itemID, counted: 0, wid: 1, reasonCode: 5, ...fields };
      const answer = await client.post('/Inventory/Count', body);
      const error = details === null ? answer.body : validationError(details);
      expectAnswer(answer, 400, error);
      expect(error.error).toBe('validation_error');
      const operations = [{ op: 'count', ...body }];
      const batch = await client.post('/Inventory/Batch', { mode: 'each', operations });
      expect(batch.body.results[0].error).toEqual(error);
      expect(await inStock(client, itemID)).toEqual([[recNo, 5]]);
    },
  );

  test('the second of two counts at once is judged against the result of the first', async () => {
    const client = await service.client();
    const itemID = await service.item();
    for (let turn = 0; turn < 5; turn++) {
      const before = turn === 0 ? 0 : 10;
      const answers = await Promise.all(
        [10, 10, 10].map((counted) => count(client, itemID, counted, { expected: before })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual(
        turn === 0 ? [200, 409, 409] : [200, 200, 200],
      );
    }
    const units = (await inStock(client, itemID)).map(([, each]: [number, number]) => each);
    expect(units).toEqual([10]);
  });

  test('a resend with its key gives the first answer', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const body = { itemID, counted: 3, wid: 1, reasonCode: 5, everywhere: true };
    const first = await client.post('/Inventory/Count', body, { 'Idempotency-Key': `count-${itemID}` });
    const again = await client.post('/Inventory/Count', body, { 'Idempotency-Key': `count-${itemID}` });
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.text).toBe(first.text);
  });
});
