import { expect } from 'vitest';
import { expectAnswer, plainLot } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';

const { service, test } = useStock();

test('201: a new lot, with the numbers of the record and of the transaction', async ({ itemID, stock }) => {
  const answer = await stock.call('Receive', { units: 12.5, reasonCode: 7, spot: 'A-1' });
  const { recNo } = answer.body;
  expectAnswer(answer, 201, {
    ...{ recNo, status: 'received', transactionNo: expect.any(Number), dryRun: false },
    lot: { ...plainLot, recNo: expect.any(Number), shortID: itemID, units: 12.5, spot: 'A-1' },
  });
  expect(answer.body.lot.recNo).toBe(recNo);
  expect(Math.abs(Date.now() - Date.parse(answer.body.lot.received))).toBeLessThan(60_000);
});

// lot-fields.test.ts has every field of a receipt.
test('201: the lot in the answer is the lot in the list', async ({ client }) => {
  const itemID = await service.item({ dfltOwner: 42 });
  const sent = { units: 999999999.999999, wid: 2, reasonCode: 0, spot: 'B-2', serial2: 'S2', rfidTag: 'R' };
  const { body } = await client.post('/Inventory/Receive', { itemID, ...sent, jobid: 9 });
  expect(body.lot).toMatchObject({ associate: '42', serial2: 'S2', rFIDTag: 'R', jobID: 9 });
  const list = await client.get(`/Inventory/2?itemID=${itemID}`);
  expect(list.body.value).toEqual([body.lot]);
  expect(list.text).toContain('"units":999999999.999999,');
});

test('201: a new lot each time, never merged', async ({ stock }) => {
  const receive = () => stock.done('Receive', { units: 1, spot: 'A', serial: 'S' });
  const [first, second] = [await receive(), await receive()];
  expect(second.recNo).toBeGreaterThan(first.recNo);
  expect(second.transactionNo).toBeGreaterThan(first.transactionNo);
  expect(await stock.lots()).toHaveLength(2);
});

test('201: a discontinued item', async ({ client, itemID, stock }) => {
  await client.delete(`/Item/${itemID}`);
  await stock.addLot(1);
});

test.for<[string, fields: object, shown: object]>([
  [
    'null for an optional field counts as omitted',
    { spot: null, serial2: null, netWeight: null, expires: null, line: null },
    { spot: '', serial2: null },
  ],
  ...[{ spot: ' A\t1 ', serial: '\u{1f600}é\u200b\ufffd', remark: `"'\\;--<b>\n` }].map(
    (text): [string, object, object] => ['text is kept as it is, including white space', text, text],
  ),
  ['the smallest reason code', { reasonCode: 0 }, {}],
  ['the largest reason code', { reasonCode: 2 ** 31 - 1 }, {}],
])('201: %s', async ([, fields, shown], { stock }) => {
  const { lot } = await stock.done('Receive', { units: 1, ...fields });
  expect(lot).toMatchObject(shown);
  expect(await stock.lots()).toEqual([lot]);
});
