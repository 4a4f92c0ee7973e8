import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { queryObjects } from 'node:v8';
import { startServer } from '@inventory/api/server';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/access/clients';
import { createLog } from '@inventory/process/log/log';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { type NetworkStretch, startProxy } from '../faults/proxy.ts';
import { asPart } from '../harness/as-part.ts';
import { expectWaiting } from '../harness/queue/batches.ts';
import { through } from '../harness/servers/black-hole.ts';
import { type ApiClient, askTokenOnce, createApiClient } from '../harness/service/api-client.ts';
import { allPermissions, uniqueName, useService } from '../harness/service/service.ts';

const service = useService({ workers: 0 });
let stretch: NetworkStretch;
let api: Awaited<ReturnType<typeof startServer>>;
let baseUrl: string;
const clientId = uniqueName('client');
const secret = createSecret();

beforeAll(async () => {
  stretch = await startProxy(Number(new URL(service.databaseUrl).port));
  const env = {
    DATABASE_URL: through(service.databaseUrl, stretch),
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: uniqueName('silent'),
    PORT: '0',
    INTERNAL_PORT: '0',
  };
  api = await startServer(asPart('api', env), createLog('api'));
  baseUrl = `http://127.0.0.1:${api.port}/api/v1`;
  await addClient(service.sql, {
    clientId,
    permissions: allPermissions,
    wids: [1],
    readOnly: false,
    rateLimit: null,
    secretDigest: digestSecret(secret),
  });
});
afterAll(async () => {
  stretch?.setState('open');
  await api?.stop();
  stretch?.close();
});

const readToken = () => askTokenOnce(baseUrl, { clientId, secret });
const readWaiting = async () => {
  const metrics = await (await fetch(`http://127.0.0.1:${api.internalPort}/metrics`)).text();
  return Number(/^inventory_api_postgres_waiting\{kind="items"\} (\d+)$/m.exec(metrics)?.[1]);
};
const connect = async (): Promise<ApiClient> =>
  createApiClient(baseUrl, clientId, (await readToken()).body.access_token, { isPatient: false });

test('503 for every request, also for a token, while Postgres is silent; all is well when it answers again', async () => {
  const client = await connect();
  // On every possible connection: a new one would fail by itself.
  await Promise.all(Array.from({ length: 20 }, () => client.get('/Inventory')));
  await Promise.all(Array.from({ length: 20 }, () => client.post('/Item', { shortID: uniqueName('ITEM') })));
  stretch.setState('stalled');
  const keyed = { 'Idempotency-Key': 'silent' };
  const body = { itemID: 'A', units: 1, wid: 1, reasonCode: 0 };
  const asked = [
    readToken,
    () => client.get('/Inventory'),
    () => client.post('/Inventory/Receive', body, keyed),
    () => client.post('/Item', { shortID: 'A' }),
  ];
  const answers = await Promise.all(asked.map((ask) => ask()));
  expect(answers.map(({ status }) => status)).toEqual(Array(asked.length).fill(503));
  stretch.setState('open');
  await expect.poll(async () => (await client.get('/Inventory')).status, { timeout: 60_000 }).toBe(200);
  await expect.poll(async () => (await readToken()).status, { timeout: 60_000 }).toBe(200);
});

test('requests that waited in vain leave nothing behind, however many came while Postgres was silent', async () => {
  const client = await connect();
  await client.get('/Inventory');
  stretch.setState('stalled');
  onTestFinished(() => stretch.setState('open'));
  const ask = async (times: number) => {
    const answers = await Promise.all(Array.from({ length: times }, () => client.get('/Inventory')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  };
  // Until the client's record is too old to be used.
  await expect.poll(async () => (await client.get('/Inventory')).status, { timeout: 60_000 }).toBe(503);
  await ask(100);
  const before = queryObjects(Promise, { format: 'count' });
  for (let round = 0; round < 5; round++) await ask(100);
  // Each of the five hundred used to leave four more behind while the silence lasted; some may be under way.
  await expect.poll(() => queryObjects(Promise, { format: 'count' }) - before).toBeLessThan(500);
  stretch.setState('open');
  await expect.poll(async () => (await client.get('/Inventory')).status, { timeout: 60_000 }).toBe(200);
});

test('a write of an item is never applied when its caller left before a connection was free', async () => {
  const client = await connect();
  const [locked, other] = [await service.item(), await service.item({ description: 'old' })];
  const holder = await service.sql.reserve();
  await holder`begin`;
  await holder`select from item where short_id = ${locked} for update`;
  // As many as there are connections for writes of items.
  const held = Array.from({ length: 4 }, () => client.put('/Item', { shortID: locked, description: 'new' }));
  await expectWaiting(service.sql, 4);
  const body = JSON.stringify({ shortID: other, description: 'new' });
  const leaving = connectTcp(api.port, '127.0.0.1');
  leaving.write(
    `PUT /api/v1/Item HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${client.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(readWaiting, { timeout: 60_000 }).toBe(1);
  leaving.end();
  // The api has seen the end and closed its side.
  await once(leaving.resume(), 'close');
  await holder`rollback`;
  holder.release();
  for (const answer of await Promise.all(held)) expect(answer.status).toBe(200);
  expect((await client.put('/Item', { shortID: locked, description: 'newer' })).status).toBe(200);
  const [item] = await service.sql`select description from item where short_id = ${other}`;
  expect(item).toEqual({ description: 'old' });
});
