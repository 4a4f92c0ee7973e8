import { releaseLot } from '@inventory/db/operator/holds';
import { expect } from 'vitest';
import { expectAnswer, inChunks, invalid } from '../harness/contract/answers.ts';
import { type ItemStock, stockOf, useStock } from '../harness/contract/item-stock.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { notEnough, receive } from '../harness/stock/stock.ts';

const { service, test } = useStock();

const list = '/Inventory/StockLevels';

/** The records of this item as JSON text, digit for digit. */
async function levelText(client: ApiClient, itemID: string, place = '', query = ''): Promise<string> {
  const { status, text } = await client.get(`${list}${place}?itemID=${itemID}${query}`);
  expect(status, text).toBe(200);
  return /"value":\[(.*?)\]/.exec(text)![1]!;
}

async function levelOf(...asked: Parameters<typeof levelText>) {
  return JSON.parse((await levelText(...asked)) || 'null');
}

/** A level with nothing but these figures. */
const figures = (some: object) => ({
  ...{ partNo: expect.any(Number), available: 0, inStock: 0, onOrder: 0, onHold: 0 },
  ...{ committed: 0, packed: 0, aSN: 0, ...some },
});

async function setOrderQuantities(itemID: string, quantities: Record<string, number>) {
  await service.sql`
    update stock_level set ${service.sql(quantities)}
    where part_no = (select part_no from item where short_id = ${itemID})`;
}

test('200: one record per item, summed over every warehouse in scope', async ({ client, itemID, stock }) => {
  for (const [units, wid] of [
    [2.5, 1],
    [1, 1],
    [0.25, 2],
  ] as const)
    await stock.addLot(units, { wid });
  for (const [place, sum] of Object.entries({ '': 3.75, '/1': 3.5, '/2': 0.25 }))
    expect(await levelOf(client, itemID, place)).toEqual(figures({ available: sum, inStock: sum }));
  await receive(client, await service.item(), 1);
  const { body } = await client.get(`${list}?pageSize=250`);
  const partNos = body.value.map(({ partNo }: { partNo: number }) => partNo);
  expect(partNos).toEqual([...new Set<number>(partNos)].sort((a, b) => a - b));
});

test('200: available = inStock - onHold - committed - packed', async ({ client, itemID, stock }) => {
  const recNo = await stock.addLot(10);
  await stock.addLot(5);
  await stock.hold(recNo);
  await setOrderQuantities(itemID, { on_order: 7.5, committed: 4.000001, packed: 3, asn: 2 });
  const quantities = { inStock: 15, onOrder: 7.5, committed: 4.000001, packed: 3, aSN: 2 };
  const held = figures({ ...quantities, onHold: 10, available: -2.000001 });
  for (const place of ['', '/1']) expect(await levelOf(client, itemID, place)).toEqual(held);
  await releaseLot(service.sql, recNo);
  expect(await levelOf(client, itemID)).toEqual(figures({ ...quantities, available: 7.999999 }));
});

test('200: available counts expired units, which an Issue does not take', async ({ stock }) => {
  const { client, itemID } = stock;
  await stock.addLot(2);
  await stock.addLot(5, { expires: '2020-01-01' });
  expect(await levelOf(client, itemID)).toEqual(figures({ available: 7, inStock: 7 }));
  expectAnswer(await stock.call('Issue', { units: 7 }), 409, notEnough(7, 2, '5 expired'));
});

test('200: onOrder, committed, packed and aSN never change with stock', async ({ client, itemID, stock }) => {
  await stock.addLot(10);
  await setOrderQuantities(itemID, { on_order: 1, committed: 2, packed: 3, asn: 4 });
  await stock.done('Issue', { units: 9 });
  await stock.done('Move', { units: 1, shipToWid: 2 });
  const kept = figures({ available: -5, onOrder: 1, committed: 2, packed: 3, aSN: 4 });
  expect(await levelOf(client, itemID, '/1')).toEqual(kept);
});

test('200: an item that ever had stock, even within one batch, and no other', async ({ stock }) => {
  const { client, itemID } = stock;
  expect((await stock.call('Issue', { units: 1 })).status).toBe(409);
  expect(await levelOf(client, itemID)).toBeNull();
  const operation = { itemID, units: 1, wid: 1, reasonCode: 0 };
  const operations = [
    { op: 'receive', ...operation },
    { op: 'issue', ...operation },
  ];
  const batch = await client.post('/Inventory/Batch', { mode: 'atomic', operations });
  expect(batch.status, batch.text).toBe(200);
  expect(await levelOf(client, itemID)).toEqual(figures({}));
  expect(await levelOf(client, itemID, '/2')).toBeNull();
});

test('200: a sum of more than 15 digits is exact in the bytes', async ({ client, itemID, stock }) => {
  await inChunks(300, 50, (index) => stock.addLot(999999999.999999, { wid: 1 + (index % 2) }));
  const sums = (sum: string) => `"available":${sum},"inStock":${sum},"onOrder":0,`;
  expect(await levelText(client, itemID)).toContain(sums('299999999999.9997'));
  expect(await levelText(client, itemID, '/1')).toContain(sums('149999999999.99985'));
  const issue = await stock.call('Issue', { units: 0.000001 });
  expect(issue.text).toContain('"units":0.000001,"remaining":999999999.999998');
  expect(await levelText(client, itemID)).toContain(sums('299999999999.999699'));
});

test('200: a changed level has the sums of all warehouses in scope', async () => {
  const keeper = await service.client({ warehouses: [1, 2, 3] });
  const items: ItemStock[] = [];
  for (let count = 0; count < 3; count++) {
    items.push(stockOf(service, keeper, await service.item()));
    for (const wid of [1, 2, 3]) await items[count]!.addLot(wid, { wid });
  }
  const [row] = await service.sql<{ since: Date }[]>`
    select date_trunc('milliseconds', max(modified)) + interval '1 ms' as since from stock_level`;
  await expect.poll(async () => Date.now() > row!.since.getTime()).toBe(true);
  const changed = await items[1]!.done('Receive', { units: 10, wid: 1 });
  const elsewhere = await items[2]!.done('Receive', { units: 10, wid: 3 });
  const of = ({ lot }: { lot: { partNo: number } }, inStock: number) => [lot.partNo, inStock];
  const all = [of(changed, 16), of(elsewhere, 16)];
  for (const [warehouses, place, query, expected] of [
    [[1, 2], '', '', [of(changed, 13)]],
    [[1, 2], '/1', '', [of(changed, 11)]],
    [[1, 2], '/2', '', []],
    [[2], '', '', []],
    [[1, 2, 3], '', '', all],
    [[1, 2, 3], '', '&sort=partNo&direction=desc', all.toReversed()],
  ] as const) {
    const client = await service.client({ warehouses: [...warehouses] });
    const { body } = await client.get(`${list}${place}?modifiedSince=${row!.since.toISOString()}${query}`);
    const levels = body.value.map((level: Record<string, number>) => [level.partNo, level.inStock]);
    expect([levels, body.totalCount]).toEqual([expected, expected.length]);
  }
});

test('200: view=full adds the item’s names, and when it was modified', async ({ client, itemID, stock }) => {
  await client.put('/Item', { shortID: itemID, description: 'before' });
  const { lot } = await stock.done('Receive', { units: 10 });
  await stock.addLot(5, { wid: 2 });
  const full = await levelOf(client, itemID, '', '&view=full');
  expect(full).toMatchObject({ inStock: 15, shortID: itemID, description: 'before' });
  for (const query of ['view=full&pageSize=250', `view=full&partNo=${lot.partNo}&sort=inStock`])
    expect((await client.get(`${list}?${query}`)).body.value).toContainEqual(full);
  const { description: _d, shortID: _s, minimum: _m, modified, ...plain } = full;
  expect(await levelOf(client, itemID)).toEqual(plain);
  const later = `&modifiedSince=${new Date(Date.parse(modified) + 1).toISOString()}`;
  expect(await levelOf(client, itemID, '', `&view=full${later}`)).toBeNull();
  await client.put('/Item', { shortID: itemID, description: 'after' });
  const changed = await levelOf(client, itemID, '', `&view=full${later}`);
  expect(changed).toEqual({ ...full, description: 'after', modified: expect.any(String) });
  expect(Date.parse(changed.modified)).toBeGreaterThan(Date.parse(modified));
  expect(await levelOf(client, itemID, '', later)).toBeNull();
});

test('200: no levels of an unknown item, or out of scope; 400: unreadable filters', async ({ stock }) => {
  const { client, itemID } = stock;
  const { lot } = await stock.done('Receive', { units: 1 });
  const elsewhere = await service.client({ warehouses: [2] });
  for (const query of [`itemID=${itemID}`, `partNo=${lot.partNo}`, 'itemID=NONE', 'partNo=2147483647'])
    expect((await elsewhere.get(`${list}?${query}`)).body, query).toMatchObject({ value: [], totalCount: 0 });
  const noName = 'must not contain U+0000 or a lone surrogate.';
  const said = invalid({ partNo: 'must be a plain integer.', itemID: noName, view: 'must be full.' });
  expectAnswer(await client.get(`${list}?partNo=x&itemID=%00&view=some`), 400, said);
});

test('200: the levels of up to 100 items, over the warehouses in scope, paged; 400: more, or no numbers', async ({
  client,
}) => {
  const keeper = await service.client({ warehouses: [1, 2, 3] });
  const partNos: number[] = [];
  for (let count = 0; count < 4; count++) {
    const item = stockOf(service, keeper, await service.item());
    const { lot } = await item.done('Receive', { units: count + 1, wid: 1 + (count % 3) });
    await item.addLot(10, { wid: 2 });
    partNos.push(lot.partNo);
  }
  const asked = [...partNos].reverse();
  const listed = async (query: string, place = '') => {
    const { body, text } = await client.get(`${list}${place}?partNos=${query}`);
    expect(body.value, text).toBeDefined();
    return [
      body.value.map(({ partNo, inStock }: { partNo: number; inStock: number }) => [partNo, inStock]),
      body.totalCount,
    ];
  };
  const [a, b, c, d] = partNos as [number, number, number, number];
  const all = [
    [a, 11],
    [b, 12],
    [c, 10],
    [d, 14],
  ];
  expect(await listed(`${asked},${a},2147483647,0`)).toEqual([all, 4]);
  expect(await listed(`${asked}&pageSize=3&page=2`)).toEqual([[all[3]], 4]);
  expect(await listed(`${asked}&sort=inStock&direction=desc`)).toEqual([[all[3], all[1], all[0], all[2]], 4]);
  expect(await listed(`${asked}`, '/1')).toEqual([
    [
      [a, 1],
      [d, 4],
    ],
    2,
  ]);
  expect(await listed(`${asked}&partNo=${b}`)).toEqual([[all[1]], 1]);
  expect(await listed(Array(100).fill(c).join())).toEqual([[all[2]], 1]);
  for (const [query, said] of [
    [Array(101).fill(1).join(), 'must be at most 100.'],
    ['', 'must be integers with commas between them.'],
    ['1,', 'must be integers with commas between them.'],
    ['1, 2', 'must be integers with commas between them.'],
    ['1,2147483648', 'must be at most 2147483647 each.'],
  ] as const)
    expectAnswer(await client.get(`${list}?partNos=${query}`), 400, invalid({ partNos: said }));
});
