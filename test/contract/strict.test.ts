import { isStrict } from '@inventory/api/http/reading/strict';
import type { Route } from '@inventory/api/http/route';
import { describe, expect, test } from 'vitest';
import { expectAnswer, validationError } from '../harness/contract/answers.ts';
import { fieldsOf, nameOf, requestOf, routes } from '../harness/contract/routes.ts';
import { openRaw } from '../harness/network/raw-connection.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

const strict = { Prefer: 'handling=strict' };
const applied = (answer: { headers: { get(name: string): string | null } }) =>
  answer.headers.get('Preference-Applied');
const unknown = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, [`${name} is unknown.`]]));
const table = routes.map((declared) => [nameOf(declared), declared] as const);

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

describe.each(table)('%s', (_name, declared) => {
  test('400: every unknown name, beside all other errors', async () => {
    const client = await service.client();
    const request = knownRequestOf(declared, await service.item());
    const spoiled = declared.body === undefined ? {} : unknown('Spot', 'UNITS', '__proto__');
    for (const long of ['', ',"long":1234567890.12345678901234']) {
      const { path, body } = withMore(
        request,
        'Page=1&x=1&x=2&=1',
        `"Spot":null,"UNITS":{"units":1},"__proto__":1${long}`,
      );
      const headers = strict;
      const answer = await client.send(request.method, path, {
        headers,
        ...(body === undefined ? {} : { body }),
      });
      const more = body !== undefined && long !== '' ? unknown('long') : {};
      expectAnswer(
        answer,
        400,
        validationError({
          ...unknown('Page'),
          x: ['x must be given once.', 'x is unknown.'],
          '': [' is unknown.'],
          ...spoiled,
          ...more,
        }),
      );
      expect(applied(answer)).toBe('handling=strict');
    }
  });

  test('not 400: the same request without the preference, or with another one', async () => {
    const client = await service.client();
    for (const headers of [{}, { Prefer: 'handling=lenient, handling=strict' }]) {
      const request = requestOf(declared, { itemID: await service.item() });
      if (declared.method === 'POST' && declared.path === '/Item') request.body!.shortID = uniqueName('NEW');
      const { path, body } = withMore(request, 'Page=1&x=1', '"Spot":null,"__proto__":1');
      const answer = await client.send(request.method, path, {
        headers,
        ...(body === undefined ? {} : { body }),
      });
      expect(answer.status, answer.text).not.toBe(400);
      expect(applied(answer)).toBeNull();
    }
  });

  test('200: every name the route reads is known, whatever its value', async () => {
    const client = await service.client();
    const request = requestOf(declared, { itemID: await service.item() });
    const query = fieldsOf(declared, 'query').map((name) => `${name}=zz`);
    const body = Object.fromEntries(fieldsOf(declared, 'body').map((name) => [name, null]));
    const answer = await client.send(request.method, `${request.path.split('?')[0]}?${query.join('&')}`, {
      headers: strict,
      ...(declared.body === undefined ? {} : { body }),
    });
    expect(answer.text).not.toContain('is unknown');
    expect(applied(answer)).toBe('handling=strict');
  });
});

test('200: paging parameters that are ignored, an unknown column and every spelling of an item are known', async () => {
  const client = await service.client();
  const shortID = await service.item();
  const { partNo } = (await client.get(`/Item?key=${shortID}&type=id`)).body;
  for (const path of [
    `/Item?key=${shortID}&type=id&page=0&pageSize=x`,
    '/Item?Category=5&page=0&view=full',
    '/Item?sort=nothing&direction=up',
    `/Item/${partNo}`,
    '/Me',
  ]) {
    const answer = await client.send('GET', path, { headers: strict });
    expect({ path, status: answer.status, applied: applied(answer) }).toEqual({
      path,
      status: 200,
      applied: 'handling=strict',
    });
  }
  const body = { itemID: uniqueName('SPELT'), categoryID: 1, unit: 'KG', active: true };
  expect((await client.send('POST', '/Item', { headers: strict, body })).status).toBe(201);
});

test('answers that applied the preference say so, and no others', async () => {
  const itemID = await service.item();
  const client = await service.client();
  const issue = { itemID, units: 1, wid: 1, reasonCode: 0 };
  const send = (of: typeof client, method: string, path: string, body?: object) =>
    of.send(method, path, { headers: strict, ...(body === undefined ? {} : { body }) });
  const limited = await service.client({ rateLimit: 1 });
  await limited.get('/Me');
  const yes = [
    [200, await send(client, 'GET', '/Item')],
    [201, await send(client, 'POST', '/Inventory/Receive', { ...issue, units: 2 })],
    [404, await send(client, 'GET', '/Inventory/Lots/999999999')],
    [403, await send(client, 'POST', '/Inventory/Issue', { ...issue, wid: 999_999 })],
    [409, await send(client, 'POST', '/Inventory/Issue', { ...issue, units: 1000 })],
    [400, await send(client, 'POST', '/Inventory/Issue', { ...issue, Spot: 'A' })],
  ] as const;
  const no = [
    [429, await send(limited, 'GET', '/Item?x=1')],
    [403, await send(await service.client({ permissions: [] }), 'GET', '/Item?x=1')],
    [404, await send(client, 'GET', '/Nothing?x=1')],
    [501, await send(client, 'GET', '/Report?x=1')],
  ] as const;
  for (const [status, answer] of [...yes, ...no]) expect(answer.status).toBe(status);
  expect(yes.map(([, answer]) => applied(answer))).toEqual(yes.map(() => 'handling=strict'));
  expect(no.map(([, answer]) => applied(answer))).toEqual(no.map(() => null));
});

test.each(['each', 'atomic'])('400 for an operation with an unknown name, mode %s', async (mode) => {
  const client = await service.client();
  const itemID = await service.item();
  const receive = { op: 'receive', itemID, units: 1, wid: 1, reasonCode: 0 };
  const operations = [
    { ...receive, key: uniqueName('k'), deviceID: 'd', dryRun: false, capturedAt: '2026-01-01', spot: 'A' },
    { ...receive, Spot: null, units: -1 },
    { ...receive, op: 'count', everywhere: true, counted: 1 },
    { ...receive, op: 'nothing', counted: 1, x: 1 },
  ];
  const answer = await client.send('POST', '/Inventory/Batch', {
    headers: strict,
    body: { mode, operations },
  });
  expect(answer.status).toBe(mode === 'each' ? 200 : 409);
  expect(applied(answer)).toBe('handling=strict');
  const results = answer.body.results.map((result: { statusCode: number; error?: { details: object } }) => [
    result.statusCode,
    result.error?.details,
  ]);
  expect(results).toEqual([
    mode === 'each' ? [201, undefined] : [expect.any(Number), undefined],
    [400, { ...unknown('Spot'), units: ['units must be greater than 0.'] }],
    [400, unknown('units')],
    [400, { op: [expect.stringContaining('op must be one of')], ...unknown('x') }],
  ]);
  const lenient = await client.post('/Inventory/Batch', {
    mode: 'each',
    operations: [{ ...receive, Spot: 'A' }],
  });
  expect(lenient.body.summary).toEqual({ applied: 1, refused: 0, notApplied: 0 });
});

test('the token endpoint ignores the preference, because RFC 6749 has unknown parameters ignored', async () => {
  const { clientId, secret } = await service.client();
  const response = await fetch(`${service.baseUrl}/Token`, {
    method: 'POST',
    headers: strict,
    body: new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
      audience: 'x',
    }),
  });
  expect({ status: response.status, applied: applied(response) }).toEqual({ status: 200, applied: null });
});

test('several lines of Prefer are one list', async () => {
  const { token } = await service.client();
  const connection = openRaw(Number(new URL(service.baseUrl).port));
  const lines = ['Host: x', `Authorization: Bearer ${token}`, 'prefer: wait=5', 'PREFER: Handling="STRICT"'];
  connection.write(`${['GET /api/v1/Item?x=1 HTTP/1.1', ...lines].join('\r\n')}\r\n\r\n`);
  expect((await connection.next())?.status).toBe(400);
  connection.socket.destroy();
});

test.each([
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
