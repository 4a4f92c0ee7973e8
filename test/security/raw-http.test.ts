import { defaultTimes } from '@inventory/api/http/connections/http-server';
import { startServer } from '@inventory/api/server';
import { createLog } from '@inventory/process/log/log';
import { expect, test } from 'vitest';
import { openRaw, type RawAnswer } from '../harness/network/raw-connection.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

const open = (port = Number(new URL(service.baseUrl).port)) => openRaw(port);

/** Sends raw bytes and reads the answer; null when the connection closes without one. */
async function sendRaw(...parts: string[]): Promise<RawAnswer | null> {
  const connection = open();
  connection.write(...parts);
  return connection.next().finally(() => connection.socket.destroy());
}

async function head(line: string, ...headers: string[]): Promise<string> {
  const { token } = await service.client();
  return `${[line, 'Host: x', `Authorization: Bearer ${token}`, ...headers].join('\r\n')}\r\n\r\n`;
}

async function expectRefused(answer: RawAnswer | null, status: number) {
  expect(answer).not.toBeNull();
  expect({ status: answer!.status, body: answer!.body }).toEqual({
    status,
    body: { statusCode: status, error: 'bad_request', message: expect.any(String) },
  });
  expect(answer!.headers.get('x-api-version')).toBe('v1');
  expect(answer!.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer!.headers.get('cache-control')).toBe('no-store');
  expect(answer!.headers.get('x-content-type-options')).toBe('nosniff');
}

const item = (...lines: string[]) => ['GET /api/v1/Item HTTP/1.1', 'Host: x', ...lines, '', ''].join('\r\n');
const items = (...lines: string[]) => item(...lines).replace('GET', 'POST');

test.each([
  ['a line that is not HTTP', 'hello\r\n\r\n'],
  ['the start of a TLS connection', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['an unknown version', item().replace('1.1', '9.9')],
  ['an unknown method', item().replace('GET', 'FETCH')],
  ['a space in the path', item().replace('Item', 'Item /x')],
  ['NUL in a header', item('X-A: a\u0000b')],
  ['a header without a colon', item('nonsense')],
  ['a space before the colon', item('X-A : b')],
  ['no Host', 'GET /api/v1/Item HTTP/1.1\r\n\r\n'],
  ['two Hosts', item('host: x')],
  ['two Authorizations', item('Authorization: Bearer x', 'authorization: Bearer x')],
  [
    'a second Authorization behind two thousand headers',
    item('Authorization: a', ...Array<string>(2500).fill('a:'), 'Authorization: b'),
  ],
  ['two lengths', `${items('Content-Length: 2', 'Content-Length: 3')}{}`],
  ['a length and chunks', `${items('Content-Length: 2', 'Transfer-Encoding: chunked')}{}`],
  ['a negative length', items('Content-Length: -1')],
  ['a length that is not a number', items('Content-Length: two')],
])('400: %s', async (_what, bytes) => {
  await expectRefused(await sendRaw(bytes), 400);
});

test.each([
  ...'http://[/ http://[/?access_token=secret http:///api/v1/Item http://user@elsewhere/api/v1/Item'.split(
    ' ',
  ),
  ...'ftp://elsewhere/api/v1/Item http://elsewhere#x http://elsewhere/api/v1/Item#x'.split(' '),
  ...'http://elsewhere//a@[# * elsewhere:443 api/v1/Item ?x [ /api/v1/Item#x /api/v1/Item/\xff'.split(' '),
  // Begins with a slash, and yet Koa's parser of targets throws.
  '//a@[#',
  '',
])('400: the target "%s", which is no path', async (path) => {
  for (const method of ['GET', 'POST', 'OPTIONS', 'CONNECT']) {
    await expectRefused(await sendRaw(`${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`), 400);
  }
});

test.each([
  ['http://elsewhere/api/v1/Item?pageSize=2', 200],
  ['HTTPS://elsewhere:8443/api/v1/Item?pageSize=2', 200],
  ['http://[2001:db8::1]:80/api/v1/Item?pageSize=2', 200],
  ['http://elsewhere/api/v1/Item?pageSize=0', 400],
  ['http://elsewhere/Item', 404],
  // This path differs from the one without its first slash.
  ['http://elsewhere//api/v1/Item', 404],
])(
  'the absolute target "%s" stands for its path and query, whatever its authority: %s',
  async (target, status) => {
    const answer = await sendRaw(await head(`GET ${target} HTTP/1.1`));
    expect(answer?.status).toBe(status);
    if (status === 200) expect(answer?.body).toMatchObject({ pageSize: 2 });
  },
);

test('400: CONNECT, also with a path, and its connection ends', async () => {
  const connection = open();
  connection.write(`CONNECT /api/v1/Item HTTP/1.1\r\nHost: x\r\n\r\n`, 'and bytes of the other protocol');
  expect((await connection.next())?.status).toBe(400);
  expect(await connection.outcome()).toBe('ended');
});

test('431, not silence: a header that is still being sent when it is refused', async () => {
  const line = `X-A: ${'a'.repeat(1000)}\r\n`;
  const connection = open();
  connection.write('GET /api/v1/Item HTTP/1.1\r\nHost: x\r\n', ...new Array<string>(4000).fill(line));
  expect((await connection.next())?.status).toBe(431);
  expect(await connection.outcome()).toBe('ended');
});

test('431: a header of more than 16 KB', async () => {
  const long = 'a'.repeat(20_000);
  for (const bytes of [item(`X-A: ${long}`), item().replace('Item', `Item?x=${long}`)])
    await expectRefused(await sendRaw(bytes), 431);
});

const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`;
const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];

test.each([
  [400, 'a broken chunk', ['zz\r\n{}\r\n']],
  [413, 'chunks of more than 64 KB', [chunk, chunk, chunk]],
])('%i: %s', async (status, _what, parts) => {
  await expectRefused(await sendRaw(await head('POST /api/v1/Item HTTP/1.1', ...chunked), ...parts), status);
});

test.each([65_537, 2 ** 32 + 1])('413 at once: a length of %s bytes, of which none come', async (length) => {
  const lines = ['Content-Type: application/json', `Content-Length: ${length}`];
  await expectRefused(await sendRaw(await head('POST /api/v1/Item HTTP/1.1', ...lines)), 413);
});

test('201: a body in chunks, with an unknown Expect header', async () => {
  const body = `{"shortID":"RAW-${Date.now()}"}`;
  const start = await head('POST /api/v1/Item HTTP/1.1', ...chunked, 'Expect: the-unexpected');
  const answer = await sendRaw(start, `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  expect(answer?.status).toBe(201);
});

const late = ['Content-Type: application/json', 'Content-Length: 100'];

test('408, and not an outage: a body that does not come, however much of it has, also behind another request', async () => {
  const usual = { ...defaultTimes };
  Object.assign(defaultTimes, { headMs: 1000, requestMs: 1000 });
  const hasty = await startServer({ ...service.env, PORT: '0' }, createLog('api')).finally(() =>
    Object.assign(defaultTimes, usual),
  );
  const json = await head('POST /api/v1/Inventory/Receive HTTP/1.1', ...late);
  const form = items('Content-Type: application/x-www-form-urlencoded', 'Content-Length: 100');
  const before = await head('GET /api/v1/Item HTTP/1.1');
  await Promise.all(
    [json, form.replace('Item', 'Token'), before + json].map(async (start) => {
      const connection = open(hasty.port);
      connection.write(start, '{');
      if (start.startsWith(before)) expect((await connection.next())?.status).toBe(200);
      const feeding = setInterval(() => connection.write(' '), 100);
      const answer = await connection.next();
      clearInterval(feeding);
      await expectRefused(answer, 408);
      expect(answer!.headers.get('connection')).toBe('close');
      expect(await connection.outcome()).not.toBe('open');
    }),
  );
  await hasty.stop();
});

test('a caller that leaves in the middle of its body harms nobody', async () => {
  const connection = open();
  const start = await head('POST /api/v1/Item HTTP/1.1', ...late);
  await new Promise((resolve) => connection.socket.write(`${start}{"short`, resolve));
  connection.socket.resetAndDestroy();
  await connection.outcome();
  const client = await service.client();
  expect((await client.get('/Item')).status).toBe(200);
});
