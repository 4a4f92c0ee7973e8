import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { everyPumpedOf, type Pumped, pumped, pumpedOf, shownPump } from '../harness/contract/pumped-texts.ts';
import { fieldsOf, nameOf, requestOf, routes } from '../harness/contract/routes.ts';
import { readHeaders } from '../harness/network/read-headers.ts';
import { type ProbedApi, startProbedApi } from '../harness/service/probed-api.ts';
import { useService } from '../harness/service/service.ts';
import type { WireRequest } from '../harness/watch/held-loop.ts';
import { createLinearWatch, type ReadPlace } from '../harness/watch/linear-watch.ts';

// The worker and the database are those of the file; the api that is asked runs in a process of its own.
const env = { QUEUE_PREFIX: `test-${randomBytes(6).toString('hex')}`, RATE_LIMIT: '1000000' };
const service = useService({ env });

let api: ProbedApi;
let watch: ReturnType<typeof createLinearWatch>;
let token: string;

beforeAll(async () => {
  api = await startProbedApi({
    DATABASE_URL: service.databaseUrl,
    REDIS_URL: inject('redisUrl'),
    TRUST_PROXY: '1',
    ...env,
  });
  watch = createLinearWatch(api);
  const client = await service.client({ baseUrl: api.baseUrl, operationsPerMinute: 10_000_000 });
  ({ token } = client);
});
afterAll(async () => {
  watch?.close();
  await api?.stop();
});

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
// Of the head's 16 KB the token and the rest need some.
const headBytes = 14_000;

function wire(method: string, path: string, headers: Record<string, string>, body?: string): WireRequest {
  const all = {
    ...{ Host: 'x', Authorization: `Bearer ${token}`, Prefer: 'handling=strict' },
    ...(body === undefined ? {} : { 'Content-Type': json, 'Content-Length': Buffer.byteLength(body) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = `${[`${method} /api/v1${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
  return body === undefined ? { head } : { head, body };
}

/** What Node lets through as a header's value, or as a part of a target. */
const inHeader = (text: string) => text.replace(/[^\t\x20-\x7e]/gu, 'x').trim();
const inTarget = (text: string) => text.replace(/ /g, '+').replace(/[^\x21-\x7e]|#/gu, 'x');

const sample = { itemID: 'I-1' };
// Whatever JSON has, in few bytes: names and texts with and without escapes, numbers of every kind.
const awkward =
  '{"a\\n":[],"b":{"c":1.0e-9,"d":"\\u0041é"},"e":-12345678901234567890.50,"operations":[{"op":"issue","x\\\\":[1]},[]],"f":null}';
const bodies: ReadPlace[] = routes
  .filter((declared) => declared.body !== undefined)
  .map((declared) => {
    const { method, path } = requestOf(declared, sample);
    const bytesMax = path === '/Inventory/Batch' ? 1024 * 1024 : 64 * 1024;
    return { name: nameOf(declared), bytesMax, put: (text: string) => wire(method, path, {}, text) };
  });
const bodySamples = routes.flatMap((declared) => {
  const { body } = requestOf(declared, sample);
  if (body === undefined) return [];
  const fields = fieldsOf(declared, 'body').map((field) => [field, '2026-01-31T08:00:00.000+01:00']);
  return [JSON.stringify(body), JSON.stringify({ ...Object.fromEntries(fields), ...body, units: 1.000001 })];
});
const jsonGlue = [
  '[]',
  '[',
  '{}',
  '{"k":1},',
  '"k":1,',
  ',',
  ':',
  '"',
  '\\"',
  '""',
  '0',
  '9.',
  '0,',
  ' ',
  '-',
  'é',
];

const queries: ReadPlace[] = routes
  .filter(({ method }) => method === 'GET')
  .map((declared) => ({
    name: `${nameOf(declared)} query`,
    bytesMax: headBytes,
    put: (text: string) => wire('GET', `${requestOf(declared, sample).path}?${inTarget(text)}`, {}),
  }));
const querySamples = routes.flatMap((declared) =>
  fieldsOf(declared, 'query').map(
    (field) => `${field}=2026-01-01T00:00:00.000 01:00&${field}=%41+1&x%C3%A9&=`,
  ),
);
const urlGlue = ['&', '=', '%', '%41', '+', 'a=&', 'page=1&', '0', 'T', '/', ';', '.', '%2F', '?'];

const headerSamples: Record<string, string> = {
  Authorization: 'Bearer eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ4In0.c2ln',
  'Content-Type': 'application/json; charset="utf-8"; a=b',
  Prefer: 'respond-async, handling="str\\ict"; a="b, c"; d=e, wait=10',
  'X-Forwarded-For': '1.2.3.4, [2001:db8::1]:80, fe80::1%eth0',
  'If-None-Match': 'W/"a", "b", *',
  traceparent: `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`,
};
const anyHeader = 'gzip;q=0.5, a/b; c="d", *;q=0, https://x.example:80/';
const headers: ReadPlace[] = [...readHeaders(), 'X-Unknown']
  // These say how the request is framed.
  .filter(
    (name) => !['Content-Length', 'Transfer-Encoding', 'Expect', 'Upgrade', 'Connection'].includes(name),
  )
  .map((name) => ({
    name,
    bytesMax: headBytes,
    put: (text: string) => {
      const own = name === 'Authorization' ? headBytes : headBytes - 1000;
      return wire('POST', '/Item', { [name]: inHeader(text.slice(0, own)) }, '{}');
    },
  }));
const headerGlue = [
  ',',
  ';',
  '=',
  '"',
  '\\"',
  ' ',
  '\t',
  ', ',
  '; a="',
  '*',
  ':',
  '%',
  '.',
  '-',
  '0',
  ';q=0',
];

const paths: ReadPlace[] = ['', '/Item', '/Inventory', '/Inventory/StockLevels'].flatMap((start) =>
  ['GET', 'DELETE'].map((method) => ({
    name: `${method} ${start}/…`,
    bytesMax: headBytes,
    put: (text: string) => wire(method, `${start}/${inTarget(text)}`, {}),
  })),
);
const forms: ReadPlace[] = [
  {
    name: 'POST /Token',
    bytesMax: 4096,
    put: (text: string) =>
      wire('POST', '/Token', { 'Content-Type': form, Authorization: 'Basic eDp5' }, text),
  },
];

const kinds = {
  'a body': { places: bodies, samples: [...bodySamples, awkward, awkward, awkward], glue: jsonGlue },
  'a query': { places: queries, samples: querySamples, glue: urlGlue },
  'a header': {
    places: headers,
    samples: [...Object.values(headerSamples), anyHeader],
    glue: headerGlue,
  },
  'a path': {
    places: paths,
    samples: ['Item/A-1', 'Inventory/1%2F2/a;b=c', '12345', '%C3%A9/x'],
    glue: urlGlue,
  },
  'a form': {
    places: forms,
    samples: ['grant_type=client_credentials&client_id=x%20y&client_secret=z+z&a=&=b'],
    glue: urlGlue,
  },
};

const runs: Record<keyof typeof kinds, number> = {
  'a body': 40,
  'a query': 20,
  'a header': 30,
  'a path': 10,
  'a form': 5,
};
// So many are sent before the processor's time is asked for: most of them are as quick as they should be.
const together = 12;

async function expectLinear(place: ReadPlace, texts: readonly Pumped[]) {
  for (let from = 0; from < texts.length; from += together) {
    const slow = await watch.slowAt(place, texts.slice(from, from + together));
    expect(slow === null ? null : `${place.name}: ${slow.slowness}: ${shownPump(slow.text)}`).toBeNull();
  }
}

test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
  'twice as many bytes take the processor less than three times as long, and the loop turns on: %s',
  async (kind) => {
    const { places, samples, glue } = kinds[kind];
    const texts = fc.array(pumpedOf(samples, glue), { minLength: together, maxLength: together });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), texts, expectLinear),
      // A text that is slow is shown as it was found: others like it take as long.
      { numRuns: runs[kind], endOnFailure: true },
    );
  },
);

// Each part of these before each other one, or before what would be read for the sake of it.
test.each([
  ['{"a\\n":[]}', ['[]', '[', ',', '"']],
  ['{"units":1.05}', []],
])('the same for every pair of parts of the body %s', async (sample, glue) => {
  const texts = everyPumpedOf(sample, glue);
  for (const { name, put } of bodies.filter((place) => /Batch|PUT/.test(place.name))) {
    await expectLinear({ name: `a small ${name}`, bytesMax: 64 * 1024, put }, texts);
  }
});

const fixed = (text: string) => ({ text, isPump: false });
const pump = (text: string) => ({ text, isPump: true });

test.each([
  ['a name with an escape before many lists', [fixed('{"\\n'), pump('a'), fixed('"'), pump('[]')]],
  ['many short names with an escape', [fixed('{'), pump('"\\q"[]')]],
  ['zeros after the point', [fixed('{"units":1.'), pump('0'), fixed('1}')]],
  ['a text without an end', [fixed('{"a":"'), pump('\\"')]],
  ['brackets in brackets', [fixed('{"a":'), pump('['), pump(']'), fixed('}')]],
])('a body that was slow once, or nearly: %s', async (_what, pieces) => {
  for (const place of bodies) await expectLinear(place, [pumped(pieces)]);
});

test('a body in pieces of a byte, read or not', { timeout: 900_000 }, async () => {
  const chunks = (bytes: number) => '1\r\n \r\n'.repeat(Math.floor(bytes));
  const chunked = { 'Transfer-Encoding': 'chunked', 'Content-Type': json };
  const unread = [
    { name: 'GET /Item', bytesMax: 1024 * 1024, headers: {} },
    { name: 'POST /Item without a token', bytesMax: 1024 * 1024, headers: { Authorization: 'Bearer x' } },
  ];
  for (const place of [...bodies.map((each) => ({ ...each, headers: {} })), ...unread]) {
    const [method = '', path = ''] = place.name.split(' ');
    const put = (text: string) => {
      const framed = text.startsWith('1') ? text : `${text.length.toString(16)}\r\n${text}\r\n`;
      return { ...wire(method, path, { ...chunked, ...place.headers }), body: `${framed}0\r\n\r\n` };
    };
    // Node's parser works here, with its own garbage; the event loop is what counts.
    await expectLinear({ ...place, name: `${place.name} in pieces`, put, ratioMax: 10 }, [
      { pieces: [pump('1\r\n \r\n')], length: chunks },
    ]);
  }
});
