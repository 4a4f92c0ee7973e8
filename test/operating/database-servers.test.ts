import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { startServer } from '@inventory/api/server';
import { type ConnectOptions, connect } from '@inventory/postgres/pool';
import { createLog } from '@inventory/process/log/log';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { addressFor, asPart } from '../harness/as-part.ts';
import { hasOpenssl, makeCertificate } from '../harness/network/certificate.ts';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { runCommand } from '../harness/service/command-line.ts';

let database: TestDatabase;
let ipv6Port: number;
const relay = createServer(passOn);

function passOn(incoming: Socket): void {
  const { hostname, port } = new URL(database.url);
  const outgoing = connectTcp(Number(port), hostname);
  incoming.pipe(outgoing).pipe(incoming);
  for (const socket of [incoming, outgoing]) {
    socket.on('error', () => {});
    socket.on('close', () => [incoming, outgoing].map((each) => each.destroy()));
  }
}

beforeAll(async () => {
  process.env.LOG_LEVEL ??= 'fatal';
  database = await createDatabase();
  await new Promise<void>((resolve) => relay.listen(0, '::1', resolve));
  ipv6Port = (relay.address() as { port: number }).port;
});
afterAll(async () => {
  relay.close();
  await database?.drop();
});

/** The address of the test's database on these servers. */
const urlAt = (servers: string, parameters = '') =>
  database.url.replace(/@[^/]*(\/[^?]*)/, `@${servers}$1${parameters}`);

async function ask(url: string, options: Partial<ConnectOptions> = {}): Promise<string> {
  const sql = connect(url, { name: 'inventory-tests', connectionsMax: 1, ...options });
  try {
    const [row] = await sql<{ told: string }[]>`
      select concat_ws(' ', current_database(), current_setting('application_name'), current_setting('TimeZone')) as told`;
    return row!.told;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

test.each([
  ['an IPv6 address', (six: string) => six],
  ['an IPv6 address behind a server that is away', (six: string) => `127.0.0.1:1,${six}`],
  ['an IPv6 address before a server that is away', (six: string) => `${six},[::1]:1`],
])('Postgres answers at %s, under our own application name', async (_, servers) => {
  const url = urlAt(servers(`[::1]:${ipv6Port}`), '?application_name=theirs&connect_timeout=1');
  const name = new URL(database.url).pathname.slice(1);
  expect(await ask(url)).toBe(`${name} inventory-tests UTC`);
});

test('a server without TLS is named at start when the address requires TLS, and accepted when it does not', async () => {
  const { host } = new URL(database.url);
  for (const servers of [host, `${host},[::1]:${ipv6Port}`]) {
    for (const mode of ['sslmode=require', 'sslmode=verify-full', 'channel_binding=require']) {
      const env = {
        DATABASE_URL: urlAt(servers, `?${mode}`),
        REDIS_URL: inject('redisUrl'),
        PORT: '0',
      };
      await expect(startServer(asPart('api', env), createLog('api'))).rejects.toThrow(
        `Postgres cannot be reached at ${servers.replace(',', ', ')} (The server takes no TLS, which sslmode asks for); ` +
          'check DATABASE_URL and that it runs',
      );
    }
    expect(await ask(urlAt(servers, '?sslmode=prefer'))).toContain('inventory-tests');
  }
});

test.skipIf(!hasOpenssl).each([
  ['IP:127.0.0.1', 0, /^$/],
  ['DNS:localhost', 1, /ERR_TLS_CERT_ALTNAME_INVALID/],
])(
  'a server at 127.0.0.1 whose certificate is for %s: %i, by sslmode=verify-full (skipped without openssl)',
  async (name, code, said) => {
    const { key, cert, file } = makeCertificate({ name });
    const secureContext = createSecureContext({ key, cert });
    // As Postgres starts TLS: it is requested, and begins on the same connection.
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('S');
        passOn(new TLSSocket(socket, { isServer: true, secureContext }));
      });
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const url = addressFor('operator', urlAt(`127.0.0.1:${port}`, '?sslmode=verify-full'));
    const ended = await runCommand(['client', 'list'], { DATABASE_URL: url, NODE_EXTRA_CA_CERTS: file });
    expect(ended).toMatchObject({ code, stderr: expect.stringMatching(said) });
  },
);
