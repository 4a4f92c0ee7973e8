import { expect, test } from 'vitest';
import { expectAnswer, inChunks, untilTaken, validationError } from '../harness/answers.ts';
import { useService } from '../harness/service.ts';

const service = useService({ workers: 2 });

const digits = 'must be a number with at most 6 digits after the point and 15 significant digits.';
const tooFine = 'must have at most 6 digits after the point and 15 significant digits.';

test.each([
  '0.000001',
  '999999999999.999',
  '999999999.999999',
  '0.1',
  '1e3',
  '123456789012',
  '1.50',
  '1.000000000000000000',
])('201: %s units, exact in every answer', async (units) => {
  const client = await service.client();
  const itemID = await service.item();
  const answer = await client.post(
    '/Inventory/Receive',
    `{"itemID":"${itemID}","units":${units},"wid":1,"reasonCode":0}`,
  );
  expect(answer.status).toBe(201);
  const shown = `"units":${String(Number(units))},`;
  expect(answer.text).toContain(shown);
  expect((await client.get(`/Inventory?itemID=${itemID}`)).text).toContain(shown);
});

test.each([
  ['0', 'must be greater than 0.'],
  ['-1', 'must be greater than 0.'],
  ['-0', 'must be greater than 0.'],
  ['0.0000001', tooFine],
  ['1e-7', tooFine],
  ['1.0000001', tooFine],
  ['1234567890.123456', digits],
  ['1.0000000000000000001', digits],
  ['1000000000000', 'must be less than 1000000000000.'],
  ['1e400', digits],
  ['1e-400', digits],
  ['"5"', digits],
  ['true', digits],
  ['[1]', digits],
  ['{}', digits],
  ['null', 'is required.'],
])('400: %s units', async (units, message) => {
  const client = await service.client();
  const answer = await client.post(
    '/Inventory/Receive',
    `{"itemID":"X","units":${units},"wid":1,"reasonCode":0}`,
  );
  expectAnswer(answer, 400, validationError({ units: [`units ${message}`] }));
});

test('0.1 received 1,000 times is 100', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const answers = await inChunks(1000, 50, () =>
    untilTaken(() => client.post('/Inventory/Receive', { itemID, units: 0.1, wid: 1, reasonCode: 0 })),
  );
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1000);
  expect(new Set(answers.map((answer) => answer.body.recNo)).size).toBe(1000);
  const { partNo } = answers[0]!.body.lot;
  const levels = await client.get('/Inventory/StockLevels/1?pageSize=250');
  expect(levels.text).toContain(`{"partNo":${partNo},"available":100,"inStock":100,`);
  const issue = await client.post('/Inventory/Issue', { itemID, units: 100, wid: 1, reasonCode: 0 });
  expectAnswer(issue, 200, expect.objectContaining({ units: 100 }));
  expect(issue.body.lots).toHaveLength(1000);
});

test('409: more of an item in a warehouse than its level can hold', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const most = { itemID, units: 999_999_999_999, wid: 1, reasonCode: 0 };
  const answers = await inChunks(1001, 50, () => untilTaken(() => client.post('/Inventory/Receive', most)));
  const refused = answers.filter((answer) => answer.status !== 201);
  expect(refused).toHaveLength(1);
  // Figures of more digits than a double holds: the texts are compared.
  const tooMuch =
    '{"statusCode":409,"error":"conflict","message":"The stock of this item in this warehouse would be too large.",' +
    '"reason":"noRoom","figures":{"asked":999999999999,"present":999999999999000,"unitsMax":999999999999999.999999}}';
  expect(refused[0]!.text).toBe(tooMuch);
  await client.post('/Inventory/Receive', { ...most, wid: 2 });
  const move = await client.post('/Inventory/Move', { itemID, units: 999_999_999_999, wid: 2, shipToWid: 1 });
  expect(move.text).toBe(tooMuch);
  const levels = await client.get('/Inventory/StockLevels/1?pageSize=250');
  expect(levels.text).toContain('"inStock":999999999999000,');
});
