import type { Route } from '@inventory/api/http/route';
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { everyPumpedOf, pumpedOf } from '../harness/contract/pumped-texts.ts';
import { fieldsOf, nameOf, requestOf, routes } from '../harness/contract/routes.ts';
import { listOf, slowJson, slowTexts } from '../harness/contract/slow-texts.ts';
import { readHeaders } from '../harness/network/read-headers.ts';
import { useProbedApi } from '../harness/service/use-probed-api.ts';
import { createLinearWatch, type ReadPlace, type WireRequest } from '../harness/watch/linear-watch.ts';

const { service, api } = useProbedApi({ TRUST_PROXY: '1' });
let watch: ReturnType<typeof createLinearWatch>;
let token: string;

beforeAll(async () => {
  watch = createLinearWatch(api);
  ({ token } = await service.client({ baseUrl: api.baseUrl, operationsPerMinute: 10_000_000 }));
});
afterAll(() => watch?.close());

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
// Of the head's 16 KB the token and the rest need some; the form has 4 KB, other bodies 64 KB, a batch 1 MiB.
const headBytes = 14_000;
const formBytes = 4096;
const bodyBytes = 64 * 1024;

// Strangers are answered at once, as long as they come from different places.
let strangers = 0;
const newAddress = () => `10.0.${(strangers++ >> 8) & 255}.${strangers & 255}`;

function wire(method: string, path: string, headers: Record<string, string>, body?: string): WireRequest {
  const all = {
    ...{ Host: 'x', Authorization: `Bearer ${token}`, Prefer: 'handling=strict' },
    'X-Forwarded-For': newAddress(),
    ...(body === undefined ? {} : { 'Content-Type': json, 'Content-Length': Buffer.byteLength(body) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = `${[`${method} /api/v1${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
  return body === undefined ? { head } : { head, body };
}

/** A text, as Node lets it through in a header's value or in a target. */
const inHeader = (text: string) => text.replace(/[^\t\x20-\x7e]/gu, 'x').trim();
const inTarget = (text: string) => text.replace(/ /g, '+').replace(/[^\x21-\x7e]|#/gu, 'x');

const sample = { itemID: 'I-1' };
const unknown = 'zz';
const pathOf = (declared: Route) => requestOf(declared, sample).path.replace(/\?.*/, '');
const withBody = routes.filter((declared) => declared.body !== undefined);
const ofRoute = (declared: Route, headers: Record<string, string>, path = pathOf(declared)) => {
  const { body } = requestOf(declared, sample);
  return wire(declared.method, path, headers, body && JSON.stringify(body));
};

function inGroups<Value>(all: readonly Value[], size: number): Value[][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, index) => all.slice(index * size, (index + 1) * size));
}

// Several fields of a request at once have room enough for a text that is slow, and say the same.
const bodyFields = withBody.flatMap((declared) =>
  inGroups([...fieldsOf(declared, 'body'), unknown], 4).map(
    (names): ReadPlace => ({
      name: `${nameOf(declared)} body ${names}`,
      bytesMax: 8000,
      harmless: `"${'a'.repeat(7900)}"`,
      put(text) {
        const { method, path, body } = requestOf(declared, sample);
        const marked = { ...body, ...Object.fromEntries(names.map((name) => [name, '@'])) };
        return wire(
          method,
          path,
          {},
          JSON.stringify(marked).replaceAll('"@"', () => text),
        );
      },
    }),
  ),
);
const queryFields = routes.flatMap((declared) =>
  inGroups([...fieldsOf(declared, 'query'), unknown], 2).map(
    (names): ReadPlace => ({
      name: `${nameOf(declared)} query ${names}`,
      bytesMax: headBytes / 2,
      put(text) {
        const query = names.map((name) => `${name}=${inTarget(text)}${name === 'key' ? '&type=id' : ''}`);
        return ofRoute(declared, {}, `${pathOf(declared)}?${query.join('&')}`);
      },
    }),
  ),
);
const pathFields = routes.flatMap((declared) =>
  fieldsOf(declared, 'params').map(
    (param): ReadPlace => ({
      name: `${nameOf(declared)} path ${param}`,
      bytesMax: headBytes,
      put: (text) => ofRoute(declared, {}, declared.path.replace(`:${param}`, inTarget(text))),
    }),
  ),
);
// Not those that say where the body ends: what comes behind it would be another request.
const headerNames = [...readHeaders(), 'X-Unknown'].filter((name) => !/^(Content-L|Transfer-E)/.test(name));
// A request with a wrong one of these goes no further.
const first = ['Authorization', 'Host', 'Expect', 'Upgrade', 'Connection'];
const later = headerNames.filter((name) => !first.includes(name));
const ofDocuments = later.filter((name) => /^(If-|Accept|Cache)/.test(name));
const headLines: [string, string[], (headers: Record<string, string>) => WireRequest][] = [
  ['POST /Item', later, (headers) => wire('POST', '/Item', headers, '{}')],
  ['POST /Token', later, (headers) => wire('POST', '/Token', { 'Content-Type': form, ...headers }, 'a=b')],
  ['GET /openapi.json', ofDocuments, (headers) => wire('GET', '/openapi.json', headers)],
  ['GET /Changes', ['Accept'], (headers) => wire('GET', '/Changes?after=now', headers)],
];
const headerFields = headLines.flatMap(([line, some, ask]) =>
  [...inGroups(some, 2), ...inGroups(first, 1)].map(
    (names): ReadPlace => ({
      name: `${line} headers ${names}`,
      bytesMax: headBytes / 2,
      put: (text) => ask(Object.fromEntries(names.map((name) => [name, inHeader(text)]))),
    }),
  ),
);
const tokenForm = (body: string) =>
  wire('POST', '/Token', { 'Content-Type': form, Authorization: 'Basic eDp5' }, body);
const formFields = ['grant_type', 'client_id', 'client_secret', unknown].map(
  (name): ReadPlace => ({
    name: `POST /Token form ${name}`,
    bytesMax: formBytes - 200,
    put: (text) => tokenForm(`${new URLSearchParams({ [name]: text })}`.slice(0, formBytes)),
  }),
);

const bodies: ReadPlace[] = withBody.map((declared) => ({
  name: nameOf(declared),
  bytesMax: declared.path === '/Inventory/Batch' ? 1024 * 1024 : bodyBytes,
  put: (text) => wire(declared.method, pathOf(declared), {}, text),
}));
/** The same places, with at most so many bytes. */
const upTo = (most: number, places: readonly ReadPlace[]) =>
  places.map(
    (each): ReadPlace => ({
      ...each,
      name: `${each.name}, up to ${most} bytes`,
      bytesMax: Math.min(each.bytesMax, most),
    }),
  );
// Of a batch and of all other bodies.
const twoReaders = bodies.filter(({ name }) => /Batch|PUT/.test(name));
const queries: ReadPlace[] = routes
  .filter(({ method }) => method === 'GET')
  .map((declared) => ({
    name: `${nameOf(declared)} query`,
    bytesMax: headBytes,
    put: (text) => wire('GET', `${pathOf(declared)}?${inTarget(text)}`, {}),
  }));
const headers = [...later, 'Authorization'].map(
  (name): ReadPlace => ({
    name,
    bytesMax: name === 'Authorization' ? headBytes : headBytes - 1000,
    put: (text) => wire('POST', '/Item', { [name]: inHeader(text) }, '{}'),
  }),
);
const paths: ReadPlace[] = ['', '/Item', '/Inventory', '/Inventory/StockLevels'].flatMap((start) =>
  ['GET', 'DELETE'].map((method) => ({
    name: `${method} ${start}/…`,
    bytesMax: headBytes,
    put: (text) => wire(method, `${start}/${inTarget(text)}`, {}),
  })),
);
const forms: ReadPlace[] = [{ name: 'POST /Token', bytesMax: formBytes, put: tokenForm }];
const heads: ReadPlace[] = [
  {
    name: 'headers',
    bytesMax: headBytes,
    put: (text) => ({ head: `GET /api/v1/Item HTTP/1.1\r\nHost: x\r\n${text}\r\n\r\n` }),
  },
];

test.each([
  ['text', 'header', headerFields, slowTexts],
  ['text', 'query', queryFields, slowTexts],
  ['text', 'path', pathFields, slowTexts],
  ['text', 'form', formFields, slowTexts],
  ['text or value', 'body', bodyFields, slowJson],
])('linear, and the loop turns on: a %s that is slow to read, in any field of any %s', async (...given) => {
  const [, , places, texts] = given;
  for (const place of places) await watch.expectLinear(place, texts, [1]);
});

// Each operation of a full batch has them.
const inOperations: ReadPlace = {
  name: 'fields of 500 operations',
  bytesMax: 2000,
  harmless: `"k":"${'a'.repeat(1980)}"`,
  put: (text) =>
    wire(
      'POST',
      '/Inventory/Batch',
      {},
      `{"mode":"each","operations":[${Array(500).fill(`{"op":"issue",${text}}`)}]}`,
    ),
};

const lists = (...all: [member: string, by: string][]) =>
  all.map(([member, by]) => listOf('', member, '', by));

test.each([
  [
    'parameters',
    queries,
    lists(['a', '&'], ['a#', '&'], ['a#&a#', '&'], ['page=1', '&'], ['__proto__=1', '&'], ['a#%FF', '&']),
  ],
  ['fields of a form', forms, lists(['a', '&'], ['a#', '&'], ['', '&'])],
  ['segments', paths, lists(['', '/'], ['a', '/'], ['Item', '/'])],
  ['fields of operations', [inOperations], lists(['"a#":1', ','], ['"Spot#":null', ','])],
  ['headers', heads, lists(['a#:', '\r\n'], ['a:b', '\r\n'], ['Authorization: Bearer x', '\r\n'])],
  ['values', upTo(bodyBytes, twoReaders), slowJson.slice(slowTexts.length)],
])('linear, and the loop turns on: very many %s', async (_what, places, texts) => {
  for (const place of places) await watch.expectLinear(place, texts);
});

// All the syntax of JSON in few bytes: names and texts with and without escapes, numbers of every kind.
const awkward =
  '{"a\\n":[],"b":{"c":1.0e-9,"d":"\\u0041é"},"e":-12345678901234567890.50,"operations":[{"op":"issue","x\\\\":[1]},[]],"f":null}';
const bodySamples = withBody.flatMap((declared) => {
  const { body } = requestOf(declared, sample);
  const fields = fieldsOf(declared, 'body').map((field) => [field, '2026-01-31T08:00:00.000+01:00']);
  return [JSON.stringify(body), JSON.stringify({ ...Object.fromEntries(fields), ...body, units: 1.000001 })];
});
const querySamples = routes.flatMap((declared) =>
  fieldsOf(declared, 'query').map(
    (field) => `${field}=2026-01-01T00:00:00.000 01:00&${field}=%41+1&x%C3%A9&=`,
  ),
);
const headerSamples = [
  'Bearer eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ4In0.c2ln',
  'application/json; charset="utf-8"; a=b',
  'respond-async, handling="str\\ict"; a="b, c"; d=e, wait=10',
  '1.2.3.4, [2001:db8::1]:80, fe80::1%eth0',
  'W/"a", "b", *',
  `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`,
  'gzip;q=0.5, a/b; c="d", *;q=0, https://x.example:80/',
];
const jsonGlue = ['[] [ {} {"k":1}, "k":1, , : " \\" "" 0 9. 0, - é'.split(' '), ' '].flat();
const urlGlue = '& = % %41 + a=& page=1& 0 T / ; . %2F ?'.split(' ');
const headerGlue = [', ; = " \\" * : % . - 0 ;q=0'.split(' '), ' ', '\t', ', ', '; a="'].flat();

test.each([
  ['body', 30, upTo(4 * bodyBytes, bodies), [...bodySamples, awkward, awkward, awkward], jsonGlue],
  ['query', 20, queries, querySamples, urlGlue],
  ['header', 30, headers, headerSamples, headerGlue],
  ['path', 10, paths, ['Item/A-1', 'Inventory/1%2F2/a;b=c', '12345', '%C3%A9/x'], urlGlue],
  ['form', 5, forms, ['grant_type=client_credentials&client_id=x%20y&client_secret=z+z&a=&=b'], urlGlue],
])(
  'twice as many bytes take the processor less than three times as long, and the loop turns on: any %s',
  async (_what, numRuns, places, samples, glue) => {
    const texts = fc.array(pumpedOf(samples, glue), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), texts, (place, some) => watch.expectLinear(place, some)),
      // A text that is slow is shown as it was found: others like it take as long.
      { numRuns, endOnFailure: true },
    );
  },
);

// Each part of these before each other one, or before what would be read for the sake of it.
test.each([
  ['{"a\\n":[]}', ['[]', '[', ',', '"']],
  ['{"units":1.05}', []],
])('the same for every pair of parts of the body %s', async (text, glue) => {
  for (const place of upTo(bodyBytes / 8, twoReaders))
    await watch.expectLinear(place, everyPumpedOf(text, glue), [1]);
});

// Each of the readers, and what is passed over unread.
test.each([
  ['POST', '/Item', {}],
  ['POST', '/Inventory/Batch', {}],
  ['GET', '/Item', {}],
  ['POST', '/Item', { Authorization: 'Bearer x' }],
])('a body in pieces of a byte: %s %s %j', async (method, path, more) => {
  const chunks = { length: (bytes: number) => '1\r\n \r\n'.repeat(bytes) };
  const put = (text: string) => {
    const framed = text.startsWith('1') ? text : `${text.length.toString(16)}\r\n${text}\r\n`;
    const head = wire(method, path, { 'Transfer-Encoding': 'chunked', 'Content-Type': json, ...more });
    return { ...head, body: `${framed}0\r\n\r\n` };
  };
  // Node's parser works here, with its own garbage; the event loop is what counts.
  await watch.expectLinear({ name: 'pieces', bytesMax: 2 * bodyBytes, put, ratioMax: 10 }, [chunks]);
});
