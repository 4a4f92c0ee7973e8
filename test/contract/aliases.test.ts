import { expect, test } from 'vitest';
import { conflictObject, errorObject, validationError } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

async function newItem(client: ApiClient): Promise<{ shortID: string; partNo: number }> {
  const shortID = await service.item();
  return { shortID, partNo: (await client.get(`/Item?key=${shortID}&type=id`)).body.partNo };
}

const aliasPath = (partNo: number, alias: string) => `/Item/${partNo}/Aliases/${encodeURIComponent(alias)}`;

test('200: a taught alias is listed and finds the item; a repeat changes nothing', async () => {
  const client = await service.client();
  const { shortID, partNo } = await newItem(client);
  const alias = uniqueName('A/ä é');
  const taught = await client.put(aliasPath(partNo, alias), undefined);
  expect({ status: taught.status, body: taught.body }).toEqual({
    status: 200,
    body: { alias, partNo, status: 'added', units: 1 },
  });
  expect((await client.put(aliasPath(partNo, alias), undefined)).body).toEqual({
    alias,
    partNo,
    status: 'unchanged',
    units: 1,
  });
  expect((await client.get(`/Item/${partNo}/Aliases`)).body.value).toEqual([{ alias, units: 1 }]);
  expect((await client.get(`/Item?key=${encodeURIComponent(alias)}&type=alias`)).body.shortID).toBe(shortID);
});

test('200: units of one scan are taught with the alias or later, told digit for digit, and stay without them', async () => {
  const client = await service.client();
  const { shortID, partNo } = await newItem(client);
  const { nextCursor } = (await client.get('/Changes?after=now')).body;
  const gtin = '96385074';
  const path = aliasPath(partNo, gtin);
  const put = async (body?: string | object, at = path) => (await client.put(at, body)).body;
  expect(await put({ units: 12 })).toEqual({ alias: gtin, partNo, status: 'added', units: 12 });
  expect(await put()).toEqual({ alias: gtin, partNo, status: 'unchanged', units: 12 });
  expect(await put({})).toMatchObject({ status: 'unchanged', units: 12 });
  expect(await put({ units: null })).toMatchObject({ status: 'unchanged', units: 12 });
  // Another spelling is the same alias.
  const other = aliasPath(partNo, '00000096385074');
  expect(await put({ units: 6.5 }, other)).toMatchObject({ status: 'changed', units: 6.5 });
  expect(await put({ units: 6.5 })).toMatchObject({ status: 'unchanged' });
  const long = await client.put(path, '{"units":999999999999.999999}');
  expect(long.text).toContain('"units":999999999999.999999');
  expect((await client.get(`/Item/${partNo}/Aliases`)).text).toContain('999999999999.999999');
  await put({ units: 1 });
  const changes = (await client.get(`/Changes?after=${nextCursor}`)).body.value.filter(
    (change: { type: string; shortID: string }) => change.type === 'item' && change.shortID === shortID,
  );
  // Each tells the item as it is now.
  expect(changes.length).toBeGreaterThanOrEqual(4);
  expect(changes.at(-1)).toMatchObject({ aliases: [gtin] });
  expect(changes.at(-1)).not.toHaveProperty('aliasUnits');
  await put({ units: 24 });
  const [changed] = (await client.get(`/Changes?after=${nextCursor}`)).body.value.slice(-1);
  expect(changed).toMatchObject({ aliases: [gtin], aliasUnits: [{ alias: gtin, units: 24 }] });
});

test('400: units that no operation can have, and a body that is none', async () => {
  const client = await service.client();
  const { partNo } = await newItem(client);
  const path = aliasPath(partNo, uniqueName('BAD'));
  for (const [units, message] of [
    [0, 'units must be greater than 0.'],
    [-1, 'units must be greater than 0.'],
    [1e12, 'units must be less than 1000000000000.'],
    [0.0000001, 'units must have at most 6 digits after the point.'],
    ['12', 'units must be a number with at most 6 digits after the point.'],
  ] as const)
    expect((await client.put(path, { units })).body).toEqual(validationError({ units: [message] }));
  expect((await client.put(path, '12')).body).toEqual(
    errorObject(400, 'bad_request', 'The body must be a JSON object.'),
  );
  const strict = { body: { unit: 12 }, headers: { Prefer: 'handling=strict' } };
  expect((await client.send('PUT', path, strict)).status).toBe(400);
  expect((await client.get(`/Item/${partNo}/Aliases`)).body.value).toEqual([]);
});

test('units of one alias that many set at once are the last one told as changed', async () => {
  const client = await service.client();
  const { partNo } = await newItem(client);
  const path = aliasPath(partNo, uniqueName('RACE'));
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((units) => client.put(path, { units })));
  expect(answers.filter(({ body }) => body.status === 'added')).toHaveLength(1);
  const { units } = (await client.get(`/Item/${partNo}/Aliases`)).body.value[0];
  expect([1, 2, 3, 4, 5, 6]).toContain(units);
  for (const [place, { status, body }] of answers.entries())
    expect({ status, units: body.units }).toEqual({ status: 200, units: place + 1 });
});

test('200: a removed alias finds nothing; 404: it is removed again', async () => {
  const client = await service.client();
  const { partNo } = await newItem(client);
  const alias = uniqueName('GONE');
  await client.put(aliasPath(partNo, alias), undefined);
  expect((await client.delete(aliasPath(partNo, alias))).body).toEqual({ alias, partNo, status: 'removed' });
  expect((await client.get(`/Item?key=${alias}&type=alias`)).status).toBe(404);
  const again = await client.delete(aliasPath(partNo, alias));
  expect({ status: again.status, body: again.body }).toEqual({
    status: 404,
    body: errorObject(404, 'not_found', 'The item has no such alias.'),
  });
});

test('409: a name of another item, and the ShortID of an item, even its own', async () => {
  const client = await service.client();
  const one = await newItem(client);
  const other = await newItem(client);
  const alias = uniqueName('TAKEN');
  await client.put(aliasPath(other.partNo, alias), undefined);
  const taken = (partNo: number) =>
    conflictObject('nameTaken', { partNo }, `Item ${partNo} has this name already.`);
  expect((await client.put(aliasPath(one.partNo, alias), undefined)).body).toEqual(taken(other.partNo));
  expect((await client.put(aliasPath(one.partNo, other.shortID), undefined)).body).toEqual(
    taken(other.partNo),
  );
  expect((await client.put(aliasPath(one.partNo, one.shortID), undefined)).body).toEqual(taken(one.partNo));
  // Only an alias of the item itself is removed.
  expect((await client.delete(aliasPath(one.partNo, alias))).status).toBe(404);
  expect((await client.get(`/Item/${one.partNo}/Aliases`)).body.value).toEqual([]);
});

test('404: an item that does not exist, and what no part number or alias can be', async () => {
  const client = await service.client();
  const { partNo } = await newItem(client);
  const taken = uniqueName('TAKEN');
  for (const path of ['/Item/2000000000/Aliases', '/Item/x/Aliases'])
    expect((await client.get(path)).status).toBe(404);
  expect((await client.put(aliasPath(partNo, taken), undefined)).status).toBe(200);
  for (const path of [
    aliasPath(2_000_000_000, taken),
    aliasPath(2_000_000_000, 'A'),
    '/Item/x/Aliases/A',
    aliasPath(partNo, ' '),
    aliasPath(partNo, 'x'.repeat(65)),
    aliasPath(partNo, 'a\u0000b'),
  ]) {
    expect((await client.put(path, undefined)).status, path).toBe(404);
    expect((await client.delete(path)).status, path).toBe(404);
  }
  expect((await client.put(aliasPath(partNo, 'x'.repeat(64)), undefined)).status).toBe(200);
});

test('200: the list is paged like any other, with its exact total', async () => {
  const client = await service.client();
  const { partNo } = await newItem(client);
  const prefix = uniqueName('P');
  const names = Array.from({ length: 7 }, (_, index) => `${prefix}-${index}`);
  for (const alias of [...names].reverse()) await client.put(aliasPath(partNo, alias), undefined);
  const pages = [1, 2, 3].map((page) => client.get(`/Item/${partNo}/Aliases?pageSize=3&page=${page}`));
  const bodies = (await Promise.all(pages)).map(({ body }) => body);
  expect(bodies.flatMap(({ value }) => value.map(({ alias }: { alias: string }) => alias))).toEqual(names);
  expect(bodies.map(({ totalCount, hasMore }) => [totalCount, hasMore])).toEqual([
    [7, true],
    [7, true],
    [7, false],
  ]);
});

test('of an alias and an item of that name created at once, one is refused', async () => {
  const client = await service.client();
  const { partNo } = await newItem(client);
  for (let round = 0; round < 20; round++) {
    const name = uniqueName('BOTH');
    const [alias, item] = await Promise.all([
      client.put(aliasPath(partNo, name), undefined),
      client.post('/Item', { shortID: name }),
    ]);
    expect([
      [200, 400],
      [409, 201],
    ]).toContainEqual([alias.status, item.status]);
  }
});

test('503: while the items are locked, an alias waits only for a moment, and is not taught later', async () => {
  const { baseUrl } = service;
  const client = await service.client({ baseUrl });
  const { partNo } = await newItem(client);
  const alias = uniqueName('LOCKED');
  await service.sql.begin(async (tx) => {
    await tx`lock table item in row exclusive mode`;
    const answer = await fetch(`${baseUrl}${aliasPath(partNo, alias)}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${client.token}` },
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('1');
  });
  expect((await client.get(`/Item/${partNo}/Aliases`)).body.totalCount).toBe(0);
  expect((await client.put(aliasPath(partNo, alias), undefined)).body.status).toBe('added');
});
