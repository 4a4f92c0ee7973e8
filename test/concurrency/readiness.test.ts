import { startServer } from '@inventory/api/server';
import { watchNeeds } from '@inventory/api/watch-needs';
import { createFoldedLog } from '@inventory/process/log/folded-log';
import { createLog } from '@inventory/process/log/log';
import { createPresence } from '@inventory/process/presence';
import type { Running } from '@inventory/process/run';
import { createUnwritable } from '@inventory/process/unwritable';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, afterEach, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { openStretch, type ServerStretch } from '../harness/network/through.ts';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { uniqueName } from '../harness/service/service.ts';

let database: TestDatabase;
let postgres: ServerStretch;
let redis: ServerStretch;
let api: Awaited<ReturnType<typeof startServer>>;
let worker: Running | undefined;
let env: Record<string, string>;
let internalUrl: string;
let stopped: Promise<void> | undefined;

beforeAll(async () => {
  database = await createDatabase();
  postgres = await openStretch(database.url);
  redis = await openStretch(inject('redisUrl'));
  env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    QUEUE_PREFIX: uniqueName('ready'),
    PORT: '0',
    INTERNAL_PORT: '0',
    DRAIN_MS: '2000',
  };
  process.env.LOG_LEVEL ??= 'fatal';
  api = await startServer(asPart('api', env), createLog('api'));
  internalUrl = `http://127.0.0.1:${api.internalPort}`;
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
const clock = expect.stringMatching(/^the clock of Postgres is ahead of this one by -?\d+\.\d{3} s$/);

test('a proxy sends a new api nothing until it has seen a worker; before that, 200 and degraded, because it reads', async () => {
  expect(await accepts()).toEqual({ status: 503, says: 'no worker was seen yet\n' });
  const says = ['degraded: no worker takes work: reads are served, transactions are refused', clock, ''];
  await expect.poll(ready).toEqual({ status: 200, says });
  worker = await startWorker({ ...asPart('worker', env), INTERNAL_PORT: '' }, createLog('worker'));
  await expect.poll(accepts).toEqual({ status: 200, says: 'ok\n' });
  await expect.poll(ready).toEqual({ status: 200, says: ['ok', clock, ''] });
  const metrics = await (await fetch(`${internalUrl}/metrics`)).text();
  expect(metrics).toMatch(/^inventory_api_clock_difference_seconds -?[\d.e-]+$/m);
});

test('a proxy sends an api that sees no worker what it can do after ten seconds', () => {
  const look = async () => ({ workers: 0, seen: [], lastSeenMs: null, backlog: 0, unwritable: null });
  const pool = { run: async () => 0, counts: () => ({ busy: 0, idle: 0, suspect: 0 }) } as never;
  const presence = createPresence(createFoldedLog(createLog('api')));
  // Only until this function returns: the api of the other tests runs in this process.
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const pools = { verdicts: pool, operations: pool };
    const needs = watchNeeds(presence, { isOpen: () => true, look }, pools, createUnwritable());
    onTestFinished(needs.stop);
    vi.advanceTimersByTime(9900);
    expect(needs.awaitsWorker()).toBe(true);
    vi.advanceTimersByTime(100);
    expect(needs.awaitsWorker()).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

test('200 and degraded while Redis is away, because the api still reads', async () => {
  redis.setState('cut');
  await expect.poll(ready).toEqual({
    status: 200,
    says: ['degraded: Redis is away: reads are served, transactions are refused', clock, ''],
  });
  redis.setState('open');
  await expect.poll(ready).toEqual({ status: 200, says: ['ok', clock, ''] });
});

test('503 while Postgres is away; a proxy still sends requests, because the api answers them best', async () => {
  postgres.setState('cut');
  await expect.poll(async () => (await ready()).status).toBe(503);
  expect(await accepts()).toEqual({ status: 200, says: 'ok\n' });
  postgres.setState('open');
  await expect.poll(async () => (await ready()).status).toBe(200);
});

test('503 while the api drains, and a proxy sends it nothing more', async () => {
  expect(await accepts()).toEqual({ status: 200, says: 'ok\n' });
  stopped = api.stop();
  expect(await ready()).toEqual({ status: 503, says: ['stopping', ''] });
  expect(await accepts()).toEqual({ status: 503, says: 'stopping\n' });
  await stopped;
});
