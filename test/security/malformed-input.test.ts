import type { Route } from '@inventory/api/route';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { send } from '../harness/api-client.ts';
import { expectRefusalShape } from '../harness/error-shape.ts';
import { requestOf, routes } from '../harness/routes.ts';
import { useService } from '../harness/service.ts';

const service = useService({ env: { RATE_LIMIT: '1000000' } });

// Each run sends this many at once: with 250 runs, 3,000 requests.
const requestsPerRun = 12;

/** The text of a JSON value, as it goes out: also what no JavaScript value can say. */
const rawJson = fc.constantFrom(
  '1e400',
  '-1e400',
  '1e-400',
  '-0',
  '0',
  '-0.0',
  '1E+2',
  '0.1',
  '123456789012345678901234567890',
  '0.1234567890123456789',
  '9007199254740993',
  '2147483648',
  '999999999999.9999999',
  'NaN',
  'Infinity',
  '01',
  '+1',
  '.5',
  'undefined',
  "'x'",
  '"\\ud800"',
  '"\\u0000"',
  '"\\x41"',
  '"\u0001"',
  '[',
  '}',
  '[[[[[[[[[[]]]]]]]]]]',
  '{"__proto__":{"units":1}}',
  '{"length":1}',
  `"${'x'.repeat(1001)}"`,
  `"${'\u{1f4a3}'.repeat(70)}"`,
  '" \\t\\r\\n "',
  '""',
  'null',
  'true',
);

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    "' or 1=1 --",
    '"; drop table item; --',
    '$1',
    '{{7*7}}',
    '../../etc/passwd',
    '%00',
    '%',
    '\\',
    '\ufeff',
    '\u202e',
    '2026-01-01',
    '0001-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59-23:59',
    '1',
    '-1',
    '0',
    '2147483648',
    '1e400',
    'true',
    'x'.repeat(5000),
  ),
);

const jsonText = fc.oneof(
  rawJson,
  text.map((value) => JSON.stringify(value)),
  fc.json({ maxDepth: 3 }),
  fc.integer().map(String),
  fc.double().map(String),
);

const strangeNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', '', 'x', '$where'];
const queryNames = [
  ...['page', 'pageSize', 'sort', 'direction', 'modifiedSince', 'key', 'type', 'Category'],
  ...['inStock', 'itemID', 'spot', 'serial', 'hold', 'page[]', 'page[$gt]'],
  ...strangeNames,
];

function bodyNames(declared: Route): string[] {
  const shape = (declared.body as { shape?: object } | undefined)?.shape ?? {};
  return [...Object.keys(shape), ...strangeNames];
}

/** A body that was valid before some of its fields were spoiled, or no object at all. */
function bodyOf(declared: Route, itemID: string): fc.Arbitrary<string> {
  const valid = Object.entries(requestOf(declared, { itemID }).body ?? {});
  const spoiled = fc
    .array(fc.tuple(fc.constantFrom(...bodyNames(declared)), jsonText), { maxLength: 5 })
    .map((fields) => {
      const members = [...valid.map(([name, value]) => [name, JSON.stringify(value)]), ...fields];
      return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
    });
  return fc.oneof({ weight: 6, arbitrary: spoiled }, { weight: 1, arbitrary: jsonText }, text);
}

const query = fc
  .array(fc.tuple(fc.constantFrom(...queryNames), text, fc.boolean()), { maxLength: 4 })
  .map((pairs) =>
    pairs
      .map(
        ([name, value, encoded]) => `${name}=${encoded ? encodeURIComponent(value.toWellFormed()) : value}`,
      )
      .join('&')
      .replace(/[\s#]/g, ''),
  );

const segment = fc.oneof(
  text.map((value) => encodeURIComponent(value.toWellFormed())),
  fc.constantFrom(
    '%zz',
    '%',
    '%00',
    '%ff',
    '%2F',
    '%2e%2e',
    '0',
    '-1',
    '2147483648',
    '9'.repeat(40),
    '1;x=1',
    'NaN',
  ),
);

const contentType = fc.oneof(
  { weight: 8, arbitrary: fc.constant('application/json') },
  fc.constantFrom(
    'application/json;charset=utf-16',
    'text/plain',
    'application/json; charset=',
    'multipart/form-data',
    ';',
  ),
);
const extraHeaders = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  fc.constantFrom(
    { 'Content-Encoding': 'gzip' },
    { 'Content-Encoding': 'br' },
    { 'Content-Encoding': 'x' },
    { 'Idempotency-Key': '' },
    { 'Idempotency-Key': 'k'.repeat(256) },
    { 'X-Request-Id': '\u00ff' },
    { 'X-HTTP-Method-Override': 'DELETE' },
  ),
);
const method = (declared: Route) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constant<string>(declared.method) },
    fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'),
  );

function request(itemID: string) {
  return fc.constantFrom(...routes).chain((declared) =>
    fc.record({
      method: method(declared),
      path: fc.tuple(segment, fc.boolean(), query).map(([part, plain, search]) => {
        const path = plain
          ? requestOf(declared, { itemID }).path
          : declared.path.replace(/:\w+/, part || 'x');
        return search === '' ? path : `${path}?${search}`;
      }),
      headers: fc
        .tuple(contentType, extraHeaders)
        .map(([type, extra]) => ({ 'Content-Type': type, ...extra })),
      body: declared.body === undefined ? fc.constant(undefined) : bodyOf(declared, itemID),
    }),
  );
}

test('never a 5xx: whatever comes in, over all routes, the answer is the contract’s', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(request(itemID), { minLength: requestsPerRun, maxLength: requestsPerRun }),
      async (requests) => {
        await Promise.all(
          requests.map(async ({ method, path, headers, body }) => {
            const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
            const answer = await client.send(method, path, { headers, ...(hasBody ? { body } : {}) });
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
            if (method !== 'HEAD') expectRefusalShape(answer, `${method} ${path} ${body}`);
            else expect(answer.status).toBeLessThan(500);
          }),
        );
      },
    ),
    { numRuns: 250, endOnFailure: true },
  );
  // The run says something only if requests of every kind of fate were among it.
  for (const status of [200, 201, 400, 403, 404, 405])
    expect(statuses.get(status), String(status)).toBeGreaterThan(0);
}, 120_000);

test('never a 5xx: whatever is asked of /Token', async () => {
  const names = ['grant_type', 'client_id', 'client_secret', 'scope', '__proto__', ''];
  const form = fc
    .array(fc.tuple(fc.constantFrom(...names), fc.oneof(text, fc.constant('client_credentials'))), {
      maxLength: 5,
    })
    .map((pairs) =>
      pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&'),
    );
  const authorization = fc.option(
    fc.oneof(
      text.map((value) => `Basic ${Buffer.from(value).toString('base64')}`),
      fc.constantFrom('Basic', 'Basic =', 'Basic %%%', 'Bearer x', 'Basic Og=='),
    ),
    { nil: undefined },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(form, authorization), { minLength: 10, maxLength: 10 }),
      async (all) => {
        await Promise.all(
          all.map(async ([body, header]) => {
            const answer = await send(service.baseUrl, 'POST', '/Token', {
              headers: {
                'Content-Type': 'application/x-www-form-urlencoded',
                ...(header === undefined ? {} : { Authorization: header }),
              },
              body,
            });
            expectRefusalShape(answer, body);
          }),
        );
      },
    ),
    { numRuns: 30, endOnFailure: true },
  );
});

test('the service is as it was: nothing of all this has changed another item, or a prototype', async () => {
  const client = await service.client();
  expect((await client.get('/Item')).status).toBe(200);
  const clean: Record<string, unknown> = {};
  for (const name of ['units', 'spot', 'wid', 'shortID']) expect(clean[name]).toBeUndefined();
});
