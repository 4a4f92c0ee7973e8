import { expect, test } from 'vitest';
import { dateTime, expectAnswer, validationError } from '../harness/contract/answers.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

const digits = 'must be a number with at most 6 digits after the point.';

test('201: a new lot, with the numbers of the record and of the transaction', async () => {
  const client = await service.client();
  const itemID = await service.item({ description: 'Cable, 2 m' });
  const answer = await client.post('/Inventory/Receive', {
    itemID,
    units: 12.5,
    wid: 1,
    reasonCode: 7,
    spot: 'A-1',
  });
  expectAnswer(answer, 201, {
    recNo: expect.any(Number),
    status: 'received',
    transactionNo: expect.any(Number),
    dryRun: false,
    lot: {
      recNo: answer.body.recNo,
      partNo: expect.any(Number),
      shortID: itemID,
      description: 'Cable, 2 m',
      associate: '',
      warehouse: 'Main',
      wID: 1,
      spot: 'A-1',
      units: 12.5,
      received: dateTime,
      shipped: null,
      serial: '',
      serial2: null,
      rFIDTag: null,
      remark: '',
      hold: false,
      jobID: 0,
      jobName: null,
      active: true,
    },
  });
  expect(Math.abs(Date.now() - Date.parse(answer.body.lot.received))).toBeLessThan(60_000);
});

test('the lot in the answer is the lot in the list', async () => {
  const client = await service.client();
  const itemID = await service.item({ dfltOwner: 42 });
  const { body } = await client.post('/Inventory/Receive', {
    itemID,
    units: 999999999.999999,
    wid: 2,
    reasonCode: 0,
    spot: 'B-2',
    serial: 'S',
    serial2: 'S2',
    rfidTag: 'R',
    reference: 'PO 4711',
    remark: 'fragile',
    netWeight: 1.25,
    grossWeight: 1.5,
    price: 0.000001,
    expires: '2030-01-31',
    supplier: 12,
    line: 3,
    jobid: 9,
  });
  expect(body.lot).toMatchObject({ associate: '42', serial2: 'S2', rFIDTag: 'R', jobID: 9 });
  const list = await client.get(`/Inventory/2?itemID=${itemID}`);
  expect(list.body.value).toEqual([body.lot]);
  expect(list.text).toContain('"units":999999999.999999,');
});

test('201: a new lot each time, never merged', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const body = { itemID, units: 1, wid: 1, reasonCode: 0, spot: 'A', serial: 'S' };
  const first = await client.post('/Inventory/Receive', body);
  const second = await client.post('/Inventory/Receive', body);
  expect(second.body.recNo).toBeGreaterThan(first.body.recNo);
  expect(second.body.transactionNo).toBeGreaterThan(first.body.transactionNo);
  expect((await client.get(`/Inventory?itemID=${itemID}`)).body.totalCount).toBe(2);
});

test('201: a discontinued item', async () => {
  const client = await service.client();
  const itemID = await service.item();
  await client.delete(`/Item/${itemID}`);
  const answer = await client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 });
  expect(answer.status).toBe(201);
});

test('201: null for an optional field counts as omitted', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const nulls = { spot: null, serial2: null, netWeight: null, expires: null, line: null };
  const answer = await client.post('/Inventory/Receive', {
    itemID,
    units: 1,
    wid: 1,
    reasonCode: 0,
    ...nulls,
  });
  expect(answer.status).toBe(201);
  expect(answer.body.lot).toMatchObject({ spot: '', serial2: null });
});

test('201: text is kept as it is, including white space', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const text = { spot: ' A\t1 ', serial: '\u{1f600}é\u200b\ufffd', remark: `"'\\;--<b>\n` };
  const answer = await client.post('/Inventory/Receive', {
    itemID,
    units: 1,
    wid: 1,
    reasonCode: 0,
    ...text,
  });
  expect(answer.status).toBe(201);
  expect(answer.body.lot).toMatchObject(text);
  expect((await client.get(`/Inventory?itemID=${itemID}`)).body.value).toEqual([answer.body.lot]);
});

test('400: every offending field is named, with what is wrong', async () => {
  const client = await service.client();
  const answer = await client.post('/Inventory/Receive', {
    units: 0,
    wid: '1',
    spot: 'x'.repeat(101),
    remark: 'x'.repeat(1001),
    serial: 5,
    netWeight: -1,
    price: '1',
    expires: '2026-02-30',
    supplier: -1,
    line: 1.5,
    jobid: 2 ** 31,
  });
  expectAnswer(
    answer,
    400,
    validationError({
      itemID: ['itemID is required.'],
      units: ['units must be greater than 0.'],
      wid: ['wid must be an integer.'],
      reasonCode: ['reasonCode is required.'],
      spot: ['spot must be at most 100 characters long.'],
      remark: ['remark must be at most 1000 characters long.'],
      serial: ['serial must be a string.'],
      netWeight: ['netWeight must not be negative.'],
      price: [`price ${digits}`],
      expires: ['expires must be an ISO 8601 date or datetime.'],
      supplier: ['supplier must be at least 0.'],
      line: ['line must be an integer.'],
      jobid: ['jobid must be at most 2147483647.'],
    }),
  );
});

test.each([
  ['an empty object', {}],
  ['fields in another case', { itemid: 'X', Units: 1, WID: 1, reasoncode: 0 }],
  ['null for every field', { itemID: null, units: null, wid: null, reasonCode: null }],
])('400: required fields missing in %s', async (_what, body) => {
  const client = await service.client();
  expectAnswer(
    await client.post('/Inventory/Receive', body),
    400,
    validationError({
      itemID: ['itemID is required.'],
      units: ['units is required.'],
      wid: ['wid is required.'],
      reasonCode: ['reasonCode is required.'],
    }),
  );
});

test.each(['', ' ', '\t\n\u00a0', '\u0000', '\ud800', 'x'.repeat(65)])(
  '400: %j as itemID',
  async (itemID) => {
    const client = await service.client();
    const answer = await client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 });
    expectAnswer(answer, 400, validationError({ itemID: [expect.stringMatching(/^itemID must (not|be)/)] }));
  },
);

test.each([0, 1, 2 ** 31 - 1])('201: %i as reasonCode, any integer in range', async (reasonCode) => {
  const client = await service.client();
  const answer = await client.post('/Inventory/Receive', {
    itemID: await service.item(),
    units: 1,
    wid: 1,
    reasonCode,
  });
  expect(answer.status).toBe(201);
});

test('400: an unknown item', async () => {
  const client = await service.client();
  const answer = await client.post('/Inventory/Receive', {
    itemID: uniqueName('NO'),
    units: 1,
    wid: 1,
    reasonCode: 0,
  });
  expectAnswer(answer, 400, validationError({ itemID: ['itemID is not a known item.'] }));
});

test('400: the itemID in another case, because a ShortID is exact', async () => {
  const client = await service.client();
  const itemID = (await service.item()).toLowerCase();
  expectAnswer(
    await client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 }),
    400,
    validationError({ itemID: ['itemID is not a known item.'] }),
  );
});
