import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { errorObject, expectAnswer, validationError } from '../harness/contract/answers.ts';
import { nameOf, requestOf, routes } from '../harness/contract/routes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

const notJson = errorObject(400, 'bad_request', 'The body must be sent as application/json.');
const malformed = errorObject(400, 'bad_request', 'The body is not well-formed JSON.');
const notObject = errorObject(400, 'bad_request', 'The body must be a JSON object.');
const notUtf8 = errorObject(400, 'bad_request', 'The body must be UTF-8.');
const compressed = errorObject(415, 'bad_request', 'The body must not be compressed.');
const twice = errorObject(400, 'bad_request', 'An object in the body has a field twice.');
const tooLarge = errorObject(413, 'bad_request', 'The body is larger than 65536 bytes.');

const withBody = routes
  .filter((declared) => declared.body !== undefined)
  .map((declared) => [nameOf(declared), declared] as const);

const tooMuch = (bytes: number) => `{"remark":"${'x'.repeat(bytes)}"}`;

describe.each(withBody)('%s', (_name, declared) => {
  test.each([
    ['no body', undefined, {}, notJson],
    ['an empty body', '', {}, malformed],
    ['white space', ' \r\n\t', {}, malformed],
    ['a cut object', '{"itemID":"X"', {}, malformed],
    ['a trailing comma', '{"itemID":"X",}', {}, malformed],
    ['two objects', '{}{}', {}, malformed],
    ['a form', 'itemID=X', { 'Content-Type': 'application/x-www-form-urlencoded' }, notJson],
    ['JSON sent as text', '{}', { 'Content-Type': 'text/plain' }, notJson],
    ['a kind of JSON', '{}', { 'Content-Type': 'application/vnd.api+json' }, notJson],
    ['a broken type', '{}', { 'Content-Type': '/' }, notJson],
    ['another charset', '{}', { 'Content-Type': 'application/json; charset=latin1' }, notUtf8],
    ['an array', '[]', {}, notObject],
    ['a string', '"x"', {}, notObject],
    ['a number', '5', {}, notObject],
    ['null', 'null', {}, notObject],
    ['NaN', 'NaN', {}, malformed],
    ['a body labelled as compressed', '{}', { 'Content-Encoding': 'gzip' }, compressed],
    ['an unknown compression', '{', { 'Content-Encoding': 'snappy' }, compressed],
    ['compressed twice', '{}', { 'Content-Encoding': 'identity, gzip' }, compressed],
    ['more than 64 KB', tooMuch(65_536), {}, tooLarge],
  ] as const)('%s: not a body', async (_what, body, headers, expected) => {
    const client = await service.client();
    const { method, path } = requestOf(declared, { itemID: 'X' });
    // A batch may be larger.
    const isMore = path === '/Inventory/Batch' && expected === tooLarge;
    const sent = isMore ? tooMuch(1_048_576) : body;
    const answer = await client.send(method, path, {
      headers,
      ...(sent === undefined ? {} : { body: sent }),
    });
    const message = expected.message.replace('65536', isMore ? '1048576' : '65536');
    expectAnswer(answer, expected.statusCode, { ...expected, message });
  });
});

async function sendBytes(bytes: Uint8Array, headers: Record<string, string> = {}) {
  const client = await service.client();
  const response = await fetch(`${service.baseUrl}/Item`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${client.token}`, 'Content-Type': 'application/json', ...headers },
    body: bytes as never,
  });
  const { status, headers: answered } = response;
  return { status, headers: answered, body: (await response.json()) as Record<string, unknown> };
}

test('400: bytes that are not UTF-8', async () => {
  const bytes = Buffer.from('{"shortID":"A_"}');
  bytes[bytes.indexOf('_')] = 0xff;
  expect(await sendBytes(bytes)).toMatchObject({
    status: 400,
    body: errorObject(400, 'bad_request', 'The body is not valid UTF-8.'),
  });
});

test('201: the replacement character is an ordinary character', async () => {
  const shortID = `${uniqueName('R')}\ufffd`;
  const answer = await sendBytes(Buffer.from(JSON.stringify({ shortID })));
  expect(answer).toMatchObject({ status: 201, body: { shortID } });
});

test.each([
  ['gzip', gzipSync],
  ['GZip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('415: a body compressed with %s; the answer says which encodings are accepted', async (encoding, pack) => {
  const bytes = pack(JSON.stringify({ shortID: uniqueName('ZIP') }));
  const answer = await sendBytes(bytes, { 'Content-Encoding': encoding });
  expect(answer).toMatchObject({ status: 415, body: compressed });
  expect(answer.headers.get('Accept-Encoding')).toBe('identity');
});

test('201: an uncompressed body labelled Identity', async () => {
  const shortID = uniqueName('PLAIN');
  const answer = await sendBytes(Buffer.from(JSON.stringify({ shortID })), {
    'Content-Encoding': 'Identity',
  });
  expect(answer).toMatchObject({ status: 201, body: { shortID } });
});

test('201: a body of exactly 64 KB', async () => {
  const client = await service.client();
  const start = `{"shortID":"${uniqueName('BIG')}","unknown":"`;
  const answer = await client.post('/Item', `${start}${'x'.repeat(65_536 - start.length - 2)}"}`);
  expect(answer.status).toBe(201);
  const more = await client.post('/Item', `${start}${'x'.repeat(65_536 - start.length - 1)}"}`);
  expectAnswer(more, 413, tooLarge);
});

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON;charset="UTF-8"',
  'application/json; charset=utf8',
  'application/json;charset=UTF8',
])('201: the type %s', async (type) => {
  const client = await service.client();
  const answer = await client.send('POST', '/Item', {
    headers: { 'Content-Type': type },
    body: { shortID: uniqueName('TYPE') },
  });
  expect(answer.status).toBe(201);
});

test.each(['utf-16', 'utf', 'utf-88', 'latin1'])('400: the charset %s', async (charset) => {
  const client = await service.client();
  const headers = { 'Content-Type': `application/json; charset=${charset}` };
  expectAnswer(await client.send('POST', '/Item', { headers, body: { shortID: 'X' } }), 400, notUtf8);
});

test('400: a parameter given twice is named beside the offending fields of the body', async () => {
  const client = await service.client();
  expectAnswer(
    await client.post('/Inventory/Receive?x=1&x=1&units=1&units=1', { itemID: '', units: 0, wid: 1 }),
    400,
    validationError({
      x: ['x must be given once.'],
      units: ['units must be given once.', 'units must be greater than 0.'],
      itemID: ['itemID must not be empty.'],
      reasonCode: ['reasonCode is required.'],
    }),
  );
});

test('unknown fields are ignored and not stored, however they are named', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const answer = await client.post(
    '/Inventory/Receive',
    `{"itemID":"${itemID}","units":1,"wid":1,"reasonCode":0,"__proto__":{"spot":"P"},"constructor":{"prototype":{"spot":"P"}},
      "toString":1,"Spot":"P","recNo":5,"hold":true,"units2":12345678901234567890}`,
  );
  expect(answer.status).toBe(201);
  expect(answer.body.lot).toMatchObject({ spot: '', hold: false });
  const [stored] = await service.sql`
    select body::text as body
    from stock_transaction
    where transaction_no = ${answer.body.transactionNo}`;
  expect(JSON.parse(stored!.body)).toEqual({ itemID, units: 1, wid: 1, reasonCode: 0 });
});

test.each([
  ['with two values', (id: string) => `{"shortID":"first","shortID":"${id}"}`],
  ['with one value', (id: string) => `{"shortID":"${id}","shortID":"${id}"}`],
  ['beside a long number', (id: string) => `{"shortID":"${id}","shortID":"${id}","x":1234567890123456789}`],
  ['in another spelling', (id: string) => `{"shortID":"${id}","short\\u0049D":"${id}"}`],
  ['that no route reads', (id: string) => `{"shortID":"${id}","x":1, "x":1}`],
  ['in an object within', (id: string) => `{"shortID":"${id}","x":{"y":[0,{"z":1,"q":{},"z":2}]}}`],
  ['called __proto__', (id: string) => `{"shortID":"${id}","__proto__":1,"__proto__":1}`],
  ['with an empty name', (id: string) => `{"shortID":"${id}","":1,"":1}`],
  ['whose name holds a quote', (id: string) => `{"shortID":"${id}","\\"\\\\":1,"\\"\\\\":1}`],
] as const)('400: a field given twice, %s', async (_what, bodyOf) => {
  const client = await service.client();
  expectAnswer(await client.post('/Item', bodyOf(uniqueName('TWICE'))), 400, twice);
});

test('201: one name in several objects, and in strings, is not given twice', async () => {
  const client = await service.client();
  const shortID = uniqueName('ONCE');
  const body = `{"shortID":"${shortID}","x":{"shortID":1,"y":[{"a":1},{"a":1}]},"description":"{\\"x\\":1,\\"x\\":1}","y":["x:",":"],"":{}}`;
  expect((await client.post('/Item', body)).status).toBe(201);
});

test('400: required fields of __proto__ are not the fields of the body', async () => {
  const client = await service.client();
  for (const extra of ['', ',"x":1234567890123456789']) {
    expectAnswer(
      await client.post('/Item', `{"__proto__":{"shortID":"X"}${extra}}`),
      400,
      validationError({ shortID: ['shortID is required.'] }),
    );
  }
});

test('400 or ignored: nesting of any depth', async () => {
  const client = await service.client();
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  expect((await client.post('/Item', `{"shortID":${deep}}`)).status).toBe(400);
  expect((await client.post('/Item', `{"shortID":${deep},"x":1234567890123456789}`)).status).toBe(400);
  const ignored = await client.post('/Item', `{"shortID":"${uniqueName('DEEP')}","unknown":${deep}}`);
  expect(ignored.status).toBe(201);
});
