import { expect } from 'vitest';
import { dateTime, errorObject, expectAnswer, invalid } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName } from '../harness/service/service.ts';

const { service, test } = useStock({ apis: 2 });

async function create(client: ApiClient, fields: object = {}) {
  const { body } = await client.post('/Item', { shortID: uniqueName('I'), ...fields });
  const { status: _, ...item } = body;
  return item;
}

async function read(client: ApiClient, partNo: number) {
  return (await client.get(`/Item/${partNo}`)).body;
}

test('200: the fields that are sent change, and modified with them; the others stay', async ({ client }) => {
  const item = await create(client, { description: 'old', category: 1, uOM: 'KG', units: 2 });
  const { shortID } = item;
  const changes = { description: 'new', units: 0.125 };
  expectAnswer(await client.put('/Item', { shortID, ...changes }), 200, { shortID, status: 'updated' });
  const after = await read(client, item.partNo);
  expect(after).toEqual({ ...item, ...changes, modified: dateTime });
  expect(Date.parse(after.modified)).toBeGreaterThan(Date.parse(item.modified));
});

const everyField = {
  ...{ description: 'd', category: 1, subCategory: 2, uOM: 'M', putUp: 'BOX', units: 12.5, dfltOwner: 3 },
  discontinued: true,
};

test.for<[string, sent: object, changes: object]>([
  ['every field that may change', everyField, everyField],
  [
    'partNo, created and createdBy stay, whatever is sent',
    { partNo: 1, created: '2000-01-01', createdBy: 'me', modified: '2000-01-01', description: 'x' },
    { description: 'x' },
  ],
  ['categoryID is category', { categoryID: 5 }, { category: 5 }],
  ['unit is uOM', { unit: 'KG' }, { uOM: 'KG' }],
  ['active is the opposite of discontinued', { active: false }, { discontinued: true }],
  [
    'both spellings of a value',
    { uOM: 'KG', unit: 'KG', active: false, discontinued: true },
    { uOM: 'KG', discontinued: true },
  ],
])('200: %s', async ([, sent, changes], { client }) => {
  const item = await create(client);
  const other = await service.client();
  expect((await other.put('/Item', { shortID: item.shortID, ...sent })).status).toBe(200);
  expect(await read(client, item.partNo)).toEqual({ ...item, ...changes, modified: dateTime });
});

test.for<[string, object]>([
  ['no field', {}],
  ['only preserved fields', { partNo: 9, created: 'x', createdBy: 5 }],
  ['the same values', { description: 'same', units: 1.5, category: 0, discontinued: false }],
  ['the same value in another spelling', { unit: 'EA', categoryID: 0, active: true }],
  ['null for every field', { description: null, units: null, discontinued: null }],
])('200: %s: nothing changes, not even modified', async ([, fields], { client }) => {
  const item = await create(client, { description: 'same', units: 1.5 });
  const { shortID } = item;
  expectAnswer(await client.put('/Item', { shortID, ...fields }), 200, { shortID, status: 'updated' });
  expect(await read(client, item.partNo)).toEqual(item);
});

test.for([{ discontinued: false }, { active: true }])(
  '200: %j reactivates a discontinued item',
  async (fields, { client }) => {
    const item = await create(client);
    await client.delete(`/Item/${item.shortID}`);
    await client.put('/Item', { shortID: item.shortID, ...fields });
    const list = await client.get('/Item?sort=partNo&direction=DESC&pageSize=1');
    expect(list.body.value).toEqual([{ ...item, modified: dateTime }]);
  },
);

test('200: updates of different fields at once are all kept', async ({ client }) => {
  const other = await service.client({ baseUrl: service.baseUrls[1]! });
  const item = await create(client);
  const { discontinued: _, ...changes } = everyField;
  const answers = await Promise.all(
    Object.entries(changes).map(([field, value], index) =>
      (index % 2 === 0 ? client : other).put('/Item', { shortID: item.shortID, [field]: value }),
    ),
  );
  for (const answer of answers) expect(answer.status).toBe(200);
  expect(await read(client, item.partNo)).toEqual({ ...item, ...changes, modified: dateTime });
});

test('404: no item with that shortID; an update creates none', async ({ client, itemID }) => {
  const noItem = errorObject(404, 'not_found', 'There is no such item.');
  for (const shortID of [uniqueName('NO'), itemID.toLowerCase()])
    expectAnswer(await client.put('/Item', { shortID, description: 'x' }), 404, noItem);
});

test('400: every offending field is named; nothing changes', async ({ client }) => {
  const item = await create(client);
  const sent = { description: 'x', category: '1', units: 1e-7, uOM: 'M', unit: 'KG', active: 'yes' };
  expectAnswer(
    await client.put('/Item', { shortID: item.shortID, ...sent }),
    400,
    invalid({
      category: 'must be an integer.',
      units: 'must have at most 6 digits after the point.',
      unit: 'contradicts uOM.',
      active: 'must be true or false.',
    }),
  );
  expect(await read(client, item.partNo)).toEqual(item);
});
