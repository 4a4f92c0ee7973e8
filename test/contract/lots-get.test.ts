import { holdLot } from '@inventory/db/operator/holds';
import { describe, expect } from 'vitest';
import { dateTime, errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import type { ApiClient } from '../harness/service/api-client.ts';

const { service, test } = useStock();

const lot = async (client: ApiClient, recNo: number) => (await client.get(`/Inventory/Lots/${recNo}`)).body;

const stored = {
  ...{ price: 1.000001, netWeight: 2.5, grossWeight: 3, supplier: 4, line: 5 },
  ...{ reference: 'PO-1', reasonCode: 6, expires: '2030-01-01T00:00:00.000Z' },
};

describe('GET /Inventory/Lots/{recNo}', () => {
  test('200: the lot with everything stored at its receipt, and its history', async ({ client, stock }) => {
    const received = await stock.done('Receive', { units: 10, spot: 'A', ...stored });
    const said = { reasonCode: 9, reference: 'SO-1', remark: 'out' };
    const issued = await stock.done('Issue', { units: 2.5, ...said });
    const line = { at: dateTime, clientId: client.clientId, spot: 'A' };
    const of = ({ transactionNo }: { transactionNo: number }, kind: string) => ({
      transactionNo,
      kind,
      ...line,
    });
    expect(await lot(client, received.recNo)).toEqual({
      ...{ ...received.lot, units: 7.5, ...stored, holdReason: null, fromRecNo: null, modified: dateTime },
      history: [
        { ...of(issued, 'issue'), ...said, delta: -2.5, balance: 7.5, hold: null },
        {
          ...of(received, 'receive'),
          ...{ reasonCode: 6, reference: 'PO-1', remark: null, delta: 10, balance: 10, hold: null },
        },
      ],
    });
  });

  test('200: the last 50 lines of a lot that has more', async ({ client, stock }) => {
    const recNo = await stock.addLot(100);
    for (let count = 0; count < 30; count++) await stock.done('Move', { units: 100, toSpot: `S${count}` });
    const { history } = await lot(client, recNo);
    expect(history).toHaveLength(50);
    expect(history[0]).toMatchObject({ kind: 'move', spot: 'S29', delta: 100, balance: 100 });
    expect(history[1]).toMatchObject({ kind: 'move', spot: 'S28', delta: -100, balance: 0 });
    expect(history[49]).toMatchObject({ spot: 'S4', delta: -100 });
  });

  test('200: the lot it was split from, if in scope; why it is on hold', async ({ client, stock }) => {
    const source = await stock.addLot(10, stored);
    const { recNo } = await stock.done('Move', { units: 4, shipToWid: 2 });
    await holdLot(service.sql, { recNo, reason: 'wet' });
    const weights = { netWeight: 1, grossWeight: 1.2, price: 1.000001 };
    const shown = { fromRecNo: source, hold: true, holdReason: 'wet', ...weights };
    expect(await lot(client, recNo)).toMatchObject(shown);
    const there = await service.client({ warehouses: [2] });
    const { fromRecNo, history } = await lot(there, recNo);
    expect([fromRecNo, history.length]).toEqual([null, 1]);
  });

  test('404: a lot that does not exist or is not in scope, alike', async ({ client, stock }) => {
    const elsewhere = await service.client({ warehouses: [2] });
    const recNo = await stock.addLot(1);
    const notFound = errorObject(404, 'not_found', 'There is no such lot.');
    for (const each of [recNo, 0, 10 ** 15 - 1])
      expectAnswer(await elsewhere.get(`/Inventory/Lots/${each}`), 404, notFound);
    expect((await client.get('/Inventory/Lots/x')).status).toBe(404);
    expect((await client.get(`/Inventory/Lots/${recNo}`)).status).toBe(200);
  });
});
