import { expect, test } from 'vitest';
import { useService } from '../harness/service/service.ts';
import { inStock } from '../harness/stock/operations.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();

test('200: the number of a lot is accepted everywhere, however many lots and transactions came before', async () => {
  const client = await service.client();
  const itemID = await service.item();
  // As in a restored database, or after some weeks of work.
  const first = 2 ** 31 + 5;
  await service.sql`select setval('lot_rec_no_seq', ${first}), setval('stock_transaction_no_seq', ${first})`;
  const recno = await receiveLot(client, itemID, 10);
  expect(recno).toBeGreaterThan(first);
  const of = { itemID, wid: 1, recno };
  const answers = [
    await client.post('/Inventory/Issue', { ...of, units: 1, reasonCode: 0 }),
    await client.post('/Inventory/Move', { ...of, units: 9, toSpot: 'B' }),
    await client.post('/Inventory/Count', { ...of, counted: 8, reasonCode: 0 }),
    await client.post('/Inventory/Issue', { ...of, units: 8, reasonCode: 0 }),
  ];
  expect(answers.map(({ status, body }) => [status, body.message])).toEqual(Array(4).fill([200, undefined]));
  const transactionNo = answers[3]!.body.transactionNo as number;
  expect(transactionNo).toBeGreaterThan(first);
  expect((await client.post('/Inventory/Reverse', { transactionNo })).status).toBe(200);
  expect(await inStock(service, itemID)).toBe(8);
  const reads = [
    `/Inventory/Lots/${recno}`,
    `/Inventory?recNo=${recno}`,
    `/Inventory/Transactions/${transactionNo}`,
    `/Inventory/Transactions?recNo=${recno}`,
  ];
  for (const path of reads) {
    const { status, text } = await client.get(path);
    expect([status, text.includes(`"recNo":${recno}`)], path).toEqual([200, true]);
  }
  const batch = await client.post('/Inventory/Batch', {
    mode: 'atomic',
    operations: [{ op: 'issue', ...of, units: 1, reasonCode: 0 }],
  });
  expect(batch.status).toBe(200);
});

test('400: a number that no lot can have', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const issue = (recno: number) =>
    client.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0, recno });
  expect((await issue(0)).body.details).toEqual({ recno: ['recno must be at least 1.'] });
  expect((await issue(2 ** 53)).body.details).toEqual({ recno: ['recno must be an integer.'] });
});

test('issues and refused requests use up no lot numbers', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const before = await receiveLot(client, itemID, 10);
  for (let count = 0; count < 3; count++)
    await client.post('/Inventory/Issue', { itemID, units: count === 1 ? 99 : 1, wid: 1, reasonCode: 0 });
  expect(await receiveLot(client, itemID, 1)).toBe(before + 1);
});
