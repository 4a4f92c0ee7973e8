import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { choosePort } from '@inventory/local/free-port';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { programOf } from '../harness/compiled.ts';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { runCommand } from '../harness/service/command-line.ts';
import { startProcess } from '../harness/service/processes.ts';
import { uniqueName } from '../harness/service/service.ts';
import { startService } from '../harness/service/start-service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());

/** `start` on the servers of the tests, until its banner is there. */
const start = (env: Record<string, string>, args: readonly string[] = []) =>
  startService(args, {
    DATABASE_URL: database.url,
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: uniqueName('start'),
    ...env,
  });

test('start names its addresses, on a port that browsers refuse and two internal ones; --watch starts a part again when its code is saved', async () => {
  const refused = [6665, 6666, 6667, 6668, 6669, 10080];
  const free = await Promise.all(refused.map((port) => choosePort('the api', port)));
  const port = free.find((each) => refused.includes(each));
  const internal = await choosePort('the api');
  const ports = { PORT: String(port), INTERNAL_PORT: String(internal) };
  const started = await start(ports, ['--watch', '--yes', '--no-demo']);
  expect(started.banner).toContain(`\n  Base URL       http://127.0.0.1:${port}/api/v1\n`);
  const page = `http://127.0.0.1:${internal}/operations`;
  expect(started.banner).toContain(`\n  Operations     ${page}\n`);
  expect((await fetch(page)).status).toBe(200);
  const metrics = [internal, internal + 1].map((each) => `http://127.0.0.1:${each}/metrics`);
  expect(started.banner).toContain(`\n  Metrics        ${metrics[0]} (api), ${metrics[1]} (worker)\n`);
  expect((await readMetrics(internal)).value('inventory_api_postgres_up')).toBe(1);
  expect((await readMetrics(internal + 1)).value('inventory_worker_redis_up')).toBe(1);
  expect(started.banner).not.toMatch(/client_secret/);
  const [held] = await database.sql`
    select (select count(*) from client)::integer as clients, (select count(*) from item)::integer as items`;
  expect(held).toEqual({ clients: 0, items: 0 });

  const root = join(import.meta.dirname, '../..');
  const save = (file: string) => utimes(programOf(join(root, file)).at(-1)!, new Date(), new Date());
  const timesUp = (name: string) => started.printed().split(`${name} is up again`).length - 1;
  await save('apps/worker/src/main.ts');
  await expect.poll(() => [timesUp('api'), timesUp('worker')]).toEqual([0, 1]);
  await save('packages/domain/src/quantity.ts');
  await expect.poll(() => [timesUp('api'), timesUp('worker')]).toEqual([1, 2]);
});

test('a Postgres that is away ends a process with one line that names its place, without user and password', async () => {
  const DATABASE_URL = 'postgres://joe:sesame@127.0.0.1:1/inventory';
  const env = { DATABASE_URL, REDIS_URL: inject('redisUrl'), PORT: '0' };
  const failed = await startProcess('apps/worker/src/main.ts', env, { quiet: true }).then(
    (started) => started.stop().then(() => 'it is up'),
    (error: Error) => error.message,
  );
  expect(failed).toBe(
    'apps/worker/src/main.ts ended with 1 before it was up: ' +
      'Postgres cannot be reached at 127.0.0.1:1 (connect ECONNREFUSED); check DATABASE_URL and that it runs',
  );
});

test.each([
  [
    'DATABASE_URL',
    'postgres://joe:sesame@127.0.0.1:1/inventory',
    'the database at 127.0.0.1:1 cannot be reached',
  ],
  ['REDIS_URL', 'redis://joe:sesame@127.0.0.1:1', 'Redis at 127.0.0.1:1 cannot be used'],
])(
  'start begins nothing with a %s that leads nowhere, and says so without user and password',
  async (name, url, said) => {
    const env = { DATABASE_URL: database.url, REDIS_URL: inject('redisUrl'), PORT: '0', [name]: url };
    const { code, stdout, stderr } = await runCommand(['start'], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: [^\n]*ECONNREFUSED[^\n]*\n$/);
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/joe|sesame/);
  },
);
