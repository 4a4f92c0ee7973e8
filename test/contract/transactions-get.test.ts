import { describe, expect } from 'vitest';
import { dateTime, errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { stockOf, useStock } from '../harness/contract/item-stock.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { receiveOf } from '../harness/stock/operations.ts';

const { service, test } = useStock();

const transaction = async (client: ApiClient, transactionNo: number) =>
  (await client.get(`/Inventory/Transactions/${transactionNo}`)).body;

describe('GET /Inventory/Transactions/{transactionNo}', () => {
  test('200: the request, its sender, and its effect on each lot', async ({ client, itemID, stock }) => {
    const first = await stock.done('Receive', { units: 2.000001, spot: 'A' });
    const second = await stock.addLot(5);
    const fields = { reasonCode: 7, reference: 'SO-1', remark: 'now' };
    const { transactionNo } = await stock.done('Issue', { units: 3, ...fields });
    const line = { partNo: first.lot.partNo, shortID: itemID, wID: 1 };
    expect(await transaction(client, transactionNo)).toEqual({
      ...{ transactionNo, kind: 'issue', at: dateTime, clientId: client.clientId, itemID, ...fields },
      ...{ capturedAt: null, deviceID: null, deviceSeq: null, reverses: null, reversedBy: null, hold: null },
      lines: [
        { recNo: first.recNo, ...line, spot: 'A', delta: -2.000001, balance: 0 },
        { recNo: second, ...line, spot: '', delta: -0.999999, balance: 4.000001 },
      ],
    });
  });

  test('200: each kind, with the balances it left in its lots', async ({ client, itemID, stock }) => {
    const received = await stock.done('Receive', { units: 10 });
    const moved = await stock.done('Move', { units: 4, shipToWid: 2, reference: 'M' });
    const counted = await stock.done('Count', { counted: 5, spot: '' });
    const same = await stock.done('Count', { counted: 5, spot: '' });
    const reversed = await stock.done('Reverse', { transactionNo: moved.transactionNo, remark: 'no' });
    const linesOf = async ({ transactionNo }: { transactionNo: number }) =>
      (await transaction(client, transactionNo)).lines.map(
        ({ recNo, wID, delta, balance }: Record<string, number>) => [recNo, wID, delta, balance],
      );
    const [from, to] = [received.recNo, moved.recNo];
    for (const [each, lines] of [
      [received, [[from, 1, 10, 10]]],
      [
        moved,
        [
          [from, 1, -4, 6],
          [to, 2, 4, 4],
        ],
      ],
      [counted, [[from, 1, -1, 5]]],
      [same, []],
      [
        reversed,
        [
          [to, 2, -4, 0],
          [from, 1, 4, 9],
        ],
      ],
    ] as const)
      expect(await linesOf(each), each.status).toEqual(lines);
    const undoing = reversed.transactionNo;
    expect(await transaction(client, moved.transactionNo)).toMatchObject({
      ...{ kind: 'move', itemID, reasonCode: null, reference: 'M', remark: null, reversedBy: undoing },
    });
    expect(await transaction(client, undoing)).toMatchObject({
      ...{ kind: 'reverse', itemID, reasonCode: null, remark: 'no', reverses: moved.transactionNo },
    });
    expect(await transaction(client, same.transactionNo)).toMatchObject({ kind: 'count', itemID });
  });

  test('200: the device data as the device noted it', async ({ client, itemID }) => {
    const evidence = { capturedAt: '2026-01-31T09:15:27.000Z', deviceID: 's-1', deviceSeq: 12 };
    const operations = [receiveOf(itemID, 1, evidence)];
    const batch = { mode: 'each', sentAt: '2026-01-31T09:20:00Z', operations };
    const { body } = await client.post('/Inventory/Batch', batch);
    expect(await transaction(client, body.results[0].body.transactionNo)).toMatchObject(evidence);
  });

  test('200: lines in warehouses outside the scope are left out', async ({ client, stock }) => {
    const received = await stock.addLot(3);
    const moved = await stock.done('Move', { units: 1, shipToWid: 2 });
    const recNos = async (of: ApiClient) =>
      (await transaction(of, moved.transactionNo)).lines.map(({ recNo }: { recNo: number }) => recNo);
    expect(await recNos(await service.client({ warehouses: [1] }))).toEqual([received]);
    expect(await recNos(await service.client({ warehouses: [2, 3] }))).toEqual([moved.recNo]);
    expect(await recNos(client)).toEqual([received, moved.recNo]);
  });

  test('404: never applied, refused, a hold, or out of scope, alike', async ({ client, stock }) => {
    const keeper = await service.client({ warehouses: [3] });
    const elsewhere = stockOf(service, keeper, stock.itemID);
    const received = await elsewhere.done('Receive', { units: 3, wid: 3 });
    const same = await elsewhere.done('Count', { counted: 3, wid: 3, everywhere: true });
    await elsewhere.hold(received.recNo);
    await stock.call('Issue', { units: 3 });
    const others = await service.sql<{ transaction_no: number }[]>`
      select transaction_no
      from stock_transaction
      where (status = 'refused' and client_id = ${client.clientId}) or kind = 'hold'`;
    expect(others).toHaveLength(2);
    const hidden = [received.transactionNo, same.transactionNo];
    const notFound = errorObject(404, 'not_found', 'There is no such transaction.');
    for (const number of [0, 10 ** 15 - 1, ...hidden, ...others.map((row) => row.transaction_no)])
      expectAnswer(await client.get(`/Inventory/Transactions/${number}`), 404, notFound);
    for (const number of hidden)
      expect((await keeper.get(`/Inventory/Transactions/${number}`)).status).toBe(200);
  });

  test('404: not a number', async ({ client }) => {
    for (const text of ['x', '-1', '1.5', '1'.repeat(16), '%ff'])
      expect((await client.get(`/Inventory/Transactions/${text}`)).status, text).toBe(404);
  });
});
