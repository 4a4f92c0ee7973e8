import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { expectRefusalShape } from '../harness/contract/error-shape.ts';
import { openRaw, type RawAnswer } from '../harness/network/raw-connection.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

type Answer = RawAnswer & { body: Record<string, unknown> };

/** Sends raw bytes and reads the first answer; null when the connection closes without one. */
async function sendRaw(...parts: (string | Uint8Array)[]): Promise<Answer | null> {
  const connection = openRaw(Number(new URL(service.baseUrl).port));
  connection.write(...parts);
  const answer = await connection.next();
  connection.socket.destroy();
  return answer === null ? null : { ...answer, body: answer.text === '' ? {} : JSON.parse(answer.text) };
}

async function head(line: string, ...headers: string[]): Promise<string> {
  const { token } = await service.client();
  return `${[line, 'Host: x', `Authorization: Bearer ${token}`, ...headers].join('\r\n')}\r\n\r\n`;
}

async function expectRefused(answer: Answer | null, status: number) {
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

test.each([
  ['a line that is not HTTP', 'hello\r\n\r\n'],
  ['the start of a TLS connection', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['an unknown version', 'GET /api/v1/Item HTTP/9.9\r\nHost: x\r\n\r\n'],
  ['an unknown method', 'FETCH /api/v1/Item HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a space in the path', 'GET /api/v1/Item /x HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['NUL in a header', 'GET /api/v1/Item HTTP/1.1\r\nHost: x\r\nX-A: a\u0000b\r\n\r\n'],
  ['a header without a colon', 'GET /api/v1/Item HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'],
  ['a space before the colon', 'GET /api/v1/Item HTTP/1.1\r\nHost: x\r\nX-A : b\r\n\r\n'],
  ['no Host', 'GET /api/v1/Item HTTP/1.1\r\n\r\n'],
  ['two Hosts', 'GET /api/v1/Item HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n'],
  [
    'two Authorizations',
    'GET /api/v1/Item HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nauthorization: Bearer x\r\n\r\n',
  ],
  [
    'a second Authorization behind two thousand headers',
    `GET /api/v1/Item HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\n${'a:\r\n'.repeat(2500)}Authorization: b\r\n\r\n`,
  ],
  [
    'two lengths',
    'POST /api/v1/Item HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
  ],
  [
    'a length and chunks',
    'POST /api/v1/Item HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
  ],
  ['a negative length', 'POST /api/v1/Item HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
  ['a length that is not a number', 'POST /api/v1/Item HTTP/1.1\r\nHost: x\r\nContent-Length: two\r\n\r\n'],
])('400: %s', async (_what, bytes) => {
  await expectRefused(await sendRaw(bytes), 400);
});

test.each([
  'http://[/',
  'http://[/?access_token=secret',
  'http:///api/v1/Item',
  'http://user@elsewhere/api/v1/Item',
  'ftp://elsewhere/api/v1/Item',
  'http://elsewhere#x',
  'http://elsewhere/api/v1/Item#x',
  'http://elsewhere//a@[#',
  '*',
  'elsewhere:443',
  'api/v1/Item',
  '?x',
  '[',
  // Begins with a slash, and yet Koa's parser of targets throws.
  '//a@[#',
  '/api/v1/Item#x',
  '/api/v1/Item/\xff',
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
  const connection = openRaw(Number(new URL(service.baseUrl).port));
  connection.write(`CONNECT /api/v1/Item HTTP/1.1\r\nHost: x\r\n\r\n`, 'and bytes of the other protocol');
  expect((await connection.next())?.status).toBe(400);
  expect(await connection.outcome()).toBe('ended');
});

test('431, not silence: a header that is still being sent when it is refused', async () => {
  const line = `X-A: ${'a'.repeat(1000)}\r\n`;
  const connection = openRaw(Number(new URL(service.baseUrl).port));
  connection.write('GET /api/v1/Item HTTP/1.1\r\nHost: x\r\n', ...new Array<string>(4000).fill(line));
  expect((await connection.next())?.status).toBe(431);
  expect(await connection.outcome()).toBe('ended');
});

test('431: a header of more than 16 KB', async () => {
  await expectRefused(
    await sendRaw(`GET /api/v1/Item HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`),
    431,
  );
  await expectRefused(
    await sendRaw(`GET /api/v1/Item?x=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
    431,
  );
});

test('400: a broken chunk', async () => {
  const start = await head(
    'POST /api/v1/Item HTTP/1.1',
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  );
  await expectRefused(await sendRaw(start, 'zz\r\n{}\r\n'), 400);
});

test('413: chunks of more than 64 KB', async () => {
  const start = await head(
    'POST /api/v1/Item HTTP/1.1',
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  );
  const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`;
  await expectRefused(await sendRaw(start, chunk, chunk, chunk), 413);
});

test.each([65_537, 2 ** 32 + 1])('413 at once: a length of %s bytes, of which none come', async (length) => {
  const lines = ['Content-Type: application/json', `Content-Length: ${length}`];
  await expectRefused(await sendRaw(await head('POST /api/v1/Item HTTP/1.1', ...lines)), 413);
});

test('201: a body in chunks, with an unknown Expect header', async () => {
  const body = `{"shortID":"RAW-${Date.now()}"}`;
  const start = await head(
    'POST /api/v1/Item HTTP/1.1',
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    'Expect: the-unexpected',
  );
  const answer = await sendRaw(start, `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  expect(answer?.status).toBe(201);
});

test.each([
  'GET //api/v1/Item HTTP/1.1',
  'GET /api/v1/../v1/Item HTTP/1.1',
  'GET /api/v1/Item%00 HTTP/1.1',
  'GET /api/v1/Item/%ff%fe HTTP/1.1',
  'GET /api/v1/Item\\..\\x HTTP/1.1',
  'GET /api/v1/Item?%%%=%&&&== HTTP/1.1',
  'TRACE /api/v1/Item HTTP/1.1',
  'GET /api/v1/Item HTTP/1.0',
  'DELETE /api/v1/Item/%zz HTTP/1.1',
  'GET /api/v1/Inventory?modifiedSince=%00 HTTP/1.1',
])('never a 5xx: %s', async (line) => {
  const answer = await sendRaw(await head(line));
  expect(answer).not.toBeNull();
  const headers = { get: (name: string) => answer!.headers.get(name) ?? null };
  expectRefusalShape({ ...answer!, headers }, line);
});

test('two requests in one packet are answered one after the other', async () => {
  const one = await head('GET /api/v1/Item HTTP/1.1');
  expect((await sendRaw(one + one))?.status).toBe(200);
});

test('408, and not an outage: a body that does not come', async () => {
  const json = await head(
    'POST /api/v1/Inventory/Receive HTTP/1.1',
    'Content-Type: application/json',
    'Content-Length: 100',
  );
  const form =
    'POST /api/v1/Token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n';
  await Promise.all(
    [json, form].map(async (start) => {
      const answer = await sendRaw(start, '{');
      await expectRefused(answer, 408);
      expect(answer!.headers.get('connection')).toBe('close');
    }),
  );
});

test('a caller that leaves in the middle of its body harms nobody', async () => {
  const start = await head(
    'POST /api/v1/Item HTTP/1.1',
    'Content-Type: application/json',
    'Content-Length: 100',
  );
  const { port } = new URL(service.baseUrl);
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`${start}{"short`, () => socket.resetAndDestroy());
    });
    socket.on('close', () => resolve());
  });
  const client = await service.client();
  expect((await client.get('/Item')).status).toBe(200);
});
