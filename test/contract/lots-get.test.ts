import { holdLot } from '@inventory/db/operator/holds';
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

const lot = async (client: ApiClient, recNo: number) => (await client.get(`/Inventory/Lots/${recNo}`)).body;
const stored = {
  ...{
    price: 1.000001,
    netWeight: 2.5,
    grossWeight: 3,
    supplier: 4,
    line: 5,
    reference: 'PO-1',
    reasonCode: 6,
  },
  expires: '2030-01-01T00:00:00Z',
};
const shown = { ...stored, expires: '2030-01-01T00:00:00.000Z' };

describe('GET /Inventory/Lots/{recNo}', () => {
  test('200: the lot with everything stored at its receipt, and its history, newest first', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const received = await done(client, 'Receive', { itemID, units: 10, spot: 'A', ...stored });
    const issued = await done(client, 'Issue', {
      itemID,
      units: 2.5,
      reference: 'SO-1',
      remark: 'out',
      reasonCode: 9,
    });
    const { history, modified, ...told } = await lot(client, received.recNo);
    expect(told).toEqual({ ...received.lot, units: 7.5, ...shown, holdReason: null, fromRecNo: null });
    const [row] = await service.sql<
      { modified: Date }[]
    >`select modified from lot where rec_no = ${received.recNo}`;
    expect(modified).toBe(row!.modified.toISOString());
    const line = { at: expect.any(String), clientId: client.clientId, spot: 'A' };
    expect(history).toEqual([
      {
        ...{ transactionNo: issued.transactionNo, kind: 'issue', ...line },
        ...{ reasonCode: 9, reference: 'SO-1', remark: 'out', delta: -2.5, balance: 7.5 },
      },
      {
        ...{ transactionNo: received.transactionNo, kind: 'receive', ...line },
        ...{ reasonCode: 6, reference: 'PO-1', remark: null, delta: 10, balance: 10 },
      },
    ]);
  });

  test('200: the last 50 lines of a lot that has more', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { recNo } = await done(client, 'Receive', { itemID, units: 100 });
    for (let count = 0; count < 30; count++)
      await done(client, 'Move', { itemID, units: 100, toSpot: `S${count}` });
    const { history } = await lot(client, recNo);
    expect(history).toHaveLength(50);
    expect(history[0]).toMatchObject({ kind: 'move', spot: 'S29', delta: 100, balance: 100 });
    expect(history[1]).toMatchObject({ kind: 'move', spot: 'S28', delta: -100, balance: 0 });
    expect(history[49]).toMatchObject({ spot: 'S4', delta: -100 });
  });

  test('200: the lot it was split from, only for a client with that lot in scope; why it is on hold', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const { recNo: source } = await done(client, 'Receive', { itemID, units: 10, ...stored });
    const { recNo } = await done(client, 'Move', { itemID, units: 4, shipToWid: 2 });
    await holdLot(service.sql, { recNo, reason: 'wet' });
    expect(await lot(client, recNo)).toMatchObject({
      ...{ fromRecNo: source, hold: true, holdReason: 'wet' },
      ...{ netWeight: 1, grossWeight: 1.2, price: 1.000001 },
    });
    const there = await service.client({ warehouses: [2] });
    const { fromRecNo, history } = await lot(there, recNo);
    expect(fromRecNo).toBeNull();
    expect(history).toHaveLength(1);
  });

  test('404: a lot that does not exist or is not in scope, alike; and not a number', async () => {
    const client = await service.client({ warehouses: [2] });
    const keeper = await service.client();
    const { recNo } = await done(keeper, 'Receive', { itemID: await service.item(), units: 1 });
    const notFound = errorObject(404, 'not_found', 'There is no such lot.');
    for (const each of [recNo, 0, 10 ** 15 - 1]) {
      expectAnswer(await client.get(`/Inventory/Lots/${each}`), 404, notFound);
    }
    expect((await client.get('/Inventory/Lots/x')).status).toBe(404);
    expect((await keeper.get(`/Inventory/Lots/${recNo}`)).status).toBe(200);
  });
});

describe('view=full', () => {
  test('200: the lots of both lists, on every kind of page, as each is shown alone', async () => {
    const client = await service.client({ warehouses: [1, 2, 3] });
    const itemID = await service.item();
    await done(client, 'Receive', { itemID, units: 10, ...stored });
    const { recNo } = await done(client, 'Move', { itemID, units: 4, shipToWid: 2 });
    const { history: _history, ...alone } = await lot(client, recNo);
    expect(alone.fromRecNo).not.toBeNull();
    for (const path of ['/Inventory?', '/Inventory/2?']) {
      for (const query of ['', `itemID=${itemID}`, 'sort=units', `sort=shortID&itemID=${itemID}`]) {
        const { body, text } = await client.get(`${path}${query}&pageSize=250&view=full`);
        const found = body.value?.find((each: { recNo: number }) => each.recNo === recNo);
        expect(found, `${path}${query} ${text.slice(0, 300)}`).toEqual(alone);
      }
    }
    const plain = (await client.get(`/Inventory?itemID=${itemID}`)).body.value;
    expect(plain[0]).not.toHaveProperty('price');
  });

  test('200: stock levels with the item’s name fields, and when any of it was modified', async () => {
    const client = await service.client();
    const itemID = await service.item({ description: 'before' });
    const { lot: received } = await done(client, 'Receive', { itemID, units: 10 });
    await done(client, 'Receive', { itemID, units: 5, wid: 2 });
    const level = async (query: string, path = '') => {
      const { body } = await client.get(`/Inventory/StockLevels${path}?${query}`);
      return body.value.find((each: { partNo: number }) => each.partNo === received.partNo);
    };
    const first = await level('view=full&pageSize=250');
    expect(first).toMatchObject({ inStock: 15, shortID: itemID, description: 'before' });
    expect(await level(`view=full&itemID=${itemID}`)).toEqual(first);
    expect(await level(`view=full&partNo=${received.partNo}&sort=inStock`)).toEqual(first);
    expect(await level(`view=full&itemID=${itemID}`, '/2')).toMatchObject({ inStock: 5, shortID: itemID });
    const { description: _d, shortID: _s, modified, ...plain } = first;
    expect(await level(`itemID=${itemID}`)).toEqual(plain);
    const later = new Date(Date.parse(modified) + 1).toISOString();
    expect(await level(`view=full&modifiedSince=${later}`)).toBeUndefined();
    await client.put('/Item', { shortID: itemID, description: 'after' });
    const changed = await level(`view=full&modifiedSince=${later}`);
    expect(changed).toMatchObject({ description: 'after', inStock: 15 });
    expect(Date.parse(changed.modified)).toBeGreaterThan(Date.parse(modified));
    expect(await level(`modifiedSince=${later}`)).toBeUndefined();
  });

  test('200: items, unchanged because they always show everything', async () => {
    const client = await service.client();
    const shortID = await service.item();
    const of = async (path: string) =>
      (await client.get(path)).body.value.find((each: { shortID: string }) => each.shortID === shortID);
    expect(await of('/Item?view=full&pageSize=250')).toEqual(await of('/Item/All?pageSize=250'));
    expect(await of('/Item/All?view=full&pageSize=250')).toHaveProperty('modified');
  });

  test('400: an unknown view', async () => {
    const client = await service.client();
    for (const path of ['/Inventory', '/Inventory/1', '/Inventory/StockLevels', '/Item', '/Item/All']) {
      const answer = await client.get(`${path}?view=some`);
      expect(answer.status, path).toBe(400);
      expect(answer.body.details, path).toEqual({ view: ['view must be full.'] });
    }
  });
});

describe('filters', () => {
  test('200: lots by recNo, rfidTag, serial2, jobID and expiresBefore', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const tag = {
      rfidTag: `R-${itemID}`,
      serial2: `T-${itemID}`,
      jobid: 4711,
      expires: '2030-01-01T00:00:00Z',
    };
    const { recNo } = await done(client, 'Receive', { itemID, units: 1, ...tag });
    const { recNo: other } = await done(client, 'Receive', {
      itemID,
      units: 1,
      expires: '2031-01-01T00:00:00Z',
    });
    const elsewhere = await service.client({ warehouses: [3] });
    const foreign = await done(elsewhere, 'Receive', { itemID, units: 1, wid: 3, ...tag });
    const recNos = async (query: string) => {
      const { body, text } = await client.get(`/Inventory?${query}`);
      expect(body.totalCount, text).toBe(body.value.length);
      return body.value.map((each: { recNo: number }) => each.recNo);
    };
    expect(await recNos(`recNo=${recNo}`)).toEqual([recNo]);
    expect(await recNos(`recNo=${foreign.recNo}`)).toEqual([]);
    expect(await recNos(`rfidTag=R-${itemID}`)).toEqual([recNo]);
    expect(await recNos(`serial2=T-${itemID}`)).toEqual([recNo]);
    expect(await recNos(`jobID=4711&itemID=${itemID}`)).toEqual([recNo]);
    expect(await recNos('jobID=4711')).toEqual([recNo]);
    expect(await recNos(`jobID=0&itemID=${itemID}`)).toEqual([other]);
    expect(await recNos(`expiresBefore=2030-01-01T00:00:00Z&itemID=${itemID}`)).toEqual([]);
    expect(await recNos(`expiresBefore=2030-06-01&itemID=${itemID}`)).toEqual([recNo]);
    expect(await recNos(`expiresBefore=2032-01-01&itemID=${itemID}&sort=recNo`)).toEqual([recNo, other]);
  });

  test('400: filters that cannot be read', async () => {
    const client = await service.client();
    const lots = await client.get('/Inventory?recNo=x&jobID=-1&expiresBefore=soon&rfidTag=%00&serial2=%00');
    expect(Object.keys(lots.body.details).sort()).toEqual([
      'expiresBefore',
      'jobID',
      'recNo',
      'rfidTag',
      'serial2',
    ]);
    const levels = await client.get('/Inventory/StockLevels?partNo=x&itemID=%00');
    expect(Object.keys(levels.body.details).sort()).toEqual(['itemID', 'partNo']);
  });

  test('200: levels of an unknown item, or of one out of scope', async () => {
    const client = await service.client({ warehouses: [2] });
    const keeper = await service.client();
    const itemID = await service.item();
    const { lot: received } = await done(keeper, 'Receive', { itemID, units: 1 });
    for (const query of [
      `itemID=${itemID}`,
      `partNo=${received.partNo}`,
      'itemID=NONE',
      'partNo=2147483647',
    ]) {
      const { status, body } = await client.get(`/Inventory/StockLevels?${query}`);
      expect([status, body.totalCount], query).toEqual([200, 0]);
    }
    expect((await keeper.get(`/Inventory/StockLevels?itemID=${itemID}`)).body.totalCount).toBe(1);
  });
});
