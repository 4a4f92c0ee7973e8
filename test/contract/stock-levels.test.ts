import { holdLot, releaseLot } from '@inventory/db/operator/holds';
import { expect, test } from 'vitest';
import { expectAnswer, forbidden, inChunks } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { notEnough, receive } from '../harness/stock/stock.ts';

const service = useService();

/** The record of one item as JSON text, digit for digit, or undefined. */
async function levelText(client: ApiClient, path: string, partNo: number): Promise<string | undefined> {
  const answer = await client.get(`${path}?pageSize=250`);
  expect(answer.status).toBe(200);
  return answer.text.match(new RegExp(`\\{"partNo":${partNo},[^}]*\\}`))?.[0];
}

async function levelOf(client: ApiClient, path: string, partNo: number) {
  return JSON.parse((await levelText(client, path, partNo)) ?? 'null');
}

const nothing = { available: 0, inStock: 0, onOrder: 0, onHold: 0, committed: 0, packed: 0, aSN: 0 };

test('200: one record per item, summed over every warehouse in scope', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const { lot } = await receive(client, itemID, 2.5);
  await receive(client, itemID, 1);
  await receive(client, itemID, 0.25, { wid: 2 });
  const { partNo } = lot;
  expect(await levelOf(client, '/Inventory/StockLevels', partNo)).toEqual({
    ...nothing,
    partNo,
    available: 3.75,
    inStock: 3.75,
  });
  expect(await levelOf(client, '/Inventory/StockLevels/1', partNo)).toEqual({
    ...nothing,
    partNo,
    available: 3.5,
    inStock: 3.5,
  });
  expect(await levelOf(client, '/Inventory/StockLevels/2', partNo)).toEqual({
    ...nothing,
    partNo,
    available: 0.25,
    inStock: 0.25,
  });
});

test('200: the paged envelope and its headers, by partNo', async () => {
  const client = await service.client();
  for (let count = 0; count < 3; count++) await receive(client, await service.item(), 1);
  const answer = await client.get('/Inventory/StockLevels?pageSize=2&page=1');
  expect(answer.body).toEqual({
    value: [expect.anything(), expect.anything()],
    totalCount: expect.any(Number),
    page: 1,
    pageSize: 2,
    pageCount: Math.ceil(answer.body.totalCount / 2),
    hasMore: true,
  });
  expect(answer.headers.get('X-Total-Count')).toBe(String(answer.body.totalCount));
  expect(answer.body.value[0].partNo).toBeLessThan(answer.body.value[1].partNo);
});

test('available = inStock - onHold - committed - packed, and may be negative', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const { recNo, lot } = await receive(client, itemID, 10);
  await receive(client, itemID, 5);
  const { partNo } = lot;
  await holdLot(service.sql, { recNo, reason: 'inspection' });
  await service.sql`
    update stock_level
    set on_order = 7.5, committed = 4.000001, packed = 3, asn = 2
    where part_no = ${partNo}`;
  const expected = {
    partNo,
    available: -2.000001,
    inStock: 15,
    onOrder: 7.5,
    onHold: 10,
    committed: 4.000001,
    packed: 3,
    aSN: 2,
  };
  expect(await levelOf(client, '/Inventory/StockLevels', partNo)).toEqual(expected);
  expect(await levelOf(client, '/Inventory/StockLevels/1', partNo)).toEqual(expected);
  await releaseLot(service.sql, recNo);
  expect(await levelOf(client, '/Inventory/StockLevels', partNo)).toEqual({
    ...expected,
    onHold: 0,
    available: 7.999999,
  });
});

test('available counts expired units, which an Issue does not take', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const { lot } = await receive(client, itemID, 2);
  await receive(client, itemID, 5, { expires: '2020-01-01' });
  const level = await levelOf(client, '/Inventory/StockLevels', lot.partNo);
  expect(level).toMatchObject({ available: 7, inStock: 7 });
  const issue = await client.post('/Inventory/Issue', { itemID, units: 7, wid: 1, reasonCode: 0 });
  expectAnswer(issue, 409, notEnough(7, 2, '5 expired'));
});

test('onOrder, committed, packed and aSN never change with the stock', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const { lot } = await receive(client, itemID, 10);
  await service.sql`
    update stock_level set on_order = 1, committed = 2, packed = 3, asn = 4 where part_no = ${lot.partNo}`;
  await client.post('/Inventory/Issue', { itemID, units: 9, wid: 1, reasonCode: 0 });
  await client.post('/Inventory/Move', { itemID, units: 1, wid: 1, shipToWid: 2 });
  expect(await levelOf(client, '/Inventory/StockLevels/1', lot.partNo)).toEqual({
    partNo: lot.partNo,
    available: -5,
    inStock: 0,
    onOrder: 1,
    onHold: 0,
    committed: 2,
    packed: 3,
    aSN: 4,
  });
});

test('an item stays listed when its stock is gone, and is not listed before it had any', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const issue = { itemID, units: 1, wid: 1, reasonCode: 0 };
  expect((await client.post('/Inventory/Issue', issue)).status).toBe(409);
  const [{ part_no: partNo }] = (await service.sql`
    select part_no from item where short_id = ${itemID}`) as unknown as [{ part_no: number }];
  expect(await levelText(client, '/Inventory/StockLevels', partNo)).toBeUndefined();
  await receive(client, itemID, 1);
  await client.post('/Inventory/Issue', issue);
  expect(await levelOf(client, '/Inventory/StockLevels', partNo)).toEqual({ ...nothing, partNo });
  expect(await levelText(client, '/Inventory/StockLevels/2', partNo)).toBeUndefined();
});

test('an item is listed even when it came and went in one batch', async () => {
  const client = await service.client();
  const listed = await inChunks(20, 20, async () => {
    const itemID = await service.item();
    const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
    const [received, issued] = await Promise.all([
      client.post('/Inventory/Receive', body),
      client.post('/Inventory/Issue', body),
    ]);
    expect(received.status).toBe(201);
    expect([200, 409]).toContain(issued.status);
    return received.body.lot.partNo as number;
  });
  for (const partNo of listed) {
    expect(await levelText(client, '/Inventory/StockLevels', partNo)).toBeDefined();
  }
});

test('a sum of more than 15 digits is exact in the bytes', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const answers = await inChunks(300, 50, (index) =>
    receive(client, itemID, 999999999.999999, { wid: 1 + (index % 2) }),
  );
  const { partNo } = answers[0]!.lot;
  const level = (sum: string) =>
    `{"partNo":${partNo},"available":${sum},"inStock":${sum},"onOrder":0,"onHold":0,"committed":0,"packed":0,"aSN":0}`;
  expect(await levelText(client, '/Inventory/StockLevels', partNo)).toBe(level('299999999999.9997'));
  expect(await levelText(client, '/Inventory/StockLevels/1', partNo)).toBe(level('149999999999.99985'));
  const issue = await client.post('/Inventory/Issue', { itemID, units: 0.000001, wid: 1, reasonCode: 0 });
  expect(issue.text).toContain('"units":0.000001,"remaining":999999999.999998');
  expect(await levelText(client, '/Inventory/StockLevels', partNo)).toBe(level('299999999999.999699'));
});

test('403: a warehouse out of scope or one that does not exist', async () => {
  const client = await service.client();
  for (const wid of ['3', '999', '0', '2147483648']) {
    expectAnswer(await client.get(`/Inventory/StockLevels/${wid}`), 403, forbidden.scope);
  }
});

test('modifiedSince: a level counts as modified whenever any column changes', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const { recNo, lot } = await receive(client, itemID, 5);
  const changes: [string, () => Promise<unknown>][] = [
    ['receive', () => receive(client, itemID, 1)],
    ['issue', () => client.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0 })],
    ['move away', () => client.post('/Inventory/Move', { itemID, units: 1, wid: 1, shipToWid: 2 })],
    ['hold', () => holdLot(service.sql, { recNo, reason: 'inspection' })],
    ['release', () => releaseLot(service.sql, recNo)],
  ];
  for (const [what, change] of changes) {
    const [row] = await service.sql`
      select to_char(max(modified) + interval '1 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since
      from stock_level`;
    const partNos = async () => {
      const { body } = await client.get(`/Inventory/StockLevels/1?modifiedSince=${row!.since}`);
      return body.value.map((level: { partNo: number }) => level.partNo);
    };
    expect(await partNos(), what).toEqual([]);
    await expect.poll(async () => Date.now() > Date.parse(row!.since)).toBe(true);
    await change();
    expect(await partNos(), what).toEqual([lot.partNo]);
  }
});

test('modifiedSince: a level over several warehouses has the sums of all, even when it changed in only one', async () => {
  const client = await service.client();
  const narrow = await service.client({ warehouses: [2] });
  const wide = await service.client({ warehouses: [1, 2, 3] });
  const quiet = await service.item();
  const changed = await service.item();
  const elsewhere = await service.item();
  for (const itemID of [quiet, changed, elsewhere]) {
    for (const wid of [1, 2, 3]) await receive(wide, itemID, wid, { wid });
  }
  const [row] = await service.sql`
    select to_char(max(modified) + interval '1 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since from stock_level`;
  await expect.poll(async () => Date.now() > Date.parse(row!.since)).toBe(true);
  const { lot } = await receive(wide, changed, 10, { wid: 1 });
  const outside = await receive(wide, elsewhere, 10, { wid: 3 });
  const since = async (asker: ApiClient, list: string, more = '') => {
    const { status, body } = await asker.get(`${list}?modifiedSince=${row!.since}${more}`);
    expect(status).toBe(200);
    expect(body.totalCount).toBe(body.value.length);
    return body.value.map(({ partNo, inStock }: { partNo: number; inStock: number }) => [partNo, inStock]);
  };
  expect(await since(client, '/Inventory/StockLevels')).toEqual([[lot.partNo, 13]]);
  expect(await since(client, '/Inventory/StockLevels/1')).toEqual([[lot.partNo, 11]]);
  expect(await since(client, '/Inventory/StockLevels/2')).toEqual([]);
  expect(await since(narrow, '/Inventory/StockLevels')).toEqual([]);
  const both = [
    [lot.partNo, 16],
    [outside.lot.partNo, 16],
  ];
  expect(await since(wide, '/Inventory/StockLevels')).toEqual(both);
  expect(await since(wide, '/Inventory/StockLevels', '&sort=partNo&direction=desc')).toEqual(
    both.toReversed(),
  );
  expect(await since(wide, '/Inventory/StockLevels', '&direction=desc')).toEqual(both);
});
