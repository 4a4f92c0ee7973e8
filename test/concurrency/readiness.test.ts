import { startServer } from '@inventory/api/server';
import { choosePort } from '@inventory/local/free-port';
import { createLog } from '@inventory/process/log/log';
import type { Running } from '@inventory/process/run';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, afterEach, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { type NetworkStretch, startProxy } from '../faults/proxy.ts';
import { asPart } from '../harness/as-part.ts';
import { through } from '../harness/servers/black-hole.ts';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { uniqueName } from '../harness/service/service.ts';

let database: TestDatabase;
let postgres: NetworkStretch;
let redis: NetworkStretch;
let api: Running;
let worker: Running | undefined;
let env: Record<string, string>;
let internalUrl: string;
let stopped: Promise<void> | undefined;

beforeAll(async () => {
  database = await createDatabase();
  postgres = await startProxy(Number(new URL(database.url).port));
  redis = await startProxy(Number(new URL(inject('redisUrl')).port));
  const port = await choosePort('the api');
  internalUrl = `http://127.0.0.1:${port}`;
  env = {
    DATABASE_URL: through(database.url, postgres),
    REDIS_URL: through(inject('redisUrl'), redis),
    QUEUE_PREFIX: uniqueName('ready'),
    PORT: '0',
    INTERNAL_PORT: String(port),
    DRAIN_MS: '2000',
  };
  process.env.LOG_LEVEL ??= 'fatal';
  api = await startServer(asPart('api', env), createLog('api'));
});
afterEach(() => {
  postgres.setState('open');
  redis.setState('open');
});
afterAll(async () => {
  await (stopped ?? api?.stop());
  await worker?.stop();
  postgres?.close();
  redis?.close();
  await database?.drop();
});

async function ready() {
  const answer = await fetch(`${internalUrl}/readyz`);
  return { status: answer.status, says: (await answer.text()).split('\n') };
}
async function accepts() {
  const answer = await fetch(`${internalUrl}/accepts`);
  return { status: answer.status, says: await answer.text() };
}
const patient = { timeout: 60_000 };
const clock = expect.stringMatching(/^the clock of Postgres is ahead of this one by -?\d+\.\d{3} s$/);

test('a proxy sends a new api nothing at first while it has seen no worker, and later what it can do', async () => {
  expect(await accepts()).toEqual({ status: 503, says: 'no worker was seen yet\n' });
  await expect.poll(accepts, patient).toEqual({ status: 200, says: 'ok\n' });
});

test('a proxy sends an api requests as soon as it has seen a worker', async () => {
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: uniqueName('seen'),
    PORT: '0',
  };
  const port = await choosePort('the api');
  const worker = await startWorker(asPart('worker', { ...env, INTERNAL_PORT: '' }), createLog('worker'));
  onTestFinished(() => worker.stop());
  const other = await startServer(asPart('api', { ...env, INTERNAL_PORT: String(port) }), createLog('api'));
  onTestFinished(() => other.stop());
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const metrics = () => ask('/metrics').then((answer) => answer.text());
  await expect.poll(metrics, patient).toMatch(/^inventory_api_workers 1$/m);
  expect((await ask('/accepts')).status).toBe(200);
});

test('200 and degraded without a worker, because the api still reads; well again when a worker comes', async () => {
  const says = ['degraded: no worker takes work: reads are served, transactions are refused', clock, ''];
  await expect.poll(ready, patient).toEqual({ status: 200, says });
  const ofWorker: typeof env = { ...env, INTERNAL_PORT: '' };
  worker = await startWorker(asPart('worker', ofWorker), createLog('worker'));
  await expect.poll(ready, patient).toEqual({ status: 200, says: ['ok', clock, ''] });
});

test('200 with the difference of the clocks while the api can serve', async () => {
  await expect.poll(ready, patient).toEqual({ status: 200, says: ['ok', clock, ''] });
  const metrics = await (await fetch(`${internalUrl}/metrics`)).text();
  expect(metrics).toMatch(/^inventory_api_clock_difference_seconds -?[\d.e-]+$/m);
});

test('200 and degraded while Redis is away, because the api still reads', async () => {
  redis.setState('cut');
  await expect.poll(ready, patient).toEqual({
    status: 200,
    says: ['degraded: Redis is away: reads are served, transactions are refused', clock, ''],
  });
  redis.setState('open');
  await expect.poll(ready, patient).toEqual({ status: 200, says: ['ok', clock, ''] });
});

test('503 while Postgres is away; a proxy still sends requests, because the api answers them best', async () => {
  postgres.setState('cut');
  await expect.poll(async () => (await ready()).status, patient).toBe(503);
  expect(await accepts()).toEqual({ status: 200, says: 'ok\n' });
  postgres.setState('open');
  await expect.poll(async () => (await ready()).status, patient).toBe(200);
});

test('503 while the api drains, and a proxy sends it nothing more', async () => {
  expect(await accepts()).toEqual({ status: 200, says: 'ok\n' });
  stopped = api.stop();
  expect(await ready()).toEqual({ status: 503, says: ['stopping', ''] });
  expect(await accepts()).toEqual({ status: 503, says: 'stopping\n' });
  await stopped;
});
