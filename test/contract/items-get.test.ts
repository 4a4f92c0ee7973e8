import { addAlias } from '@inventory/db/catalog/aliases';
import { expect, test } from 'vitest';
import { dateTime, errorObject, expectAnswer, validationError } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

const noItem = errorObject(404, 'not_found', 'There is no such item.');
const noPartNo = errorObject(
  404,
  'not_found',
  'A part number is an integer. To get an item by its ShortID, call GET /Item?key=<ShortID>&type=id.',
);

async function create(client: ApiClient, fields: object = {}) {
  const { status: _status, ...item } = (await client.post('/Item', { shortID: uniqueName('I'), ...fields }))
    .body;
  return item;
}

test('200: one item by its number, without an envelope', async () => {
  const client = await service.client();
  const item = await create(client, { description: 'Bolt', units: 0.5 });
  const answer = await client.get(`/Item/${item.partNo}`);
  expectAnswer(answer, 200, {
    partNo: item.partNo,
    shortID: item.shortID,
    description: 'Bolt',
    category: 0,
    subCategory: 0,
    uOM: 'EA',
    putUp: '',
    units: 0.5,
    dfltOwner: 0,
    created: dateTime,
    createdBy: client.clientId,
    modified: dateTime,
    discontinued: false,
  });
  expect(answer.headers.get('X-Total-Count')).toBeNull();
});

test('200: a discontinued item, by number, ShortID or alias', async () => {
  const client = await service.client();
  const { partNo, shortID } = await create(client);
  const alias = uniqueName('ALIAS');
  await addAlias(service.sql, { alias, shortId: shortID });
  await client.delete(`/Item/${shortID}`);
  for (const path of [`/Item/${partNo}`, `/Item?key=${shortID}&type=id`, `/Item?key=${alias}&type=alias`]) {
    const answer = await client.get(path);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ partNo, discontinued: true });
  }
});

test.each(['999999', '0', '2147483647', '2147483648', '99999999999999999999'])(
  '404: the number %s, which no item has',
  async (partNo) => {
    const client = await service.client();
    const answer = await client.get(`/Item/${partNo}`);
    expect(answer.status).toBe(404);
    expect(answer.body.error).toBe('not_found');
  },
);

test.each(['abc', '1.0', '-1', '+1', '1e3', '0x1', '%31%00', '%zz', '%', ' 1', '1%20', 'WIDGET-100'])(
  '404: "%s" is not an item number, and the answer says what to call instead',
  async (partNo) => {
    const client = await service.client();
    expectAnswer(await client.get(`/Item/${partNo}`), 404, noPartNo);
  },
);

test('200: one item by ShortID, with any characters', async () => {
  const client = await service.client();
  for (const shortID of ['A/B', 'A&B=C', 'a+b', 'ä €', '100%', "O'Brien;--", 'A\\B"C', ' lead', '\ufffd']) {
    const item = await create(client, { shortID });
    const answer = await client.get(`/Item?key=${encodeURIComponent(shortID)}&type=id`);
    expectAnswer(answer, 200, item);
  }
});

test('404: a ShortID that no item has, one in another case, and an alias', async () => {
  const client = await service.client();
  const shortID = await service.item();
  const alias = uniqueName('ALIAS');
  await addAlias(service.sql, { alias, shortId: shortID });
  for (const key of ['NONE', shortID.toLowerCase(), alias, '']) {
    expectAnswer(await client.get(`/Item?key=${key}&type=id`), 404, noItem);
  }
});

test('200: the item an alias points to', async () => {
  const client = await service.client();
  const item = await create(client);
  const alias = uniqueName('4006381333931');
  await addAlias(service.sql, { alias, shortId: item.shortID });
  expectAnswer(await client.get(`/Item?key=${alias}&type=alias`), 200, item);
});

test('404: an alias that does not exist, or a ShortID', async () => {
  const client = await service.client();
  const shortID = await service.item();
  for (const key of ['NONE', shortID]) {
    expectAnswer(await client.get(`/Item?key=${key}&type=alias`), 404, noItem);
  }
});

test.each(['', '&type=', '&type=ID', '&type=sku'])('400: key with "%s"', async (type) => {
  const client = await service.client();
  expectAnswer(
    await client.get(`/Item?key=X${type}`),
    400,
    validationError({ type: ['type must be id or alias.'] }),
  );
});

test('400: key with U+0000', async () => {
  const client = await service.client();
  for (const type of ['id', 'alias']) {
    expectAnswer(
      await client.get(`/Item?key=A%00&type=${type}`),
      400,
      validationError({ key: ['key must not contain U+0000 or a lone surrogate.'] }),
    );
  }
});

test('400: every offending parameter of a look-up is named', async () => {
  const client = await service.client();
  const key = ['key must not contain U+0000 or a lone surrogate.'];
  const type = ['type must be id or alias.'];
  const once = (field: string) => [`${field} must be given once.`];
  for (const [query, details] of [
    ['key=A%00', { key, type }],
    ['key=A%00&type=sku', { key, type }],
    ['key=A&key=B', { key: once('key'), type }],
    ['key=A%00&x=1&x=1', { key, type, x: once('x') }],
    ['key=A&type=id&type=id', { type: once('type') }],
    ['key=A&page=0&page=0', { page: once('page'), type }],
    ['Category=x&x=1&x=1', { Category: ['Category must be an integer.'], x: once('x') }],
  ] as const) {
    expectAnswer(await client.get(`/Item?${query}`), 400, validationError(details as never));
  }
});

test('200: a number is a part number, never the ShortID that looks like it', async () => {
  const client = await service.client();
  const other = await create(client);
  const named = await create(client, { shortID: String(other.partNo) });
  expectAnswer(await client.get(`/Item/${other.partNo}`), 200, other);
  expectAnswer(await client.get(`/Item?key=${other.partNo}&type=id`), 200, named);
});

test('codes are case-sensitive: an alias, an item of a transaction, a filter', async () => {
  const client = await service.client();
  const item = await create(client, { shortID: uniqueName('Case') });
  const alias = uniqueName('Alias');
  await addAlias(service.sql, { alias, shortId: item.shortID });
  expectAnswer(await client.get(`/Item?key=${alias.toLowerCase()}&type=alias`), 404, noItem);
  const body = { itemID: item.shortID, units: 1, wid: 1, reasonCode: 0, spot: 'Shelf', serial: 'Serial' };
  expect((await client.post('/Inventory/Receive', body)).status).toBe(201);
  expectAnswer(
    await client.post('/Inventory/Receive', { ...body, itemID: item.shortID.toUpperCase() }),
    400,
    validationError({ itemID: ['itemID is not a known item.'] }),
  );
  for (const other of [{ spot: 'SHELF' }, { serial: 'serial' }]) {
    expect((await client.post('/Inventory/Issue', { ...body, ...other })).status).toBe(409);
    const filter = new URLSearchParams({ itemID: item.shortID, ...other });
    expect((await client.get(`/Inventory?${filter}`)).body.totalCount).toBe(0);
  }
});

test('200: with key or Category the paging parameters are ignored, whatever their value', async () => {
  const client = await service.client();
  const item = await create(client, { category: 77 });
  const paging = 'page=0&pageSize=x&modifiedSince=never&sort=no&direction=up';
  expectAnswer(await client.get(`/Item?key=${item.shortID}&type=id&${paging}`), 200, item);
  expectAnswer(await client.get(`/Item?Category=77&${paging}`), 200, [item]);
});

test('200: the active items of a category, by ShortID, as a flat array without paging headers', async () => {
  const client = await service.client();
  const category = 4711;
  const names = ['b', 'A', 'a', 'C', '_'].map((name) => uniqueName(name));
  const items = [];
  for (const shortID of names) items.push(await create(client, { shortID, category }));
  const gone = await create(client, { category });
  await client.delete(`/Item/${gone.shortID}`);
  await create(client, { category: category + 1 });
  const answer = await client.get(`/Item?Category=${category}`);
  const byName = items.sort((a, b) => (a.shortID < b.shortID ? -1 : 1));
  expectAnswer(answer, 200, byName);
  for (const name of ['X-Total-Count', 'X-Page', 'X-Page-Size']) expect(answer.headers.get(name)).toBeNull();
});

test('200: a category with more items than a page holds', async () => {
  const client = await service.client();
  await service.sql`
    insert into item (short_id, category, created_by)
    select 'MANY-' || number, 4800, 'test'
    from generate_series(1, 300) as number`;
  expect((await client.get('/Item?Category=4800')).body).toHaveLength(300);
});

test.each(['999', '0', '2147483647'])(
  '200: an empty array for category %s, which no item has',
  async (category) => {
    const client = await service.client();
    await service.sql`update item set category = 1 where category = 0`;
    expectAnswer(await client.get(`/Item?Category=${category}`), 200, []);
  },
);

test.each(['', 'x', '1.5', '-1', '2147483648', '1e3', '%00', '99999999999999999999'])(
  '400: Category "%s" is not an integer',
  async (category) => {
    const client = await service.client();
    expectAnswer(
      await client.get(`/Item?Category=${category}`),
      400,
      validationError({ Category: ['Category must be an integer.'] }),
    );
  },
);

test('query parameters in another case are other parameters', async () => {
  const client = await service.client();
  const answer = await client.get('/Item?KEY=x&Type=id&category=5&PAGE=0');
  expect(answer.status).toBe(200);
  expect(answer.body).toHaveProperty('value');
});
