import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { addWarehouse } from '@inventory/db/warehouses';
import { choosePort } from '@inventory/local/free-port';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/database.ts';
import { readMetrics } from '../harness/metrics.ts';
import { startProcess } from '../harness/processes.ts';
import { uniqueName } from '../harness/service.ts';

const root = join(import.meta.dirname, '../..');
let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
  // One of its own: then there are no demo data.
  await addWarehouse(database.sql, { wid: 1, name: 'Main' });
});
afterAll(() => database?.drop());

/** Runs `start` on the servers of the tests until its banner is there; what it printed, and how to end it. */
async function start(env: Record<string, string>) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'apps/admin/src/main.ts', 'start'], {
    cwd: root,
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      REDIS_URL: inject('redisUrl'),
      QUEUE_PREFIX: uniqueName('start'),
      PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk;
      if (printed.includes('Ctrl-C')) resolve();
    });
    ended.then(() => reject(new Error(`start ended: ${printed}`)));
  });
  return {
    banner: printed,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function portsIn(banner: string): { api: number; worker: number } {
  const [, api, worker] =
    /^ {2}Metrics +http:\/\/127\.0\.0\.1:(\d+)\/metrics \(api\), http:\/\/127\.0\.0\.1:(\d+)\/metrics \(worker\)$/m.exec(
      banner,
    ) ?? [];
  return { api: Number(api), worker: Number(worker) };
}

test('start names where api and worker serve their metrics, each on a port of its own', async () => {
  const started = await start({ INTERNAL_PORT: '' });
  try {
    const ports = portsIn(started.banner);
    const page = `http://127.0.0.1:${ports.api}/operations`;
    expect(started.banner).toContain(`\n  Operations     ${page}\n`);
    expect((await fetch(page)).status).toBe(200);
    const [api, worker] = [await readMetrics(ports.api), await readMetrics(ports.worker)];
    expect(api.value('inventory_api_postgres_up')).toBe(1);
    expect(worker.value('inventory_worker_postgres_up')).toBe(1);
  } finally {
    await started.stop();
  }
});

test('under start INTERNAL_PORT is the api’s and the next one the worker’s', async () => {
  const port = await choosePort('the api', undefined, undefined);
  const started = await start({ INTERNAL_PORT: String(port) });
  try {
    expect(portsIn(started.banner)).toEqual({ api: port, worker: port + 1 });
    expect((await readMetrics(port + 1)).value('inventory_worker_redis_up')).toBe(1);
  } finally {
    await started.stop();
  }
});

test.each(['api', 'worker'] as const)(
  'a wrong LOG_LEVEL ends the %s with one line that says what it may be',
  async (part) => {
    const env = { DATABASE_URL: database.url, REDIS_URL: inject('redisUrl'), PORT: '0', LOG_LEVEL: 'loud' };
    const failed = await startProcess(`apps/${part}/src/main.ts`, env, { quiet: true }).then(
      (started) => started.stop().then(() => 'it is up'),
      (error: Error) => error.message,
    );
    expect(failed).toBe(
      `apps/${part}/src/main.ts ended with 1 before it was up: ` +
        'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
    );
  },
);
