import { expect, onTestFinished, test } from 'vitest';
import { nameOf, requestOf, routes } from '../harness/contract/routes.ts';
import { openRaw } from '../harness/network/raw-connection.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

function open() {
  const connection = openRaw(Number(new URL(service.baseUrl).port));
  onTestFinished(() => void connection.socket.destroy());
  return connection;
}

const headOf = (method: string, path: string, token: string, ...headers: string[]) =>
  `${[
    `${method} /api/v1${path} HTTP/1.1`,
    ...['Host: x', `Authorization: Bearer ${token}`, 'Content-Type: application/json'],
    ...headers,
  ].join('\r\n')}\r\n\r\n`;

async function spentClient() {
  const client = await service.client({ rateLimit: 1 });
  await client.get('/Item');
  return client.token;
}

const refusals: [status: number, what: string, token: () => Promise<string>, headers: string[]][] = [
  [401, 'a wrong token', async () => 'x', []],
  [429, 'a client past its limit', spentClient, []],
  [403, 'a read-only client', async () => (await service.client({ readOnly: true })).token, []],
  [403, 'a client without permissions', async () => (await service.client({ permissions: [] })).token, []],
  [415, 'a compressed body', async () => (await service.client()).token, ['Content-Encoding: gzip']],
];
const cases = routes
  .filter((declared) => declared.body !== undefined)
  .flatMap((declared) =>
    refusals
      // Of a batch each operation needs its own.
      .filter(([, what]) => declared.path !== '/Inventory/Batch' || what !== 'a client without permissions')
      .filter(([, what]) => declared.writes || what !== 'a read-only client')
      .map(([status, what, token, headers]) => ({
        status,
        what,
        token,
        headers,
        declared,
        name: nameOf(declared),
      })),
  );

test.each(cases)(
  '$status: before a byte of the body is asked for: $what, $name',
  async ({ status, token, headers, declared }) => {
    const { method, path } = requestOf(declared, { itemID: 'X' });
    const connection = open();
    connection.write(
      headOf(method, path, await token(), ...headers, 'Content-Length: 100', 'Expect: 100-continue'),
    );
    // Not 100, by which the sender is told to go on.
    const answer = await connection.next();
    expect(answer?.status).toBe(status);
    // Nobody knows whether the body comes: behind it no other request could be told.
    expect(answer?.headers.get('connection')).toBe('close');
    expect(await connection.outcome()).toBe('ended');
    // Nor is it waited for when it is not asked for.
    const other = open();
    other.write(headOf(method, path, await token(), ...headers, 'Content-Length: 100'));
    expect((await other.next())?.status).toBe(status);
  },
);

test('100, then 201: the body of a request that is read', async () => {
  const { token } = await service.client();
  const body = JSON.stringify({ shortID: uniqueName('EXPECTED') });
  const connection = open();
  const length = `Content-Length: ${body.length}`;
  connection.write(headOf('POST', '/Item', token, length, 'Expect: 100-Continue'));
  expect((await connection.next())?.status).toBe(100);
  connection.write(body);
  expect((await connection.next())?.status).toBe(201);
  connection.write(headOf('GET', '/Item', token));
  expect((await connection.next())?.status).toBe(200);
});

test('429: a small body is passed over, whatever it is, and its connection goes on', async () => {
  const token = await spentClient();
  const connection = open();
  for (const body of ['{', '\xff', 'x'.repeat(60_000)]) {
    connection.write(headOf('POST', '/Item', token, `Content-Length: ${Buffer.byteLength(body)}`), body);
    const answer = await connection.next();
    expect(answer?.status).toBe(429);
    expect(answer?.headers.get('connection')).not.toBe('close');
  }
});

test.each([
  ['a length', 'Content-Length: 100000000'],
  ['chunks', 'Transfer-Encoding: chunked'],
])('429: the connection of a large body ends, by %s', async (_what, framing) => {
  const connection = open();
  connection.write(headOf('POST', '/Inventory/Batch', await spentClient(), framing), '1\r\n{');
  const answer = await connection.next();
  expect({ status: answer?.status, says: answer?.headers.get('connection') }).toEqual({
    status: 429,
    says: 'close',
  });
  expect(await connection.outcome()).not.toBe('open');
});
