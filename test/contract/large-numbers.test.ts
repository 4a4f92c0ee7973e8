import { expect } from 'vitest';
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

test('issues and refused requests use up no lot numbers', async ({ stock }) => {
  const before = await stock.addLot(10);
  for (const units of [1, 99, 1]) await stock.call('Issue', { units });
  expect(await stock.addLot(1)).toBe(before + 1);
});
