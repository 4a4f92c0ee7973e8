import { addAlias } from '@inventory/db/catalog/aliases';
import { expect } from 'vitest';
import { expectAnswer, invalid, plainItem } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import { uniqueName } from '../harness/service/service.ts';

const { service, test } = useStock({ apis: 2 });

const taken = invalid({ shortID: 'is taken: an item with this ShortID already exists.' });

test('201: the full item with its partNo, and status created', async ({ client }) => {
  const sent = {
    ...{ shortID: uniqueName('CABLE'), description: 'Cable, 2 m', category: 3, subCategory: 31 },
    ...{ uOM: 'M', putUp: 'ROLL', units: 2.5, dfltOwner: 7, discontinued: true },
  };
  const answer = await client.post('/Item', sent);
  const { created } = answer.body;
  const given = { createdBy: client.clientId, modified: created, status: 'created' };
  expectAnswer(answer, 201, { ...plainItem, ...sent, ...given });
});

test('201: only shortID is required; the rest has defaults', async ({ client }) => {
  const shortID = uniqueName('BARE');
  const given = { shortID, createdBy: client.clientId, status: 'created' };
  expectAnswer(await client.post('/Item', { shortID }), 201, { ...plainItem, ...given });
});

test('201: fields that the service assigns and unknown fields are ignored', async ({ client }) => {
  const shortID = uniqueName('SENT');
  const ignored = { partNo: 'x', created: 5, createdBy: 'me', modified: null, status: 'gone', colour: 'red' };
  const given = { shortID, createdBy: client.clientId, status: 'created' };
  expectAnswer(await client.post('/Item', { shortID, ...ignored }), 201, { ...plainItem, ...given });
});

test.for<[object, object]>([
  [{ categoryID: 5 }, { category: 5 }],
  [{ unit: 'KG' }, { uOM: 'KG' }],
  [{ active: false }, { discontinued: true }],
  [{ active: true }, { discontinued: false }],
  [
    { categoryID: 5, category: 5, unit: 'KG', uOM: 'KG', active: true, discontinued: false },
    { category: 5, uOM: 'KG', discontinued: false },
  ],
  [{ categoryID: null, category: 5 }, { category: 5 }],
])('201: the quickstart spellings %j', async ([sent, shown], { client }) => {
  const shortID = uniqueName('QUICK');
  const given = { shortID, createdBy: client.clientId, status: 'created' };
  expectAnswer(await client.post('/Item', { shortID, ...sent }), 201, { ...plainItem, ...given, ...shown });
});

test('201: itemID is another name of shortID', async ({ client }) => {
  const shortID = uniqueName('ITEMID');
  const given = { shortID, createdBy: client.clientId, status: 'created' };
  expectAnswer(await client.post('/Item', { itemID: shortID }), 201, { ...plainItem, ...given });
  for (const sent of [{ shortID }, { shortID: null }, {}])
    expectAnswer(await client.post('/Item', { itemID: shortID, ...sent }), 400, taken);
});

test('400: an item with that shortID exists, discontinued or not', async ({ client, itemID: shortID }) => {
  expectAnswer(await client.post('/Item', { shortID }), 400, taken);
  await client.delete(`/Item/${shortID}`);
  expectAnswer(await client.post('/Item', { shortID }), 400, taken);
});

test('400: the shortID is an alias of another item', async ({ client, itemID }) => {
  const alias = uniqueName('ALIAS');
  expect(await addAlias(service.sql, { alias, shortId: itemID })).toBe('added');
  const ofAlias = invalid({ shortID: 'is taken: it is an alias of another item.' });
  expectAnswer(await client.post('/Item', { shortID: alias }), 400, ofAlias);
});

test('201 for one of twenty creates of the same shortID at once, 400 for the others', async ({ client }) => {
  const other = await service.client({ baseUrl: service.baseUrls[1]! });
  const shortID = uniqueName('RACE');
  const creates = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? client : other));
  const answers = await Promise.all(creates.map((each) => each.post('/Item', { shortID })));
  const refused = answers.filter((answer) => answer.status !== 201);
  expect(refused).toHaveLength(19);
  for (const answer of refused) expectAnswer(answer, 400, taken);
});

test('201: shortIDs that differ only in case or in white space are different', async ({ client }) => {
  const shortID = uniqueName('case');
  for (const name of [shortID, shortID.toUpperCase(), ` ${shortID}`, `${shortID} `])
    expect((await client.post('/Item', { shortID: name })).body.shortID).toBe(name);
});

test('201: a shortID of 64 characters; 400: one of 65', async ({ client }) => {
  for (const character of ['x', '\u{1f4e6}']) {
    expect((await client.post('/Item', { shortID: character.repeat(64) })).status).toBe(201);
    const tooLong = invalid({ shortID: 'must be at most 64 characters long.' });
    expectAnswer(await client.post('/Item', { shortID: character.repeat(65) }), 400, tooLong);
  }
});

test.for(['0', '0.000001', '999999999.999999', '1.50'])('201: units %s, exact', async (units, { client }) => {
  const answer = await client.post('/Item', `{"shortID":"${uniqueName('UNITS')}","units":${units}}`);
  expect(answer.text).toContain(`"units":${Number(units)},`.replace('1e-6', '0.000001'));
});
