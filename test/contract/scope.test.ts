import { itemSortColumns } from '@inventory/db/lists/list-items';
import { lotSortColumns } from '@inventory/db/lists/list-lots';
import { stockLevelSortColumns } from '@inventory/db/lists/list-stock-levels';
import { holdLot } from '@inventory/db/operator/holds';
import { expect, test } from 'vitest';
import { forbidden } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { untilRightsHold } from '../harness/watch/rights-hold.ts';

const service = useService();

const epoch = 'modifiedSince=2000-01-01';
const listPaths = [
  ...[
    '',
    '?pageSize=1',
    '?pageSize=2&page=2',
    `?${epoch}`,
    '?inStock=true',
    '?inStock=false',
    '?hold=true',
    '?spot=A',
  ].flatMap((query) => [`/Inventory${query}`, `/Inventory/1${query}`]),
  ...lotSortColumns.map((column) => `/Inventory?sort=${column}&direction=DESC`),
  ...['', '?pageSize=1', `?${epoch}`].flatMap((query) => [
    `/Inventory/StockLevels${query}`,
    `/Inventory/StockLevels/1${query}`,
  ]),
  ...stockLevelSortColumns.map((column) => `/Inventory/StockLevels?sort=${column}&direction=DESC`),
  ...itemSortColumns.map((column) => `/Item/All?sort=${column}`),
];

/** Every list, byte for byte, with the headers that carry data. */
async function everything(client: ApiClient, extra: string[] = []): Promise<string[]> {
  const texts = [];
  for (const path of [...listPaths, ...extra]) {
    const { status, headers, text } = await client.get(path);
    const told = [...headers].filter(([name]) => /^x-(total|page)|length/.test(name));
    texts.push(JSON.stringify([path, status, told, text]));
  }
  return texts;
}

test('200: stock out of scope changes not a byte of any list', async () => {
  const narrow = await service.client({ warehouses: [1] });
  const other = await service.client({ warehouses: [1, 2, 3] });
  const shared = await service.item();
  const foreign = await service.item();
  const receive = (itemID: string, units: number, wid: number, fields = {}) =>
    other.post('/Inventory/Receive', { itemID, units, wid, reasonCode: 0, ...fields });
  await receive(shared, 5, 1, { spot: 'A' });
  await receive(shared, 2, 1);
  await other.post('/Inventory/Issue', { itemID: shared, units: 2, wid: 1, reasonCode: 0, spot: '' });
  const since = new Date(Date.now() - 60_000).toISOString();
  const extra = [
    `/Inventory?modifiedSince=${since}`,
    `/Inventory/StockLevels?modifiedSince=${since}`,
    `/Inventory?itemID=${foreign}`,
    `/Inventory?itemID=${shared}`,
    '/Inventory/3',
    '/Inventory/StockLevels/3',
    '/Inventory/2',
    '/Inventory/4000',
  ];
  const before = await everything(narrow, extra);

  await receive(shared, 100, 3, { spot: 'A', serial: 'S' });
  const held = await receive(shared, 7, 3);
  await holdLot(service.sql, { recNo: held.body.recNo, reason: 'inspection' });
  await receive(foreign, 3, 2);
  await receive(foreign, 0.5, 3);
  await other.post('/Inventory/Move', { itemID: shared, units: 50, wid: 3, toSpot: 'B' });
  await other.post('/Inventory/Move', { itemID: shared, units: 10, wid: 3, shipToWid: 2 });
  await other.post('/Inventory/Issue', { itemID: foreign, units: 3, wid: 2, reasonCode: 0 });
  await service.sql`
    update stock_level
    set on_order = 5, committed = 6, packed = 7, asn = 8, modified = now()
    where wid <> 1`;
  await service.sql`insert into warehouse (wid, name) values (4000, 'New')`;

  expect(await everything(narrow, extra)).toEqual(before);
  expect((await other.get('/Inventory/StockLevels')).text).not.toBe(
    (await narrow.get('/Inventory/StockLevels')).text,
  );
});

test('200: two clients with one scope see the same, whatever else differs', async () => {
  const one = await service.client({ warehouses: [1, 2] });
  const two = await service.client({ warehouses: [2, 1], permissions: [11], readOnly: true });
  expect(await everything(one)).toEqual(await everything(two));
});

test('200: a list over all warehouses is the sum of the lists of each in scope', async () => {
  const client = await service.client({ warehouses: [1, 2] });
  const itemID = await service.item();
  for (const wid of [1, 2]) {
    await client.post('/Inventory/Receive', { itemID, units: 1, wid, reasonCode: 0 });
  }
  const total = async (path: string) => (await client.get(path)).body.totalCount;
  expect(await total('/Inventory')).toBe((await total('/Inventory/1')) + (await total('/Inventory/2')));
});

test('refusals of transactions reveal nothing of other warehouses', async () => {
  const narrow = await service.client({ warehouses: [1] });
  const other = await service.client({ warehouses: [3] });
  const itemID = await service.item();
  const attempts: [string, object][] = [
    ['/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0 }],
    ['/Inventory/Issue', { itemID, units: 1, wid: 3, reasonCode: 0 }],
    ['/Inventory/Move', { itemID, units: 1, wid: 1, toSpot: 'B' }],
    ['/Inventory/Move', { itemID, units: 1, wid: 3, shipToWid: 1 }],
    ['/Inventory/Move', { itemID, units: 1, wid: 1, shipToWid: 3 }],
    ['/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0, recno: 1_000_000 }],
  ];
  const answers = async () => {
    const texts = [];
    for (const [path, body] of attempts) texts.push((await narrow.post(path, body)).text);
    return texts;
  };
  const before = await answers();
  await service.sql`select setval('lot_rec_no_seq', 999999)`;
  const { body } = await other.post('/Inventory/Receive', { itemID, units: 5, wid: 3, reasonCode: 0 });
  expect(body.recNo).toBe(1_000_000);
  expect(await answers()).toEqual(before);
});

test('a change of the scope holds within a second: lists, levels and transactions', async () => {
  const client = await service.client({ warehouses: [1] });
  const itemID = await service.item();
  expect((await client.get('/Inventory/2')).body).toEqual(forbidden.scope);
  await service.sql`insert into client_warehouse (client_id, wid) values (${client.clientId}, 2)`;
  await untilRightsHold();
  expect((await client.get('/Inventory/2')).status).toBe(200);
  await service.sql`delete from client_warehouse where client_id = ${client.clientId}`;
  await untilRightsHold();
  expect((await client.get('/Inventory/1')).status).toBe(403);
  expect((await client.get('/Inventory')).body).toMatchObject({ value: [], totalCount: 0 });
  const issue = await client.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0 });
  expect(issue.body).toEqual(forbidden.scope);
});
