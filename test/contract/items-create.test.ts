import { addAlias } from '@inventory/db/catalog/aliases';
import { expect, test } from 'vitest';
import { dateTime, expectAnswer, validationError } from '../harness/contract/answers.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService({ apis: 2 });

const taken = validationError({ shortID: ['shortID is taken: an item with this ShortID already exists.'] });

test('201: the full item with its partNo, and status created', async () => {
  const client = await service.client();
  const shortID = uniqueName('CABLE');
  const fields = {
    description: 'Cable, 2 m',
    category: 3,
    subCategory: 31,
    uOM: 'M',
    putUp: 'ROLL',
    units: 2.5,
    dfltOwner: 7,
    discontinued: true,
  };
  const answer = await client.post('/Item', { shortID, ...fields });
  expectAnswer(answer, 201, {
    partNo: expect.any(Number),
    shortID,
    ...fields,
    created: dateTime,
    createdBy: client.clientId,
    modified: answer.body.created,
    status: 'created',
  });
});

test('201: only shortID is required; the rest has defaults', async () => {
  const client = await service.client();
  const shortID = uniqueName('BARE');
  expectAnswer(await client.post('/Item', { shortID }), 201, {
    partNo: expect.any(Number),
    shortID,
    description: '',
    category: 0,
    subCategory: 0,
    uOM: 'EA',
    putUp: '',
    units: 1,
    dfltOwner: 0,
    created: dateTime,
    createdBy: client.clientId,
    modified: dateTime,
    discontinued: false,
    status: 'created',
  });
});

test('201: fields that the service assigns are ignored when sent, and so are unknown fields', async () => {
  const client = await service.client();
  const shortID = uniqueName('SENT');
  const answer = await client.post('/Item', {
    shortID,
    partNo: 'x',
    created: 5,
    createdBy: 'me',
    modified: null,
    status: 'gone',
    colour: 'red',
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ shortID, createdBy: client.clientId, status: 'created' });
  expect(answer.body).not.toHaveProperty('colour');
});

test.each([
  [{ categoryID: 5 }, { category: 5 }],
  [{ unit: 'KG' }, { uOM: 'KG' }],
  [{ active: false }, { discontinued: true }],
  [{ active: true }, { discontinued: false }],
  [
    { categoryID: 5, category: 5, unit: 'KG', uOM: 'KG', active: true, discontinued: false },
    { category: 5, uOM: 'KG', discontinued: false },
  ],
  [{ categoryID: null, category: 5 }, { category: 5 }],
])('201: the quickstart spellings %j', async (sent, shown) => {
  const client = await service.client();
  const answer = await client.post('/Item', { shortID: uniqueName('QUICK'), ...sent });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject(shown);
  for (const name of ['categoryID', 'unit', 'active']) expect(answer.body).not.toHaveProperty(name);
});

test('201: itemID is another name of shortID', async () => {
  const client = await service.client();
  const shortID = uniqueName('ITEMID');
  const answer = await client.post('/Item', { itemID: shortID });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ shortID, status: 'created' });
  expect(answer.body).not.toHaveProperty('itemID');
  expectAnswer(await client.post('/Item', { itemID: shortID, shortID }), 400, taken);
  for (const sent of [{ itemID: shortID, shortID: null }, { itemID: shortID }]) {
    expectAnswer(await client.post('/Item', sent), 400, taken);
  }
});

test.each([
  [{}, { shortID: ['shortID is required.'] }],
  [{ itemID: null }, { shortID: ['shortID is required.'] }],
  [{ itemID: '' }, { itemID: ['itemID must not be empty.'] }],
  [
    { itemID: 5, unit: 5 },
    { itemID: ['itemID must be a string.'], unit: ['unit must be a string.'] },
  ],
  [{ itemID: 'x'.repeat(65) }, { itemID: ['itemID must be at most 64 characters long.'] }],
  [
    { itemID: 'A', shortID: 'B', units: -1 },
    { itemID: ['itemID contradicts shortID.'], units: ['units must not be negative.'] },
  ],
])('400: %j', async (sent, details) => {
  const client = await service.client();
  expectAnswer(await client.post('/Item', sent), 400, validationError(details as never));
});

test('400: both spellings with different values', async () => {
  const client = await service.client();
  const answer = await client.post('/Item', {
    shortID: uniqueName('BOTH'),
    category: 1,
    categoryID: 2,
    uOM: 'EA',
    unit: 'KG',
    discontinued: true,
    active: true,
  });
  expectAnswer(
    answer,
    400,
    validationError({
      categoryID: ['categoryID contradicts category.'],
      unit: ['unit contradicts uOM.'],
      active: ['active contradicts discontinued.'],
    }),
  );
});

test('400: an item with that shortID exists, discontinued or not', async () => {
  const client = await service.client();
  const shortID = await service.item();
  expectAnswer(await client.post('/Item', { shortID }), 400, taken);
  await client.delete(`/Item/${shortID}`);
  expectAnswer(await client.post('/Item', { shortID }), 400, taken);
});

test('400: the shortID is an alias of another item', async () => {
  const client = await service.client();
  const alias = uniqueName('ALIAS');
  expect(await addAlias(service.sql, { alias, shortId: await service.item() })).toBe('added');
  expectAnswer(
    await client.post('/Item', { shortID: alias }),
    400,
    validationError({ shortID: ['shortID is taken: it is an alias of another item.'] }),
  );
});

test('201 for one of twenty creates of the same shortID at once, 400 for the others', async () => {
  const client = await service.client();
  const shortID = uniqueName('RACE');
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? client.post('/Item', { shortID })
        : service.client({ baseUrl: service.baseUrls[1]! }).then((other) => other.post('/Item', { shortID })),
    ),
  );
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
  for (const answer of answers.filter((each) => each.status !== 201)) expectAnswer(answer, 400, taken);
});

test('201: shortIDs that differ only in case or in white space are different', async () => {
  const client = await service.client();
  const shortID = uniqueName('case');
  for (const name of [shortID, shortID.toUpperCase(), ` ${shortID}`, `${shortID} `]) {
    const answer = await client.post('/Item', { shortID: name });
    expect(answer.status).toBe(201);
    expect(answer.body.shortID).toBe(name);
  }
});

test.each([
  ['x'.repeat(64), 201],
  ['x'.repeat(65), 400],
  ['\u{1f4e6}'.repeat(64), 201],
  ['\u{1f4e6}'.repeat(65), 400],
])('a shortID may have 64 characters: %#', async (shortID, status) => {
  const client = await service.client();
  expect((await client.post('/Item', { shortID })).status).toBe(status);
});

test.each([
  [undefined, 'is required.'],
  [null, 'is required.'],
  ['', 'must not be empty.'],
  [' \t', 'must not be empty.'],
  [5, 'must be a string.'],
  [['A'], 'must be a string.'],
  [{}, 'must be a string.'],
  ['a\u0000b', 'must not contain U+0000 or a lone surrogate.'],
  ['a\ud800', 'must not contain U+0000 or a lone surrogate.'],
])('400: shortID %j', async (shortID, message) => {
  const client = await service.client();
  expectAnswer(
    await client.post('/Item', { shortID }),
    400,
    validationError({ shortID: [`shortID ${message}`] }),
  );
});

test('400: every offending field is named', async () => {
  const client = await service.client();
  const answer = await client.post('/Item', {
    description: 'x'.repeat(501),
    category: -1,
    subCategory: 1.5,
    uOM: 1,
    putUp: 'x'.repeat(101),
    units: -1,
    dfltOwner: 2 ** 31,
    discontinued: 'no',
    categoryID: '1',
    unit: {},
    active: 1,
  });
  expectAnswer(
    answer,
    400,
    validationError({
      shortID: ['shortID is required.'],
      description: ['description must be at most 500 characters long.'],
      category: ['category must be at least 0.'],
      subCategory: ['subCategory must be an integer.'],
      uOM: ['uOM must be a string.'],
      putUp: ['putUp must be at most 100 characters long.'],
      units: ['units must not be negative.'],
      dfltOwner: ['dfltOwner must be at most 2147483647.'],
      discontinued: ['discontinued must be true or false.'],
      categoryID: ['categoryID must be an integer.'],
      unit: ['unit must be a string.'],
      active: ['active must be true or false.'],
    }),
  );
});

test('400: contradicting spellings are named along with other offending fields', async () => {
  const client = await service.client();
  expectAnswer(
    await client.post('/Item', { category: 1, categoryID: 2 }),
    400,
    validationError({
      shortID: ['shortID is required.'],
      categoryID: ['categoryID contradicts category.'],
    }),
  );
});

test.each(['0', '0.000001', '999999999.999999', '1.50'])('201: units %s, exact', async (units) => {
  const client = await service.client();
  const answer = await client.post('/Item', `{"shortID":"${uniqueName('UNITS')}","units":${units}}`);
  expect(answer.status).toBe(201);
  expect(answer.text).toContain(`"units":${Number(units)},`.replace('1e-6', '0.000001'));
});
