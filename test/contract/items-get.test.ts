import { addAlias } from '@inventory/db/catalog/aliases';
import { expect } from 'vitest';
import {
  errorObject,
  expectAnswer,
  invalid,
  plainItem,
  validationError,
} from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName } from '../harness/service/service.ts';

const { service, test } = useStock();

const noItem = errorObject(404, 'not_found', 'There is no such item.');
const noPartNo = errorObject(
  404,
  'not_found',
  'A part number is an integer. To get an item by its ShortID, call GET /Item?key=<ShortID>&type=id.',
);

async function create(client: ApiClient, fields: object = {}) {
  const { body } = await client.post('/Item', { shortID: uniqueName('I'), ...fields });
  const { status: _, ...item } = body;
  return item;
}

async function aliasOf(shortId: string) {
  const alias = uniqueName('Alias');
  expect(await addAlias(service.sql, { alias, shortId })).toBe('added');
  return alias;
}

test('200: one item by its number, without an envelope', async ({ client }) => {
  const { partNo, shortID } = await create(client, { description: 'Bolt', units: 0.5 });
  const answer = await client.get(`/Item/${partNo}`);
  const given = { partNo, shortID, description: 'Bolt', units: 0.5, createdBy: client.clientId };
  expectAnswer(answer, 200, { ...plainItem, ...given });
  expect(answer.headers.get('X-Total-Count')).toBeNull();
});

test('200: a number is a part number, never the ShortID that looks like it', async ({ client }) => {
  const other = await create(client);
  const named = await create(client, { shortID: String(other.partNo) });
  expectAnswer(await client.get(`/Item/${other.partNo}`), 200, other);
  expectAnswer(await client.get(`/Item?key=${other.partNo}&type=id`), 200, named);
});

test('200: one item by ShortID, with any characters', async ({ client }) => {
  for (const shortID of ['A/B', 'A&B=C', 'a+b', 'ä €', '100%', "O'Brien;--", 'A\\B"C', ' lead', '\ufffd']) {
    const item = await create(client, { shortID });
    expectAnswer(await client.get(`/Item?key=${encodeURIComponent(shortID)}&type=id`), 200, item);
  }
});

test('200: the item an alias points to', async ({ client }) => {
  const item = await create(client);
  const alias = await aliasOf(item.shortID);
  expectAnswer(await client.get(`/Item?key=${alias}&type=alias`), 200, item);
});

test('200: a discontinued item, by number, ShortID or alias', async ({ client }) => {
  const { partNo, shortID } = await create(client);
  const alias = await aliasOf(shortID);
  await client.delete(`/Item/${shortID}`);
  for (const path of [`/Item/${partNo}`, `/Item?key=${shortID}&type=id`, `/Item?key=${alias}&type=alias`])
    expect((await client.get(path)).body).toMatchObject({ partNo, discontinued: true });
});

test('404: a key of another kind, in another case, or of no item', async ({ client, itemID }) => {
  const alias = await aliasOf(itemID);
  const keys = {
    id: ['NONE', itemID.toLowerCase(), alias, ''],
    alias: ['NONE', itemID, alias.toLowerCase()],
  };
  for (const [type, none] of Object.entries(keys)) {
    for (const key of none) expectAnswer(await client.get(`/Item?key=${key}&type=${type}`), 404, noItem);
  }
});

test.for(['999999', '0', '2147483647', '2147483648', '99999999999999999999'])(
  '404: the number %s, which no item has',
  async (partNo, { client }) => {
    const { status, body } = await client.get(`/Item/${partNo}`);
    expect([status, body.error]).toEqual([404, 'not_found']);
  },
);

test.for(['abc', '1.0', '-1', '+1', '1e3', '0x1', '%31%00', '%zz', '%', ' 1', '1%20', 'WIDGET-100', 'all'])(
  '404: "%s" is not an item number, and the answer says what to call instead',
  async (partNo, { client }) => expectAnswer(await client.get(`/Item/${partNo}`), 404, noPartNo),
);

const type = ['type must be id or alias.'];
const key = ['key must not contain U+0000 or a lone surrogate.'];
const once = (field: string) => [`${field} must be given once.`];
const misencoded = (field: string) => [`${field} must be percent-encoded UTF-8.`];

test.for<[query: string, details: Record<string, string[]>]>([
  ...['key=X', 'key=X&type=', 'key=X&type=ID', 'key=X&type=sku'].map(
    (query): [string, { type: string[] }] => [query, { type }],
  ),
  ['key=A%00&type=id', { key }],
  ['key=A%00&type=alias', { key }],
  ['key=A%00', { key, type }],
  ['key=A%00&type=sku', { key, type }],
  ['key=A&key=B', { key: once('key'), type }],
  ['key=A%00&x=1&x=1', { key, type, x: once('x') }],
  ['key=A&type=id&type=id', { type: once('type') }],
  ['key=A&page=0&page=0', { page: once('page'), type }],
  ['Category=x&x=1&x=1', { Category: ['Category must be an integer.'], x: once('x') }],
  ['key=M%FCller&type=sku&x=1&x=1', { key: misencoded('key'), type, x: once('x') }],
])('400: every offending parameter of the look-up %s is named', async ([query, details], { client }) => {
  expectAnswer(await client.get(`/Item?${query}`), 400, validationError(details));
});

test('200: type without key is no look-up, nor are parameters in another case', async ({ client }) => {
  const { text } = await client.get('/Item');
  for (const query of ['type=id', 'Key=B', 'KEY=x&Type=id&category=5&PAGE=0'])
    expect((await client.get(`/Item?${query}`)).text).toBe(text);
});

test('codes are case-sensitive in a transaction and in a filter', async ({ itemID, stock }) => {
  await stock.addLot(1, { spot: 'Shelf', serial: 'Serial' });
  const unknown = invalid({ itemID: 'is not a known item.' });
  expectAnswer(await stock.call('Issue', { itemID: itemID.toLowerCase(), units: 1 }), 400, unknown);
  for (const [field, other] of Object.entries({ spot: 'SHELF', serial: 'serial' })) {
    expect((await stock.call('Issue', { units: 1, [field]: other })).status).toBe(409);
    expect(await stock.lots(`&${field}=${other}`)).toEqual([]);
  }
});

test('200: with key or Category all paging parameters are ignored', async ({ client }) => {
  const item = await create(client, { category: 77 });
  const paging = 'page=0&pageSize=x&modifiedSince=never&sort=no&direction=up';
  expectAnswer(await client.get(`/Item?key=${item.shortID}&type=id&${paging}`), 200, item);
  expectAnswer(await client.get(`/Item?Category=77&${paging}`), 200, [item]);
});

test('200: the active items of a category, by ShortID, as a flat array', async ({ client }) => {
  const category = 4711;
  const items = [];
  for (const name of ['b', 'A', 'a', 'C', '_'])
    items.push(await create(client, { shortID: uniqueName(name), category }));
  const gone = await create(client, { category });
  await client.delete(`/Item/${gone.shortID}`);
  await create(client, { category: category + 1 });
  const answer = await client.get(`/Item?Category=${category}`);
  const byName = items.sort((a, b) => (a.shortID < b.shortID ? -1 : 1));
  expectAnswer(answer, 200, byName);
  for (const name of ['X-Total-Count', 'X-Page', 'X-Page-Size']) expect(answer.headers.get(name)).toBeNull();
});

test('200: all of a category, also more than a page holds', async ({ client }) => {
  await service.sql`
    insert into item (short_id, category, created_by)
    select 'MANY-' || number, 4800, 'test' from generate_series(1, 300) as number`;
  expect((await client.get('/Item?Category=4800')).body).toHaveLength(300);
});

test.for(['999', '2147483647'])(
  '200: an empty array for category %s, which no item has',
  async (none, { client }) => {
    expectAnswer(await client.get(`/Item?Category=${none}`), 200, []);
  },
);

const large = 'must be at most 2147483647.';
const negative = 'must be at least 0.';

test.for<[category: string, said: string]>([
  ...['', 'x', '1.5', '1e3', '%00', '-', '--1'].map((text): [string, string] => [
    text,
    'must be an integer.',
  ]),
  ...['2147483648', '4294967296', '9'.repeat(400)].map((text): [string, string] => [text, large]),
  ...['-1', `-${'9'.repeat(400)}`].map((text): [string, string] => [text, negative]),
])('400: Category "%s" %s', async ([category, said], { client }) => {
  expectAnswer(await client.get(`/Item?Category=${category}`), 400, invalid({ Category: said }));
});
