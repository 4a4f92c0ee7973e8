import { describe, expect, test } from 'vitest';
import { errorObject, expectAnswer } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

async function done(client: ApiClient, path: string, body: object) {
  const answer = await client.post(`/Inventory/${path}`, { wid: 1, reasonCode: 0, ...body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

const transaction = async (client: ApiClient, transactionNo: number) =>
  (await client.get(`/Inventory/Transactions/${transactionNo}`)).body;
const notFound = errorObject(404, 'not_found', 'There is no such transaction.');

describe('GET /Inventory/Transactions/{transactionNo}', () => {
  test('200: the request, its sender, and its effect on each lot, digit for digit', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const first = await done(client, 'Receive', { itemID, units: 2.000001, spot: 'A' });
    const second = await done(client, 'Receive', { itemID, units: 5 });
    const { partNo } = first.lot;
    const fields = { reasonCode: 7, reference: 'SO-1', remark: 'now' };
    const issued = await done(client, 'Issue', { itemID, units: 3, ...fields });
    const answer = await client.get(`/Inventory/Transactions/${issued.transactionNo}`);
    const line = { partNo, shortID: itemID, wID: 1 };
    expectAnswer(answer, 200, {
      ...{ transactionNo: issued.transactionNo, kind: 'issue', at: expect.any(String) },
      ...{ clientId: client.clientId, itemID, ...fields },
      ...{ capturedAt: null, deviceID: null, deviceSeq: null, reverses: null, reversedBy: null },
      lines: [
        { recNo: first.recNo, ...line, spot: 'A', delta: -2.000001, balance: 0 },
        { recNo: second.recNo, ...line, spot: '', delta: -0.999999, balance: 4.000001 },
      ],
    });
    const [stored] = await service.sql<{ at: Date }[]>`
      select at from stock_transaction where transaction_no = ${issued.transactionNo}`;
    expect(answer.body.at).toBe(stored!.at.toISOString());
  });

  test('200: each kind, with the balances it left in its lots', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const received = await done(client, 'Receive', { itemID, units: 10 });
    const moved = await done(client, 'Move', { itemID, units: 4, shipToWid: 2, reference: 'M' });
    const counted = await done(client, 'Count', { itemID, counted: 5, spot: '' });
    const same = await done(client, 'Count', { itemID, counted: 5, spot: '' });
    const reversed = await client.post('/Inventory/Reverse', {
      transactionNo: moved.transactionNo,
      remark: 'no',
    });
    expect(reversed.status, reversed.text).toBe(200);
    const lines = async ({ transactionNo }: { transactionNo: number }) =>
      (await transaction(client, transactionNo)).lines.map(
        ({ recNo, wID, delta, balance }: Record<string, number>) => [recNo, wID, delta, balance],
      );
    expect(await lines(received)).toEqual([[received.recNo, 1, 10, 10]]);
    expect(await lines(moved)).toEqual([
      [received.recNo, 1, -4, 6],
      [moved.recNo, 2, 4, 4],
    ]);
    expect(await lines(counted)).toEqual([[received.recNo, 1, -1, 5]]);
    expect(await lines(same)).toEqual([]);
    expect(await lines(reversed.body)).toEqual([
      [moved.recNo, 2, -4, 0],
      [received.recNo, 1, 4, 9],
    ]);
    const undoing = reversed.body.transactionNo;
    expect(await transaction(client, moved.transactionNo)).toMatchObject({
      ...{ kind: 'move', itemID, reasonCode: null, reference: 'M', remark: null, reversedBy: undoing },
    });
    expect(await transaction(client, undoing)).toMatchObject({
      ...{ kind: 'reverse', itemID, reasonCode: null, remark: 'no', reverses: moved.transactionNo },
    });
    expect(await transaction(client, same.transactionNo)).toMatchObject({ kind: 'count', itemID });
  });

  test('200: the device data as the device noted it', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const evidence = { capturedAt: '2026-01-31T09:15:27.000Z', deviceID: 's-1', deviceSeq: 12 };
    const operation = { op: 'receive', itemID, units: 1, wid: 1, reasonCode: 0, ...evidence };
    const batch = { mode: 'each', sentAt: '2026-01-31T09:20:00Z', operations: [operation] };
    const { body } = await client.post('/Inventory/Batch', batch);
    expect(await transaction(client, body.results[0].body.transactionNo)).toMatchObject(evidence);
  });

  test('200: lines in warehouses outside the scope are left out', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const received = await done(client, 'Receive', { itemID, units: 3 });
    const moved = await done(client, 'Move', { itemID, units: 1, shipToWid: 2 });
    const [source, destination] = [
      await service.client({ warehouses: [1] }),
      await service.client({ warehouses: [2, 3] }),
    ];
    const recNos = async (of: ApiClient) =>
      (await transaction(of, moved.transactionNo)).lines.map(({ recNo }: { recNo: number }) => recNo);
    expect(await recNos(source)).toEqual([received.recNo]);
    expect(await recNos(destination)).toEqual([moved.recNo]);
    expect(await recNos(client)).toEqual([received.recNo, moved.recNo]);
  });

  test('404: never applied, refused, a hold, or out of scope, alike', async () => {
    const client = await service.client();
    const elsewhere = await service.client({ warehouses: [3] });
    const itemID = await service.item();
    const { transactionNo } = await done(elsewhere, 'Receive', { itemID, units: 3, wid: 3 });
    const same = await done(elsewhere, 'Count', { itemID, counted: 3, wid: 3, everywhere: true });
    await client.post('/Inventory/Issue', { itemID, units: 3, wid: 1, reasonCode: 0 });
    const [refused] = await service.sql<{ transaction_no: number }[]>`
      select transaction_no from stock_transaction where status = 'refused' and client_id = ${client.clientId}`;
    const numbers = [0, 10 ** 15 - 1, transactionNo, same.transactionNo, refused!.transaction_no];
    for (const number of numbers) {
      expectAnswer(await client.get(`/Inventory/Transactions/${number}`), 404, notFound);
    }
    expect((await elsewhere.get(`/Inventory/Transactions/${transactionNo}`)).status).toBe(200);
    expect((await elsewhere.get(`/Inventory/Transactions/${same.transactionNo}`)).status).toBe(200);
  });

  test('404: not a number', async () => {
    const client = await service.client();
    for (const text of ['x', '-1', '1.5', '1'.repeat(16), '%ff']) {
      expect((await client.get(`/Inventory/Transactions/${text}`)).status, text).toBe(404);
    }
  });
});
