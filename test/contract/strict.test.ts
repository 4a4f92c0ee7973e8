import { isStrict } from '@inventory/api/http/reading/strict';
import type { Route } from '@inventory/api/http/route';
import { describe, expect, test as plain } from 'vitest';
import { expectAnswer, validationError } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import { fieldsOf, nameOf, requestOf, routes } from '../harness/contract/routes.ts';
import { openRaw } from '../harness/network/raw-connection.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName } from '../harness/service/service.ts';
import { receiveOf } from '../harness/stock/operations.ts';

const { service, test } = useStock();

const headers = { Prefer: 'handling=strict' };
const applied = (answer: { headers: { get(name: string): string | null } }) =>
  answer.headers.get('Preference-Applied');
const unknown = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, [`${name} is unknown.`]]));

const sendStrictly = (client: ApiClient, method: string, path: string, body?: unknown) =>
  client.send(method, path, { headers, ...(body !== undefined && { body }) });

/** A request that the route accepts, with only the fields it knows. */
function knownRequestOf(declared: Route, itemID: string) {
  const { body, ...request } = requestOf(declared, { itemID });
  if (body === undefined) return request;
  const known = fieldsOf(declared, 'body').filter((name) => name in body);
  return { ...request, body: Object.fromEntries(known.map((name) => [name, body[name]])) };
}

/** The request with more in its query, and more fields in its body if it has one. */
function withMore(request: ReturnType<typeof requestOf>, query: string, fields: string) {
  const path = `${request.path}${request.path.includes('?') ? '&' : '?'}${query}`;
  if (request.body === undefined) return { path };
  return { path, body: `${JSON.stringify(request.body).slice(0, -1)},${fields}}` };
}

describe.each(routes.map((declared) => ({ name: nameOf(declared), declared })))('$name', ({ declared }) => {
  test('400: every unknown name, beside all other errors', async ({ client, itemID }) => {
    const request = knownRequestOf(declared, itemID);
    for (const long of [false, true]) {
      const { path, body } = withMore(
        request,
        'Page=1&x=1&x=2&=1',
        `"Spot":null,"UNITS":{"units":1},"__proto__":1${long ? ',"long":1234567890.12345678901234' : ''}`,
      );
      const answer = await sendStrictly(client, request.method, path, body);
      const ofQuery = {
        ...unknown('Page'),
        x: ['x must be given once.', 'x is unknown.'],
        '': [' is unknown.'],
      };
      const ofBody = unknown('Spot', 'UNITS', '__proto__', ...(long ? ['long'] : []));
      expectAnswer(answer, 400, validationError({ ...ofQuery, ...(body !== undefined && ofBody) }));
      expect(applied(answer)).toBe('handling=strict');
    }
  });

  test('not 400: the same request without the preference, or with another one', async ({ client }) => {
    for (const preferred of [{}, { Prefer: 'handling=lenient, handling=strict' }]) {
      const request = requestOf(declared, { itemID: await service.item() });
      if (nameOf(declared) === 'POST /Item') request.body!.shortID = uniqueName('NEW');
      const { path, body } = withMore(request, 'Page=1&x=1', '"Spot":null,"__proto__":1');
      const sent = { headers: preferred, ...(body !== undefined && { body }) };
      const answer = await client.send(request.method, path, sent);
      expect(answer.status, answer.text).not.toBe(400);
      expect(applied(answer)).toBeNull();
    }
  });

  test('every name the route reads is known, whatever its value', async ({ client, itemID }) => {
    const { method, path } = requestOf(declared, { itemID });
    const query = fieldsOf(declared, 'query').map((name) => `${name}=zz`);
    const body = Object.fromEntries(fieldsOf(declared, 'body').map((name) => [name, null]));
    const asked = `${path.split('?')[0]}?${query.join('&')}`;
    const answer = await sendStrictly(client, method, asked, declared.body && body);
    expect(answer.text).not.toContain('is unknown');
    expect(applied(answer)).toBe('handling=strict');
  });
});

test('200: ignored paging parameters and every spelling of an item are known', async ({ client, itemID }) => {
  for (const path of [
    `/Item?key=${itemID}&type=id&page=0&pageSize=x`,
    '/Item?Category=5&page=0&view=full',
    '/Item?sort=nothing&direction=up',
  ]) {
    const answer = await sendStrictly(client, 'GET', path);
    expect([answer.status, applied(answer)], path).toEqual([200, 'handling=strict']);
  }
  const body = { itemID: uniqueName('SPELT'), categoryID: 1, unit: 'KG', active: true };
  expect((await sendStrictly(client, 'POST', '/Item', body)).status).toBe(201);
});

test.for<[method: 'POST' | 'PUT', status: number]>([
  ['PUT', 200],
  ['POST', 201],
])(
  '%s /Item, %i: an item as it was read may be sent, and keeps its own fields',
  async ([method, status], { client, itemID }) => {
    const read = async (key: string) => (await client.get(`/Item?key=${key}&type=id`)).body;
    const item = await read(itemID);
    const shortID = method === 'PUT' ? itemID : uniqueName('COPY');
    const sent = { ...item, shortID, description: 'changed', partNo: 'x', created: 0, createdBy: [] };
    expect((await sendStrictly(client, method, '/Item', sent)).status).toBe(status);
    const own = method === 'PUT' ? item : await read(shortID);
    expect(own.createdBy).toBe(method === 'PUT' ? item.createdBy : client.clientId);
    expect(await read(shortID)).toEqual({
      ...item,
      ...own,
      description: 'changed',
      modified: expect.anything(),
    });
    expectAnswer(
      await sendStrictly(client, method, '/Item', { ...item, Created: '', status: 'created' }),
      400,
      validationError(unknown('Created', 'status')),
    );
  },
);

test('answers that applied the preference say so, and no others', async ({ client, itemID }) => {
  const issue = { itemID, units: 1, wid: 1, reasonCode: 0 };
  const limited = await service.client({ rateLimit: 1 });
  await limited.get('/Me');
  const weak = await service.client({ permissions: [] });
  for (const [status, isApplied, asker, method, path, body] of [
    [200, true, client, 'GET', '/Item'],
    [201, true, client, 'POST', '/Inventory/Receive', { ...issue, units: 2 }],
    [404, true, client, 'GET', '/Inventory/Lots/999999999'],
    [403, true, client, 'POST', '/Inventory/Issue', { ...issue, wid: 999_999 }],
    [409, true, client, 'POST', '/Inventory/Issue', { ...issue, units: 1000 }],
    [400, true, client, 'POST', '/Inventory/Issue', { ...issue, Spot: 'A' }],
    [429, false, limited, 'GET', '/Item?x=1'],
    [403, false, weak, 'GET', '/Item?x=1'],
    [404, false, client, 'GET', '/Nothing?x=1'],
    [501, false, client, 'GET', '/Report?x=1'],
  ] as const) {
    const answer = await sendStrictly(asker, method, path, body);
    expect([answer.status, applied(answer)], path).toEqual([status, isApplied ? 'handling=strict' : null]);
  }
});

test.for(['each', 'atomic'])(
  '400 for an operation with an unknown name, mode %s',
  async (mode, { client, itemID }) => {
    const noted = { key: uniqueName('k'), deviceID: 'd', dryRun: false, capturedAt: '2026-01-01', spot: 'A' };
    const operations = [
      receiveOf(itemID, 1, noted),
      receiveOf(itemID, -1, { Spot: null }),
      receiveOf(itemID, 1, { op: 'count', everywhere: true, counted: 1 }),
      receiveOf(itemID, 1, { op: 'nothing', counted: 1, x: 1 }),
    ];
    const answer = await sendStrictly(client, 'POST', '/Inventory/Batch', { mode, operations });
    expect([answer.status, applied(answer)]).toEqual([mode === 'each' ? 200 : 409, 'handling=strict']);
    const [first, ...errors] = answer.body.results;
    expect(first.status).toBe(mode === 'each' ? 'applied' : 'notApplied');
    expect(errors.map(({ error }: { error: object }) => error)).toEqual([
      validationError({ ...unknown('Spot'), units: ['units must be greater than 0.'] }),
      validationError(unknown('units')),
      validationError({ op: [expect.stringContaining('op must be one of')], ...unknown('x') }),
    ]);
    const lenient = { mode: 'each', operations: [receiveOf(itemID, 1, { Spot: 'A' })] };
    const { summary } = (await client.post('/Inventory/Batch', lenient)).body;
    expect(summary).toEqual({ applied: 1, refused: 0, notApplied: 0 });
  },
);

test('/Token ignores the preference, because RFC 6749 ignores what is unknown', async ({ client }) => {
  const form = { grant_type: 'client_credentials', client_id: client.clientId, client_secret: client.secret };
  const body = new URLSearchParams({ ...form, audience: 'x' });
  const answer = await fetch(`${service.baseUrl}/Token`, { method: 'POST', headers, body });
  expect([answer.status, applied(answer)]).toEqual([200, null]);
});

test('several lines of Prefer are one list', async ({ client }) => {
  const connection = openRaw(Number(new URL(service.baseUrl).port));
  const lines = ['GET /api/v1/Item?x=1 HTTP/1.1', 'Host: x', `Authorization: Bearer ${client.token}`];
  connection.write(`${[...lines, 'prefer: wait=5', 'PREFER: Handling="STRICT"'].join('\r\n')}\r\n\r\n`);
  expect((await connection.next())?.status).toBe(400);
  connection.socket.destroy();
});

plain.each([
  ['handling=strict', true],
  ['Handling=STRICT', true],
  ['handling="strict"', true],
  ['handling="str\\ict"', true],
  ['handling = strict', true],
  ['handling=strict; why="a, b"; x', true],
  ['respond-async, wait=10 ,\thandling=strict', true],
  [', ,handling=strict,', true],
  ['foo="a, handling=lenient, \\"b", handling=strict', true],
  ['', false],
  ['strict', false],
  ['handling', false],
  ['handling=', false],
  ['handling=""', false],
  ['handling=lenient', false],
  ['handling=strictly', false],
  ['handling=strict strict', false],
  ['handling="strict', false],
  ['handling=lenient, handling=strict', false],
  ['foo="a, handling=strict"', false],
  ['foo="a, handling=strict', false],
  ['foo; handling=strict', false],
  ['xhandling=strict', false],
] as const)('Prefer: %s is strict: %s', (header, expected) => {
  expect(isStrict(header)).toBe(expected);
});
