import { randomBytes } from 'node:crypto';
import type { Route } from '@inventory/api/http/route';
import { tryOutTogether } from '@inventory/db/batch/dry-run';
import type { Sql } from '@inventory/db/postgres/pool';
import type { SingleRequest } from '@inventory/domain/stock/request';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { fieldsOf, nameOf, requestOf, routes } from '../harness/contract/routes.ts';
import { beginnings, ends, slowJson, slowText, slowTexts, units } from '../harness/contract/slow-texts.ts';
import { readHeaders } from '../harness/network/read-headers.ts';
import { type ApiClient, untilAnswered } from '../harness/service/api-client.ts';
import { type ProbedApi, startProbedApi } from '../harness/service/probed-api.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { issueOf, type Operation, receiveOf } from '../harness/stock/operations.ts';
import { createLoopWatch, type Place, type WireRequest } from '../harness/watch/held-loop.ts';

// The worker and the database are those of the file; the api that is asked runs in a process of its own.
const env = { QUEUE_PREFIX: `test-${randomBytes(6).toString('hex')}`, RATE_LIMIT: '1000000' };
const service = useService({ env });

// The limits of the api: 64 KB of body, 16 KB of head, of which a token and the rest need some.
const bodyLength = 65_000;
const headLength = 14_500;
const formLength = 4000;

// Thousands of requests one after the other.
const testMaxMs = 900_000;

let api: ProbedApi;
let watch: ReturnType<typeof createLoopWatch>;
let client: ApiClient;
let token: string;
let itemID: string;

beforeAll(async () => {
  api = await startProbedApi({
    DATABASE_URL: service.databaseUrl,
    REDIS_URL: inject('redisUrl'),
    TRUST_PROXY: '1',
    ...env,
  });
  watch = createLoopWatch(api);
  client = await service.client({ baseUrl: api.baseUrl, operationsPerMinute: 10_000_000 });
  ({ token } = client);
  itemID = await service.item();
});
afterAll(async () => {
  watch?.close();
  await api?.stop();
});

type Wire = { method: string; path: string; headers?: Record<string, string>; body?: string | Uint8Array };

function wire({ method, path, headers = {}, body }: Wire): WireRequest {
  const all = {
    Host: 'x',
    Authorization: `Bearer ${token}`,
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = `${[`${method} /api/v1${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
  return body === undefined ? { head } : { head, body };
}

/** A text as a part of a URL, cut where the head would be too large. */
function inUrl(text: string): string {
  const encoded = text
    .replaceAll(' ', '+')
    .replace(/[^\x21-\x7e]|[#&?]/gu, (character) => encodeURIComponent(character));
  // The end is what spoils a match.
  return encoded.length <= headLength ? encoded : encoded.slice(0, headLength - 6) + encoded.slice(-6);
}

/** A text as the value of a header: what Node would refuse is left out. */
const inHeader = (text: string) => text.replace(/[^\t\x20-\x7e]/gu, 'x');

const unknown = 'zz';
const tokenForm = { 'Content-Type': 'application/x-www-form-urlencoded' };
const formFields = ['grant_type', 'client_id', 'client_secret', unknown];

function formOf(field: string, value: string): string {
  const form = { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y', [field]: value };
  return new URLSearchParams(form).toString().slice(0, formLength);
}

/** Every place where a request says something, each with a way to put a text there. */
function textPlaces(): { name: string; length: number; put: (text: string) => WireRequest }[] {
  const body = routes.flatMap((declared) =>
    declared.body === undefined
      ? []
      : [...fieldsOf(declared, 'body'), unknown].map((field) => ({
          name: `${nameOf(declared)} body ${field}`,
          length: bodyLength,
          put: (text: string) => {
            const request = requestOf(declared, { itemID });
            const json = JSON.stringify({ ...request.body, [field]: '@' }).replace('"@"', () =>
              JSON.stringify(text),
            );
            return wire({ ...request, body: Buffer.from(json).subarray(0, bodyLength + 500) });
          },
        })),
  );
  const query = routes.flatMap((declared) =>
    [...fieldsOf(declared, 'query'), unknown].map((field) => ({
      name: `${nameOf(declared)} query ${field}`,
      length: headLength,
      put: (text: string) => {
        const request = wireOf(declared);
        const type = field === 'key' ? '&type=id' : '';
        return wire({ ...request, path: `${request.path}?${field}=${inUrl(text)}${type}` });
      },
    })),
  );
  const paths = routes.flatMap((declared) =>
    fieldsOf(declared, 'params').map((param) => ({
      name: `${nameOf(declared)} path ${param}`,
      length: headLength,
      put: (text: string) =>
        wire({ method: declared.method, path: declared.path.replace(`:${param}`, inUrl(text)) }),
    })),
  );
  const lines = [
    wireOf(routes.find(({ path }) => path === '/Item')!),
    wireOf(routes.find(({ path }) => path === '/Inventory/Issue')!),
    { method: 'POST', path: '/Token', headers: tokenForm, body: formOf(unknown, '') },
    { method: 'GET', path: '/openapi.json' },
  ];
  const headers = [...readHeaders(), 'X-Unknown'].flatMap((header) =>
    lines.map((line) => ({
      name: `${line.method} ${line.path} header ${header}`,
      length: headLength,
      put: (text: string) => wire({ ...line, headers: { ...line.headers, [header]: inHeader(text) } }),
    })),
  );
  const form = formFields.map((field) => ({
    name: `POST /Token form ${field}`,
    length: formLength,
    put: (text: string) =>
      wire({ method: 'POST', path: '/Token', headers: tokenForm, body: formOf(field, text) }),
  }));
  const elsewhere = [
    { name: 'path', put: (text: string) => wire({ method: 'GET', path: `/${inUrl(text)}` }) },
    {
      name: 'path below a route',
      put: (text: string) => wire({ method: 'DELETE', path: `/Item/${inUrl(text)}/x` }),
    },
    {
      name: 'query without names',
      put: (text: string) => wire({ method: 'GET', path: `/Item?${inUrl(text)}` }),
    },
  ].map((each) => ({ ...each, length: headLength }));
  return [...body, ...query, ...paths, ...headers, ...form, ...elsewhere];
}

/** A request that the route accepts. */
function wireOf(declared: Route): Wire {
  const { method, path, body } = requestOf(declared, { itemID });
  return body === undefined ? { method, path } : { method, path, body: JSON.stringify(body) };
}

async function expectNoneSlow(places: readonly Place[]) {
  expect(places.length).toBeGreaterThan(0);
  for (const place of places) expect(await watch.slowAt(place)).toBeNull();
}

test(
  'the loop turns on: a text that is slow to match, in any field, header, path or query',
  async () => {
    await expectNoneSlow(
      textPlaces().map(({ name, length, put }) => ({
        name,
        harmless: put('a'.repeat(length)),
        hostile: slowTexts(length).map(put),
      })),
    );
  },
  testMaxMs,
);

test(
  'the loop turns on: a slow text with any beginning and end, anywhere',
  async () => {
    const places = textPlaces();
    const any = fc.record({
      place: fc.constantFrom(...places),
      beginning: fc.constantFrom(...beginnings),
      run: fc.array(fc.constantFrom(...units), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
      end: fc.oneof(fc.constantFrom(...ends), fc.string({ maxLength: 5 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(any, { minLength: 20, maxLength: 20 }), async (chosen) => {
        await expectNoneSlow(
          chosen.map(({ place: { name, length, put }, beginning, run, end }) => ({
            name,
            harmless: put('a'.repeat(length)),
            hostile: [put(slowText(beginning, run, end, length))],
          })),
        );
      }),
      { numRuns: 20, endOnFailure: true },
    );
  },
  testMaxMs,
);

test(
  'the loop turns on: a value that is slow to read, in any field of a body',
  async () => {
    const bodies = routes.filter((declared) => declared.body !== undefined);
    await expectNoneSlow(
      bodies.flatMap((declared) =>
        [...fieldsOf(declared, 'body'), unknown].map((field) => {
          const put = (json: string) => {
            const { body, ...request } = requestOf(declared, { itemID });
            const text = JSON.stringify({ ...body, [field]: '@' }).replace('"@"', () => json);
            return { ...request, body: text };
          };
          const hostile = slowJson(bodyLength).map(put);
          return {
            name: `${nameOf(declared)} value of ${field}`,
            harmless: wire(put(`"${'a'.repeat(bodyLength - 60)}"`)),
            hostile: hostile.map(wire),
          };
        }),
      ),
    );
  },
  testMaxMs,
);

test('the loop turns on: very many parameters, fields, segments and headers', async () => {
  const many = (count: number, one: (index: number) => string, by = '') =>
    Array.from({ length: count }, (_, index) => one(index)).join(by);
  const queries = [
    many(headLength / 2, () => 'a&'),
    many(2400, (index) => `a${index}&`),
    many(1200, (index) => `a${index}&a${index}&`),
    many(1800, () => 'page=1&'),
    many(3600, () => '__proto__=1&').slice(0, headLength),
  ];
  const put = { method: 'PUT', path: '/Item' };
  const whole = (body: string) => wire({ ...put, body });
  const forms = [
    many(formLength / 2, () => 'a&'),
    many(700, (index) => `a${index}&`),
    '&'.repeat(formLength),
  ];
  const paths = ['/'.repeat(headLength), '/a'.repeat(headLength / 2), '/Item'.repeat(headLength / 5)];
  await expectNoneSlow([
    ...routes.map((declared) => {
      const request = wireOf(declared);
      const ask = (query: string) => wire({ ...request, path: `${request.path}?${query}` });
      return {
        name: `${nameOf(declared)} query`,
        harmless: ask(`${unknown}=${'a'.repeat(headLength)}`),
        hostile: queries.map(ask),
      };
    }),
    {
      name: 'a whole body',
      harmless: whole(`{"shortID":"${'a'.repeat(bodyLength)}"}`),
      hostile: [...slowJson(bodyLength), '{'.repeat(bodyLength), `"${'a'.repeat(bodyLength)}`].map(whole),
    },
    {
      name: 'POST /Token form',
      harmless: wire({ method: 'POST', path: '/Token', headers: tokenForm, body: 'a'.repeat(formLength) }),
      hostile: forms.map((body) => wire({ method: 'POST', path: '/Token', headers: tokenForm, body })),
    },
    {
      name: 'path',
      harmless: wire({ method: 'GET', path: `/${'a'.repeat(headLength)}` }),
      hostile: ['GET', 'PUT', 'DELETE'].flatMap((method) => paths.map((path) => wire({ method, path }))),
    },
    {
      name: 'headers',
      harmless: wire({ method: 'GET', path: '/Item', headers: { 'X-Unknown': 'a'.repeat(headLength) } }),
      hostile: [
        { head: `GET /api/v1/Item HTTP/1.1\r\nHost: x\r\n${many(1900, (index) => `a${index}:\r\n`)}\r\n` },
        { head: `GET /api/v1/Item HTTP/1.1\r\nHost: x\r\n${many(1900, () => 'a:b\r\n')}\r\n` },
        {
          head: `GET /api/v1/Item HTTP/1.1\r\nHost: x\r\n${many(500, () => 'Authorization: Bearer x\r\n')}\r\n`,
        },
      ],
    },
  ]);
});

const stretchRounds = 15;

/**
 * Of the work that a batch is, the part that was done at one stretch: by the processor's time, of which other
 * programs on the machine take none, and of the middle round, for garbage is collected when it is.
 */
async function longestStretch(body: object, status?: number) {
  const text = JSON.stringify(body);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const shares: number[] = [];
  for (let round = 0; round < stretchRounds; round++) {
    await api.measure();
    const answer = await fetch(`${api.baseUrl}/Inventory/Batch`, { method: 'POST', body: text, headers });
    expect((await answer.text()).length).toBeGreaterThan(10_000);
    if (status !== undefined) expect(answer.status).toBe(status);
    const { stretchMs, workedMs } = await api.measure();
    shares.push(stretchMs / workedMs);
  }
  return shares.toSorted((a, b) => a - b)[Math.floor(stretchRounds / 2)];
}

// A tenth to a fifth is seen, and most of it where nobody is let in between.
const stretchMax = 0.45;
const wrong = { op: 'receive', itemID: 'X', units: -1, wid: 1, reasonCode: 1 };
const more = <Value>(count: number, value: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => value(index));

test.each([
  ['long texts', { ...wrong, remark: 'x'.repeat(1900) }],
  ['many fields', { ...wrong, ...Object.fromEntries(more(150, (index) => [`f${index}`, index])) }],
  ['many numbers', { ...wrong, numbers: more(300, (index) => 10_000 + index) }],
])('a batch of nearly 1 MiB is read, judged and answered in stretches: %s', async (_, operation) => {
  for (const mode of ['each', 'atomic']) {
    const body = { mode, operations: more(500, () => operation) };
    expect(await longestStretch(body), mode).toBeLessThanOrEqual(stretchMax);
  }
});

// Here there is much to do beside it: a tenth is seen, a quarter and more where the lots come,
// or are passed over, at one stretch.
const trialStretchMax = 0.2;

async function applyAll(operations: readonly Operation[]) {
  for (let from = 0; from < operations.length; from += 500) {
    // With a key: a slow machine's 503 is settled by asking again.
    const headers = { 'Idempotency-Key': uniqueName('list') };
    const body = { mode: 'atomic', operations: operations.slice(from, from + 500) };
    const { status, text } = await untilAnswered(() => client.post('/Inventory/Batch', body, headers));
    expect(status, text.slice(0, 300)).toBe(200);
  }
}

test.each([
  ['that pass over all lots of each place before', 200, () => 11],
  ['of an item with 20,000 lots', 409, (spot: number) => (spot < 64 ? 250 : 16)],
])(
  'an atomic batch is tried out in stretches: 500 issues from 500 places %s',
  async (_, answered, lotsAt) => {
    const stocked = await service.item();
    const spots = more(500, (index) => `S-${index}`);
    const receipts = spots.flatMap((spot, index) =>
      more(lotsAt(index), () => receiveOf(stocked, 10, { spot })),
    );
    await applyAll(receipts);
    // Else Postgres has plans for a table that was empty, and takes seconds.
    await service.sql`analyze lot`;
    const operations = spots.map((spot) => issueOf(stocked, 1, { spot }));
    const body = { mode: 'atomic', dryRun: true, operations };
    expect(await longestStretch(body, answered)).toBeLessThanOrEqual(trialStretchMax);
  },
);

/** How many statements have read the ledger while this was under way, over this pool. */
async function ledgerReads(sql: Sql, work: () => Promise<unknown>): Promise<number> {
  const options = sql.options as { debug?: unknown };
  let count = 0;
  options.debug = (_: number, text: string) => {
    if (text.includes('join stock_entry using (transaction_no)')) count += 1;
  };
  await work();
  options.debug = undefined;
  return count;
}

test('what reversals undo is read in stretches when they are tried out: 2,000 lines of the ledger at a time', async () => {
  const moved = await service.item();
  await applyAll(more(2002, () => receiveOf(moved, 1, { spot: 'A' })));
  const numbers: number[] = [];
  for (const units of [1000, 1, 1, 1000]) {
    const move = { itemID: moved, units, wid: 1, shipToWid: 2, spot: 'A', shipToSpot: 'B', reasonCode: 1 };
    const headers = { 'Idempotency-Key': uniqueName('move') };
    const { status, text } = await untilAnswered(() => client.post('/Inventory/Move', move, headers));
    expect(status, text.slice(0, 300)).toBe(200);
    numbers.push((JSON.parse(text) as { transactionNo: number }).transactionNo);
  }
  const undone = numbers.map((transactionNo, index): SingleRequest => {
    const of = { kind: 'move' as const, itemID: moved, wids: [1, 2], lines: index % 3 === 0 ? 2000 : 2 };
    return { kind: 'reverse', body: { transactionNo }, of };
  });
  const tried = (requests: readonly SingleRequest[]) => async () => {
    const trial = await tryOutTogether(service.sql, requests, 'client');
    expect(trial).toMatchObject({ status: 'applied', texts: requests.map(() => expect.any(String)) });
  };
  expect(await ledgerReads(service.sql, tried(undone.slice(0, 3)))).toBe(2);
  expect(await ledgerReads(service.sql, tried(undone.slice(1, 3)))).toBe(1);
});
