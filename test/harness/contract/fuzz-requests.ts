import { gzipSync } from 'node:zlib';
import type { Route } from '@inventory/api/http/route';
import fc from 'fast-check';
import { readHeaders } from '../network/read-headers.ts';
import { fieldsOf, requestOf, routes } from './routes.ts';

/** Any request, as bytes. */
export type FuzzedRequest = {
  method: string;
  /** Below the base path; null when the bytes were spoiled, so that the path is unknown. */
  path: string | null;
  parts: Uint8Array[];
};

/** The parts that let a request through: a token, an item, and the client's own id and secret. */
export type Known = { token: string; itemID: string; clientId: string; secret: string };

/** The text of a JSON value as it is sent, including texts that no JavaScript value produces. */
const rawJson = fc.constantFrom(
  ...'1e400 -1e400 1e-400 -0 0 -0.0 1E+2 0.1 123456789012345678901234567890 0.1234567890123456789'.split(' '),
  ...'9007199254740993 2147483648 999999999999.9999999 NaN Infinity 01 +1 .5 undefined null true'.split(' '),
  ...`'x' "\\ud800" "\\u0000" "\\x41" [ } [[[[[[[[[[]]]]]]]]]] {"__proto__":{"units":1}} {"length":1} ""`.split(
    ' ',
  ),
  ...['"\u0001"', `"${'x'.repeat(1001)}"`, `"${'\u{1f4a3}'.repeat(70)}"`, '" \\t\\r\\n "'],
);

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    ...['', ' ', '\u0000', 'a\u0000b', "' or 1=1 --", '"; drop table item; --', '\ufeff', '\u202e'],
    ...'$1 {{7*7}} ../../etc/passwd %00 % \\ 2026-01-01 0001-01-01T00:00:00+23:59'.split(' '),
    ...'9999-12-31T23:59:59-23:59 1 -1 0 2147483648 1e400 true'.split(' '),
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
  ...new Set(routes.flatMap((declared) => fieldsOf(declared, 'query'))),
  ...['page[]', 'page[$gt]'],
  ...strangeNames,
];

/** A valid body with some fields spoiled, or something that is not an object. */
function bodyOf(declared: Route, itemID: string): fc.Arbitrary<string> {
  const valid = Object.entries(requestOf(declared, { itemID }).body ?? {});
  const field = fc.tuple(fc.constantFrom(...fieldsOf(declared, 'body'), ...strangeNames), jsonText);
  const spoiled = fc
    .tuple(
      fc.array(field, { maxLength: 5 }),
      fc.nat(9).map((drawn) => drawn === 0),
    )
    .map(([fields, isTwice]) => {
      const all = [...valid.map(([name, value]) => [name, JSON.stringify(value)] as const), ...fields];
      // A field given twice hides all other errors.
      const members = isTwice ? all : [...new Map(all)];
      return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
    });
  return fc.oneof(
    { weight: 60, arbitrary: spoiled },
    { weight: 10, arbitrary: jsonText },
    { weight: 10, arbitrary: text },
    {
      weight: 1,
      arbitrary: fc.constantFrom(JSON.stringify({ remark: 'x'.repeat(70_000) }), ' '.repeat(65_537)),
    },
  );
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
  fc.constantFrom(...'%zz % %00 %ff %2F %2e%2e 0 -1 2147483648 1;x=1 NaN'.split(' '), '9'.repeat(40)),
);

const contentType = fc.oneof(
  { weight: 8, arbitrary: fc.constant('application/json') },
  fc.constantFrom(
    ...'application/json;charset=utf-16 application/x-www-form-urlencoded text/plain multipart/form-data ;'.split(
      ' ',
    ),
    ...['application/json; charset="utf-8"', 'application/json; charset=', 'multipart/form-data; boundary=x'],
  ),
);

const headerText = fc.oneof(
  text.map((value) => value.replace(/[^\t\x20-\x7e\x80-\xff]/gu, '').trim()),
  fc.constantFrom(
    ...[
      '',
      'identity;q=0, *;q=0',
      'gzip, chunked',
      '1.2.3.4, 5.6.7.8',
      'k'.repeat(255),
      'k'.repeat(256),
      '\u00ff',
    ],
    ...'* */*;q=0 gzip;q=0 W/"x" close keep-alive 100-continue Bearer chunked 0 -1 1e9 h2c DELETE'.split(' '),
    ...'x a.b.c eyJhbGciOiJub25lIn0.e30.'.split(' ').map((token) => `Bearer ${token}`),
    ...['Basic Og==', 'Basic =', 'Basic %%%'],
    ...'127.0.0.1 ::1 x:99999 [:: a@b localhost:80/path'.split(' '),
  ),
);
const headerNames = [
  ...readHeaders(),
  ...['X-HTTP-Method-Override', 'Range', 'Cookie', 'Origin', 'Trailer', 'TE', 'Forwarded', 'Date', 'Via'],
];
const extraHeaders = fc.oneof(
  { weight: 5, arbitrary: fc.constant<[string, string][]>([]) },
  { weight: 2, arbitrary: fc.array(fc.tuple(fc.constantFrom(...headerNames), headerText), { maxLength: 4 }) },
);

/** The way to send a body: as it is, compressed, compressed and cut, in pieces. */
const coding = fc.oneof(
  { weight: 10, arbitrary: fc.constant('identity' as const) },
  fc.constantFrom('gzip', 'cut gzip', 'x', 'chunks', 'gzip in chunks'),
);
type Coding = typeof coding extends fc.Arbitrary<infer C> ? C : never;

function coded(body: Buffer, how: Coding): { headers: [string, string][]; bytes: Uint8Array } {
  const sent = (bytes: Uint8Array, encoding?: string) => ({
    headers: [
      ['Content-Length', String(bytes.length)],
      ...(encoding === undefined ? [] : [['Content-Encoding', encoding]]),
    ] as [string, string][],
    bytes,
  });
  if (how === 'identity') return sent(body);
  if (how === 'x') return sent(body, 'x');
  if (how === 'gzip') return sent(gzipSync(body), 'gzip');
  if (how === 'cut gzip') return sent(gzipSync(body).subarray(0, -5), 'gzip');
  const zip = how === 'gzip in chunks';
  const encoding: [string, string][] = zip ? [['Content-Encoding', 'gzip']] : [];
  const headers: [string, string][] = [['Transfer-Encoding', 'chunked'], ...encoding];
  return { headers, bytes: chunked(zip ? gzipSync(body) : body) };
}

function chunked(bytes: Buffer): Uint8Array {
  const size = Math.max(1, Math.ceil(bytes.length / 3));
  const chunks: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += size) {
    const chunk = bytes.subarray(from, from + size);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE'];
const method = (usual: string) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, fc.constantFrom(...methods));

type Asked = {
  method: string;
  path: string;
  body: string | undefined;
  type: string;
  authorization: string | null;
};

/** On a route, with valid parts that were then spoiled. */
function onRoute({ token, itemID }: Known): fc.Arbitrary<Asked> {
  return fc.constantFrom(...routes).chain((declared) =>
    fc.record({
      method: method(declared.method),
      path: fc.tuple(segment, fc.boolean(), query).map(([part, plain, search]) => {
        const valid = requestOf(declared, { itemID }).path;
        const path = plain ? valid : declared.path.replace(/:\w+/, () => part || 'x');
        return search === '' ? path : `${path}?${search}`;
      }),
      body: declared.body === undefined ? fc.constant(undefined) : bodyOf(declared, itemID),
      type: contentType,
      authorization: fc.oneof(
        { weight: 15, arbitrary: fc.constant(`Bearer ${token}`) },
        fc.constantFrom(null, `Bearer ${token}x`, `bearer  ${token}`, `Basic ${token}`, token),
      ),
    }),
  );
}

function onToken({ clientId, secret }: Known): fc.Arbitrary<Asked> {
  const names = ['grant_type', 'client_id', 'client_secret', 'scope', '__proto__', ''];
  const value = fc.oneof(text, fc.constantFrom('client_credentials', clientId, secret));
  return fc.record({
    method: method('POST'),
    path: fc.constant('/Token'),
    body: fc
      .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 5 })
      .map((pairs) =>
        pairs.map(([name, one]) => `${name}=${encodeURIComponent(one.toWellFormed())}`).join('&'),
      ),
    type: fc.oneof({ weight: 9, arbitrary: fc.constant('application/x-www-form-urlencoded') }, contentType),
    authorization: fc.oneof(
      { weight: 4, arbitrary: fc.constant(null) },
      text.map((credentials) => `Basic ${Buffer.from(credentials).toString('base64')}`),
      fc.constantFrom('Basic', 'Basic =', 'Basic %%%', 'Bearer x', 'Basic Og=='),
    ),
  });
}

/** Paths that are no route: the documents, families that are not implemented, unknown paths. */
function elsewhere({ token }: Known): fc.Arbitrary<Asked> {
  const places = '/docs /docs/ /docs/page.js /docs/../x /openapi.json /PurchaseOrder /Report/1'.split(' ');
  return fc.record({
    method: method('GET'),
    path: fc.oneof(
      fc.constantFrom(...places, '/item', '/Item/', '/Inventory//1', '//Item', '/Item;x', '/Item%2FAll'),
      segment.map((part) => `/${part}`),
      fc.tuple(segment, segment, query).map(([one, other, search]) => `/Item/${one}/${other}?${search}`),
    ),
    body: fc.constant(undefined),
    type: contentType,
    authorization: fc.constantFrom(null, `Bearer ${token}`),
  });
}

/** The bytes of a request, changed, cut or doubled on the way. */
const spoiling = fc.array(
  fc.record({
    at: fc.nat({ max: 10_000 }),
    kind: fc.constantFrom('replace', 'insert', 'delete', 'cut'),
    bytes: fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 6 }),
      fc
        .constantFrom('\r\n', '\n', '\r', '\0', ' ', ':', '\r\n\r\n', 'HTTP/1.1', '\t')
        .map((part) => Buffer.from(part)),
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

function spoiled(bytes: Buffer, changes: { at: number; kind: string; bytes: Uint8Array }[]): Buffer {
  return changes.reduce((before, { at, kind, bytes: part }) => {
    const from = at % (before.length + 1);
    const gone = kind === 'insert' ? 0 : kind === 'cut' ? before.length : part.length;
    const put = kind === 'insert' || kind === 'replace' ? part : Buffer.alloc(0);
    return Buffer.concat([before.subarray(0, from), put, before.subarray(from + gone)]);
  }, bytes);
}

/** Any request to any route, to `/Token`, to the documents or to nowhere; some are not HTTP any more. */
export function fuzzedRequest(known: Known): fc.Arbitrary<FuzzedRequest> {
  const asked = fc.oneof(
    { weight: 16, arbitrary: onRoute(known) },
    { weight: 2, arbitrary: onToken(known) },
    { weight: 2, arbitrary: elsewhere(known) },
  );
  const spoil = fc.oneof({ weight: 14, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: spoiling });
  return fc.tuple(asked, extraHeaders, coding, spoil).map(([request, extra, how, changes]) => {
    const { type, authorization, body } = request;
    const hasBody = body !== undefined && request.method !== 'GET' && request.method !== 'HEAD';
    const sent = hasBody ? coded(Buffer.from(body), how) : { headers: [], bytes: Buffer.alloc(0) };
    const headers = [
      ['Host', 'x'],
      ...(authorization === null ? [] : [['Authorization', authorization]]),
      ...(hasBody ? [['Content-Type', type]] : []),
      ...sent.headers,
      ...extra,
    ];
    // The path as written: another test covers texts that no URL may hold, and spoiling produces some.
    const path = request.path.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
    const lines = [`${request.method} /api/v1${path} HTTP/1.1`, ...headers.map((pair) => pair.join(': '))];
    const parts = [Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), sent.bytes];
    // With a different length, coding or expectation, anything may come of it.
    const reframed = extra.some(([name]) =>
      /^(content-length|transfer-encoding|host|expect|upgrade|connection)$/i.test(name),
    );
    if (changes === null) return { method: request.method, path: reframed ? null : path, parts };
    // The reader may be in the middle of anything, and this cannot be its continuation.
    const rest = Buffer.from('zz\r\n\r\n');
    return { method: request.method, path: null, parts: [spoiled(Buffer.concat(parts), changes), rest] };
  });
}
