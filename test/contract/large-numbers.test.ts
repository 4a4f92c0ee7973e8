import { expect } from 'vitest';
import { errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import { issueOf } from '../harness/stock/operations.ts';

const { service, test } = useStock();

test('200: numbers of lots and transactions above 2^31 are accepted everywhere', async ({
  client,
  itemID,
  stock,
}) => {
  // As in a restored database, or after some weeks of work.
  const first = 2 ** 31 + 5;
  await service.sql`select setval('lot_rec_no_seq', ${first}), setval('stock_transaction_no_seq', ${first})`;
  const recno = await stock.addLot(10);
  expect(recno).toBeGreaterThan(first);
  await stock.done('Issue', { recno, units: 1 });
  await stock.done('Move', { recno, units: 9, toSpot: 'B' });
  await stock.done('Count', { recno, counted: 8 });
  const { transactionNo } = await stock.done('Issue', { recno, units: 8 });
  expect(transactionNo).toBeGreaterThan(first);
  await stock.done('Reverse', { transactionNo });
  expect(await stock.units()).toBe(8);
  for (const path of [
    `/Inventory/Lots/${recno}`,
    `/Inventory?recNo=${recno}`,
    `/Inventory/Transactions/${transactionNo}`,
    `/Inventory/Transactions?recNo=${recno}`,
  ])
    expect((await client.get(path)).text, path).toContain(`"recNo":${recno}`);
  const operations = [issueOf(itemID, 1, { recno })];
  expect((await client.post('/Inventory/Batch', { mode: 'atomic', operations })).status).toBe(200);
});

test('200 and 404: numbers up to 2^53-1 can be asked for', async ({ client }) => {
  for (const path of ['/Inventory?', '/Inventory/Transactions?'])
    expect((await client.get(`${path}recNo=9007199254740991`)).body.value, path).toEqual([]);
  for (const [path, missing] of [
    ['/Inventory/Lots/9007199254740991', 'There is no such lot.'],
    ['/Inventory/Transactions/9007199254740991', 'There is no such transaction.'],
    ['/Inventory/Lots/9007199254740992', 'There is nothing at this path.'],
  ] as const)
    expectAnswer(await client.get(path), 404, errorObject(404, 'not_found', missing));
  const many = await client.get('/Changes?limit=9007199254740993&wait=0');
  expect(many.status, many.text).toBe(200);
});

test('issues and refused requests use up no lot numbers', async ({ stock }) => {
  const before = await stock.addLot(10);
  for (const units of [1, 99, 1]) await stock.call('Issue', { units });
  expect(await stock.addLot(1)).toBe(before + 1);
});
