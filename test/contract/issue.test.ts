import { expect } from 'vitest';
import { expectAnswer, inChunks, untilTaken } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import { createApiClient } from '../harness/service/api-client.ts';
import { notEnough } from '../harness/stock/stock.ts';

const { service, test } = useStock({ apis: 2, workers: 2 });

test('200: the lots it took from, with what is left of each', async ({ stock }) => {
  const [first, second] = [await stock.addLot(2.5), await stock.addLot(4)];
  const fields = { reference: 'SO 1', remark: 'for the shop', netWeight: 3, shipto: 8, prodID: 'P', line: 1 };
  expectAnswer(await stock.call('Issue', { units: 3.000001, ...fields }), 200, {
    ...{ recNo: first, status: 'issued', transactionNo: expect.any(Number), dryRun: false, units: 3.000001 },
    lots: [
      { recNo: first, units: 2.5, remaining: 0 },
      { recNo: second, units: 0.500001, remaining: 3.499999 },
    ],
  });
});

test('200: a lot at 0 is shipped and inactive, and stays listed', async ({ stock }) => {
  await stock.addLot(2, { spot: 'A', serial: 'S' });
  const [received] = await stock.lots();
  await stock.done('Issue', { units: 0.5 });
  expect(await stock.lots()).toEqual([{ ...received, units: 1.5 }]);
  await stock.done('Issue', { units: 1.5 });
  const shipped = expect.any(String);
  expect(await stock.lots()).toEqual([{ ...received, units: 0, shipped, active: false }]);
});

test('200 for exactly 100 of 200 issues of 1 from 100 units, else 409', async ({ client, stock }) => {
  const processes = service.baseUrls.map((baseUrl) =>
    createApiClient(baseUrl, client.clientId, client.token),
  );
  for (let count = 0; count < 4; count++) await stock.addLot(25);
  const body = { itemID: stock.itemID, units: 1, wid: 1, reasonCode: 0 };
  const answers = await inChunks(200, 200, (index) =>
    untilTaken(() => processes[index % 2]!.post('/Inventory/Issue', body)),
  );
  const refused = answers.filter((answer) => answer.status !== 200);
  expect(refused).toHaveLength(100);
  for (const answer of refused) expectAnswer(answer, 409, notEnough(1, 0));
  expect(await stock.lots('&inStock=true')).toEqual([]);
});
