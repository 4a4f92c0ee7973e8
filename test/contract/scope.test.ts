import { allItems } from '@inventory/db/lists/list-items';
import { lots } from '@inventory/db/lists/list-lots';
import { stockLevels } from '@inventory/db/lists/list-stock-levels';
import { expect } from 'vitest';
import { expectAnswer, forbidden } from '../harness/contract/answers.ts';
import { stockOf, useStock } from '../harness/contract/item-stock.ts';
import { sortColumnsOf } from '../harness/contract/routes.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { receive } from '../harness/stock/stock.ts';
import { untilRightsHold } from '../harness/watch/rights-hold.ts';

const { service, test } = useStock();

const pages = ['', '?pageSize=1', '?pageSize=2&page=2', '?modifiedSince=2000-01-01'];
const filters = ['?inStock=true', '?inStock=false', '?hold=true', '?spot=A'];
const listPaths = [
  ...[...pages, ...filters].flatMap((query) => [`/Inventory${query}`, `/Inventory/1${query}`]),
  ...pages.flatMap((query) => [`/Inventory/StockLevels${query}`, `/Inventory/StockLevels/1${query}`]),
  ...sortColumnsOf(lots).map((column) => `/Inventory?sort=${column}&direction=DESC`),
  ...sortColumnsOf(stockLevels).map((column) => `/Inventory/StockLevels?sort=${column}&direction=DESC`),
  ...sortColumnsOf(allItems).map((column) => `/Item/All?sort=${column}`),
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

// security/non-interference.test.ts compares two whole worlds.
test('200: stock out of scope changes not a byte of any list', async () => {
  const narrow = await service.client({ warehouses: [1] });
  const keeper = await service.client({ warehouses: [1, 2, 3] });
  const [shared, foreign] = [await service.item(), await service.item()].map((itemID) =>
    stockOf(service, keeper, itemID),
  );
  await shared!.addLot(5, { spot: 'A' });
  await shared!.addLot(2);
  await shared!.done('Issue', { units: 2, spot: '' });
  const since = new Date(Date.now() - 60_000).toISOString();
  const extra = [
    ...[`/Inventory?modifiedSince=${since}`, `/Inventory/StockLevels?modifiedSince=${since}`],
    ...[`/Inventory?itemID=${foreign!.itemID}`, `/Inventory?itemID=${shared!.itemID}`],
    ...['/Inventory/3', '/Inventory/StockLevels/3', '/Inventory/2', '/Inventory/4000'],
  ];
  const before = await everything(narrow, extra);

  await shared!.addLot(100, { wid: 3, spot: 'A', serial: 'S' });
  await shared!.hold(await shared!.addLot(7, { wid: 3 }));
  await foreign!.addLot(3, { wid: 2 });
  await foreign!.addLot(0.5, { wid: 3 });
  await shared!.done('Move', { units: 50, wid: 3, toSpot: 'B' });
  await shared!.done('Move', { units: 10, wid: 3, shipToWid: 2 });
  await foreign!.done('Issue', { units: 3, wid: 2 });
  await service.sql`
    update stock_level
    set on_order = 5, committed = 6, packed = 7, asn = 8, modified = now()
    where wid <> 1`;
  await service.sql`insert into warehouse (wid, name) values (4000, 'New')`;

  expect(await everything(narrow, extra)).toEqual(before);
  const levels = async (client: ApiClient) => (await client.get('/Inventory/StockLevels')).text;
  expect(await levels(keeper)).not.toBe(await levels(narrow));
});

test('200: two clients with one scope see the same, whatever else differs', async () => {
  const one = await service.client({ warehouses: [1, 2] });
  const two = await service.client({ warehouses: [2, 1], permissions: [11], readOnly: true });
  expect(await everything(one)).toEqual(await everything(two));
});

test.for(['3', '999', '0', '2147483648', '99999999999999999999'])(
  '403: warehouse %s, out of scope or one that does not exist',
  async (wid, { client }) => {
    for (const path of ['/Inventory', '/Inventory/StockLevels'])
      expectAnswer(await client.get(`${path}/${wid}`), 403, forbidden.scope);
  },
);

test('refusals of transactions reveal nothing of other warehouses', async ({ itemID }) => {
  const stock = stockOf(service, await service.client({ warehouses: [1] }), itemID);
  const refusals = async () => {
    const answers = [
      await stock.call('Issue', { units: 1 }),
      await stock.call('Issue', { units: 1, wid: 3 }),
      await stock.call('Move', { units: 1, toSpot: 'B' }),
      await stock.call('Move', { units: 1, wid: 3, shipToWid: 1 }),
      await stock.call('Move', { units: 1, shipToWid: 3 }),
      await stock.call('Issue', { units: 1, recno: 1_000_000 }),
    ];
    return answers.map(({ text }) => text);
  };
  const before = await refusals();
  await service.sql`select setval('lot_rec_no_seq', 999999)`;
  const keeper = await service.client({ warehouses: [3] });
  expect((await receive(keeper, itemID, 5, { wid: 3 })).recNo).toBe(1_000_000);
  expect(await refusals()).toEqual(before);
});

test('a change of the scope holds within a second: lists, levels and transactions', async ({ itemID }) => {
  const client = await service.client({ warehouses: [1] });
  expectAnswer(await client.get('/Inventory/2'), 403, forbidden.scope);
  await service.sql`insert into client_warehouse (client_id, wid) values (${client.clientId}, 2)`;
  await untilRightsHold();
  expect((await client.get('/Inventory/2')).status).toBe(200);
  await service.sql`delete from client_warehouse where client_id = ${client.clientId}`;
  await untilRightsHold();
  for (const path of ['/Inventory/1', '/Inventory/StockLevels/1'])
    expectAnswer(await client.get(path), 403, forbidden.scope);
  expect((await client.get('/Inventory')).body).toMatchObject({ value: [], totalCount: 0 });
  const issue = await stockOf(service, client, itemID).call('Issue', { units: 1 });
  expectAnswer(issue, 403, forbidden.scope);
});
