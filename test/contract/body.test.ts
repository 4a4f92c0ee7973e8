import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { errorObject, expectAnswer, invalid, validationError } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import { nameOf, requestOf, routes } from '../harness/contract/routes.ts';
import { uniqueName } from '../harness/service/service.ts';

const { service, test } = useStock();

const badRequest = (message: string) => errorObject(400, 'bad_request', message);
const notJson = badRequest('The body must be sent as application/json.');
const malformed = badRequest('The body is not well-formed JSON.');
const notObject = badRequest('The body must be a JSON object.');
const notUtf8 = badRequest('The body must be UTF-8.');
const twice = badRequest('An object in the body has a field twice.');
const compressed = errorObject(415, 'bad_request', 'The body must not be compressed.');

const withBody = routes
  .filter((declared) => declared.body !== undefined)
  .map((declared) => ({
    name: nameOf(declared),
    isOptional: declared.isBodyOptional === true,
    ...requestOf(declared, { itemID: 'X' }),
  }));

describe.each(withBody)('$name', ({ method, path, isOptional }) => {
  test.for([
    ['no body', undefined, {}, notJson],
    ['an empty body', '', {}, malformed],
    ['white space', ' \r\n\t', {}, malformed],
    ['a cut object', '{"itemID":"X"', {}, malformed],
    ['a trailing comma', '{"itemID":"X",}', {}, malformed],
    ['two objects', '{}{}', {}, malformed],
    ['NaN', 'NaN', {}, malformed],
    ['an array', '[]', {}, notObject],
    ['a string', '"x"', {}, notObject],
    ['a number', '5', {}, notObject],
    ['null', 'null', {}, notObject],
    ['a form', 'itemID=X', { 'Content-Type': 'application/x-www-form-urlencoded' }, notJson],
    ['JSON sent as text', '{}', { 'Content-Type': 'text/plain' }, notJson],
    ['a kind of JSON', '{}', { 'Content-Type': 'application/vnd.api+json' }, notJson],
    ['a broken type', '{}', { 'Content-Type': '/' }, notJson],
    ['another charset', '{}', { 'Content-Type': 'application/json; charset=latin1' }, notUtf8],
    ['a body labelled as compressed', '{}', { 'Content-Encoding': 'gzip' }, compressed],
    ['an unknown compression', '{', { 'Content-Encoding': 'snappy' }, compressed],
    ['compressed twice', '{}', { 'Content-Encoding': 'identity, gzip' }, compressed],
  ] as const)('%s: not a body', async ([, body, headers, error], { client }) => {
    const answer = await client.send(method, path, { headers, ...(body !== undefined && { body }) });
    // Where it may be left out, the request is as good without one.
    if (isOptional && !body) expect(answer.body.message).toBe('There is no such item.');
    else expectAnswer(answer, error.statusCode, error);
  });

  test('413: a larger body', async ({ client }) => {
    const bytesMax = path === '/Inventory/Batch' ? 1_048_576 : 65_536;
    const body = `{"remark":"${'x'.repeat(bytesMax)}"}`;
    const tooLarge = errorObject(413, 'bad_request', `The body is larger than ${bytesMax} bytes.`);
    expectAnswer(await client.send(method, path, { body }), 413, tooLarge);
  });
});

test('201: a body of exactly 64 KB; 413: one byte more', async ({ client }) => {
  const start = `{"shortID":"${uniqueName('BIG')}","unknown":"`;
  const send = (bytes: number) => client.post('/Item', `${start.padEnd(bytes - 2, 'x')}"}`);
  expect((await send(65_536)).status).toBe(201);
  expect((await send(65_537)).status).toBe(413);
});

async function sendBytes(bytes: Uint8Array, headers: Record<string, string> = {}) {
  const { token } = await service.client();
  const answer = await fetch(`${service.baseUrl}/Item`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    body: bytes as never,
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

test('400: bytes that are not UTF-8; 201: the replacement character is an ordinary one', async () => {
  const bytes = Buffer.from('{"shortID":"A_"}');
  bytes[bytes.indexOf('_')] = 0xff;
  const error = badRequest('The body is not valid UTF-8.');
  expect(await sendBytes(bytes)).toMatchObject({ status: 400, body: error });
  const shortID = `${uniqueName('R')}\ufffd`;
  const ordinary = await sendBytes(Buffer.from(JSON.stringify({ shortID })));
  expect(ordinary).toMatchObject({ status: 201, body: { shortID } });
});

test.for([
  ['gzip', gzipSync],
  ['GZip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)(
  '415: a body compressed with %s; the answer says which encodings are accepted',
  async ([encoding, pack]) => {
    const bytes = pack(JSON.stringify({ shortID: uniqueName('ZIP') }));
    const answer = await sendBytes(bytes, { 'Content-Encoding': encoding });
    expect(answer).toMatchObject({ status: 415, body: compressed });
    expect(answer.headers.get('Accept-Encoding')).toBe('identity');
  },
);

test.for<Record<string, string>>([
  { 'Content-Encoding': 'Identity' },
  { 'Content-Type': 'application/json' },
  { 'Content-Type': 'application/json; charset=utf-8' },
  { 'Content-Type': 'APPLICATION/JSON;charset="UTF-8"' },
  { 'Content-Type': 'application/json; charset=utf8' },
  { 'Content-Type': 'application/json;charset=UTF8' },
])('201: %j', async (headers, { client }) => {
  const body = { shortID: uniqueName('TYPE') };
  expect((await client.send('POST', '/Item', { headers, body })).status).toBe(201);
});

test.for(['utf-16', 'utf', 'utf-88', 'latin1'])('400: the charset %s', async (charset, { client }) => {
  const headers = { 'Content-Type': `application/json; charset=${charset}` };
  expectAnswer(await client.send('POST', '/Item', { headers, body: { shortID: 'X' } }), 400, notUtf8);
});

test('400: a parameter given twice is named beside the offending fields of the body', async ({ client }) => {
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

test('201: unknown fields are ignored and not stored, however they are named', async ({ client, itemID }) => {
  const { body } = await client.post(
    '/Inventory/Receive',
    `{"itemID":"${itemID}","units":1,"wid":1,"reasonCode":0,"__proto__":{"spot":"P"},"constructor":{"prototype":{"spot":"P"}},
      "toString":1,"Spot":"P","recNo":5,"hold":true,"units2":12345678901234567890}`,
  );
  expect(body.lot).toMatchObject({ spot: '', hold: false });
  const [stored] = await service.sql`
    select body from stock_transaction where transaction_no = ${body.transactionNo}`;
  expect(stored!.body).toEqual({ itemID, units: 1, wid: 1, reasonCode: 0 });
});

test.for([
  ['with two values', '"shortID":"first"'],
  ['with one value', '"shortID":"ID"'],
  ['beside a long number', '"shortID":"ID","x":1234567890123456789'],
  ['in another spelling', '"short\\u0049D":"ID"'],
  ['that no route reads', '"x":1, "x":1'],
  ['in an object within', '"x":{"y":[0,{"z":1,"q":{},"z":2}]}'],
  ['called __proto__', '"__proto__":1,"__proto__":1'],
  ['with an empty name', '"":1,"":1'],
  ['whose name holds a quote', '"\\"\\\\":1,"\\"\\\\":1'],
] as const)('400: a field given twice, %s', async ([, more], { client }) => {
  expectAnswer(await client.post('/Item', `{"shortID":"ID",${more}}`), 400, twice);
});

test('201: one name in several objects, and in strings, is not given twice', async ({ client }) => {
  const inside =
    '"x":{"shortID":1,"y":[{"a":1},{"a":1}]},"description":"{\\"x\\":1,\\"x\\":1}","y":["x:",":"],"":{}';
  expect((await client.post('/Item', `{"shortID":"${uniqueName('ONCE')}",${inside}}`)).status).toBe(201);
});

test('400: required fields of __proto__ are not the fields of the body', async ({ client }) => {
  for (const extra of ['', ',"x":1234567890123456789']) {
    const answer = await client.post('/Item', `{"__proto__":{"shortID":"X"}${extra}}`);
    expectAnswer(answer, 400, invalid({ shortID: 'is required.' }));
  }
});

test('400 or ignored: nesting of any depth', async ({ client }) => {
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  for (const [fields, status] of [
    [`"shortID":${deep}`, 400],
    [`"shortID":${deep},"x":1234567890123456789`, 400],
    [`"shortID":"${uniqueName('DEEP')}","unknown":${deep}`, 201],
  ] as const)
    expect((await client.post('/Item', `{${fields}}`)).status).toBe(status);
});
