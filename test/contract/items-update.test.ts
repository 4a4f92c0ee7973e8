import { expect, test } from 'vitest';
import { dateTime, errorObject, expectAnswer, validationError } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService({ apis: 2 });

async function create(client: ApiClient, fields: object = {}) {
  const { status: _status, ...item } = (await client.post('/Item', { shortID: uniqueName('I'), ...fields }))
    .body;
  return item;
}

async function read(client: ApiClient, partNo: number) {
  return (await client.get(`/Item/${partNo}`)).body;
}

test('200: the fields that are sent change, and modified with them; the others stay', async () => {
  const client = await service.client();
  const item = await create(client, { description: 'old', category: 1, uOM: 'KG', units: 2 });
  const answer = await client.put('/Item', { shortID: item.shortID, description: 'new', units: 0.125 });
  expectAnswer(answer, 200, { shortID: item.shortID, status: 'updated' });
  const after = await read(client, item.partNo);
  expect(after).toEqual({ ...item, description: 'new', units: 0.125, modified: dateTime });
  expect(Date.parse(after.modified)).toBeGreaterThan(Date.parse(item.modified));
});

test('200: every field that may change', async () => {
  const client = await service.client();
  const item = await create(client);
  const fields = {
    description: 'd',
    category: 1,
    subCategory: 2,
    uOM: 'M',
    putUp: 'BOX',
    units: 12.5,
    dfltOwner: 3,
    discontinued: true,
  };
  await client.put('/Item', { shortID: item.shortID, ...fields });
  expect(await read(client, item.partNo)).toEqual({ ...item, ...fields, modified: dateTime });
});

test('200: partNo, created and createdBy stay, whatever is sent', async () => {
  const client = await service.client();
  const item = await create(client);
  const other = await service.client();
  const answer = await other.put('/Item', {
    shortID: item.shortID,
    partNo: 1,
    created: '2000-01-01',
    createdBy: 'me',
    modified: '2000-01-01',
    description: 'x',
  });
  expect(answer.status).toBe(200);
  expect(await read(client, item.partNo)).toEqual({ ...item, description: 'x', modified: dateTime });
});

test.each([
  ['no field', {}],
  ['only preserved fields', { partNo: 9, created: 'x', createdBy: 5 }],
  ['the same values', { description: 'same', units: 1.5, category: 0, discontinued: false }],
  ['the same value in another spelling', { unit: 'EA', categoryID: 0, active: true }],
  ['null for every field', { description: null, units: null, discontinued: null }],
])('200: %s: nothing changes, not even modified', async (_what, fields) => {
  const client = await service.client();
  const item = await create(client, { description: 'same', units: 1.5 });
  expectAnswer(await client.put('/Item', { shortID: item.shortID, ...fields }), 200, {
    shortID: item.shortID,
    status: 'updated',
  });
  expect(await read(client, item.partNo)).toEqual(item);
});

test.each([
  [{ categoryID: 5 }, { category: 5 }],
  [{ unit: 'KG' }, { uOM: 'KG' }],
  [{ active: false }, { discontinued: true }],
  [
    { uOM: 'KG', unit: 'KG', active: false, discontinued: true },
    { uOM: 'KG', discontinued: true },
  ],
])('200: the quickstart spellings %j', async (sent, shown) => {
  const client = await service.client();
  const item = await create(client);
  expect((await client.put('/Item', { shortID: item.shortID, ...sent })).status).toBe(200);
  expect(await read(client, item.partNo)).toEqual({ ...item, ...shown, modified: dateTime });
});

test('400: both spellings with different values; nothing changes', async () => {
  const client = await service.client();
  const item = await create(client);
  expectAnswer(
    await client.put('/Item', {
      shortID: item.shortID,
      description: 'x',
      uOM: 'M',
      unit: 'KG',
      active: true,
      discontinued: true,
    }),
    400,
    validationError({
      unit: ['unit contradicts uOM.'],
      active: ['active contradicts discontinued.'],
    }),
  );
  expect(await read(client, item.partNo)).toEqual(item);
});

test.each([{ discontinued: false }, { active: true }])(
  '200: %j reactivates a discontinued item',
  async (fields) => {
    const client = await service.client();
    const item = await create(client);
    await client.delete(`/Item/${item.shortID}`);
    await client.put('/Item', { shortID: item.shortID, ...fields });
    expect(await read(client, item.partNo)).toEqual({ ...item, modified: dateTime });
    const list = await client.get('/Item?sort=partNo&direction=DESC&pageSize=1');
    expect(list.body.value[0].partNo).toBe(item.partNo);
  },
);

test('200: updates of different fields at once are all kept', async () => {
  const client = await service.client();
  const other = await service.client({ baseUrl: service.baseUrls[1]! });
  const item = await create(client);
  const changes = [
    { description: 'd' },
    { category: 4 },
    { uOM: 'M' },
    { putUp: 'P' },
    { units: 3 },
    { dfltOwner: 5 },
  ];
  const answers = await Promise.all(
    changes.map((change, index) =>
      (index % 2 === 0 ? client : other).put('/Item', { shortID: item.shortID, ...change }),
    ),
  );
  for (const answer of answers) expect(answer.status).toBe(200);
  const all = Object.assign({}, ...changes);
  expect(await read(client, item.partNo)).toEqual({ ...item, ...all, modified: dateTime });
});

test('404: no item with that shortID; an update creates none', async () => {
  const client = await service.client();
  for (const shortID of [uniqueName('NO'), (await service.item()).toLowerCase()]) {
    expectAnswer(
      await client.put('/Item', { shortID, description: 'x' }),
      404,
      errorObject(404, 'not_found', 'There is no such item.'),
    );
  }
});

test('400: shortID missing', async () => {
  const client = await service.client();
  for (const body of [{}, { shortID: null }, { shortid: 'X' }, { description: 'x' }]) {
    expectAnswer(
      await client.put('/Item', body),
      400,
      validationError({ shortID: ['shortID is required.'] }),
    );
  }
});

test('400: every offending field is named; nothing changes', async () => {
  const client = await service.client();
  const item = await create(client);
  expectAnswer(
    await client.put('/Item', {
      shortID: item.shortID,
      description: 'x',
      category: '1',
      units: 1e-7,
      active: 'yes',
    }),
    400,
    validationError({
      category: ['category must be an integer.'],
      units: ['units must have at most 6 digits after the point.'],
      active: ['active must be true or false.'],
    }),
  );
  expect(await read(client, item.partNo)).toEqual(item);
});
