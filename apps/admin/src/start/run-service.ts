import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { apiSettings } from '@inventory/api/config';
import { migrate } from '@inventory/db/migrate/migrate';
import { inventoryCommand } from '@inventory/domain/operating/called-as';
import { makePrivate } from '@inventory/local/private-folder';
import { type Stack, startStack } from '@inventory/local/stack';
import type { Sql } from '@inventory/postgres/pool';
import { connections, Port, readConfig } from '@inventory/process/settings/config';
import { workerSettings } from '@inventory/worker/config';
import { restoreFile } from '../backup/restore-file.ts';
import { localFolder } from '../checkout.ts';
import { useDatabase } from '../cli/database.ts';
import { migrationHeld, print } from '../cli/print.ts';
import { printAudit } from '../cli/print-audit.ts';
import { createSteps, type Steps } from '../cli/steps.ts';
import { bannerOf, baseUrlOf, urlOf, waitForAnswer } from './banner.ts';
import { checkRedis } from './check-redis.ts';
import { type DemoClient, readDemoClient } from './demo-client.ts';
import { addDemoData } from './demo-data.ts';
import { makeLocalLogins } from './local-logins.ts';
import { supervise } from './supervise.ts';
import { watchSources } from './watch-sources.ts';

/**
 * Read before anything is started or written, including the settings of api and worker, so that a wrong one
 * does not cost a migration or demo data.
 */
const settings = {
  ...apiSettings,
  ...workerSettings,
  DATABASE_URL: connections.DATABASE_URL.optional(),
  REDIS_URL: connections.REDIS_URL.optional(),
  INTERNAL_PORT: Port.default(0),
};

/**
 * How the service begins. `backupFile`: the backup that is restored into the database, which must be empty;
 * null: none. `demo`: with demo data. `yes`: also on a given database. `watch`: api and worker start again
 * whenever their code is saved.
 */
export type Beginning = { backupFile: string | null; demo: boolean; yes: boolean; watch: boolean };

/** Starts everything, runs until it is told to stop, and leaves nothing running. */
export async function runService(
  signal: AbortSignal,
  { backupFile, demo, yes, watch }: Beginning,
): Promise<void> {
  const config = readConfig(settings, process.env);
  await refuseUsedPort(config.HOST, config.PORT);
  await untilAborted(signal, refuseUnreachable(config));
  const steps = createSteps();
  const stops: (() => Promise<void>)[] = [];
  try {
    const stack = await startStack({
      folder: localFolder,
      databaseUrl: config.DATABASE_URL,
      redisUrl: config.REDIS_URL,
      queuePrefix: config.QUEUE_PREFIX,
      report: steps.report,
      signal,
    });
    stops.push(stack.stop);
    const isGiven = stack.postgres === 'given';
    forgetPasswords(stack);
    const logFolder = join(localFolder, 'logs');
    await makePrivate(localFolder);
    await makePrivate(logFolder);
    const { demoClient, databaseUrls } = await untilAborted(
      signal,
      useDatabase(stack.databaseUrl, async (sql) => ({
        demoClient: await prepareDatabase(
          sql,
          { backupFile, demo, isOthers: isGiven && !yes, steps },
          signal,
        ),
        // For a given database, the operator decides which login the service uses.
        databaseUrls: isGiven ? null : await makeLocalLogins(sql, stack.databaseUrl),
      })),
    );
    if (databaseUrls !== null) stack.tellOperatorUrl(databaseUrls.operator);

    const run = (name: 'api' | 'worker', more: NodeJS.ProcessEnv) => {
      const running = supervise({
        name,
        script: join(import.meta.dirname, `../../../${name}/src/main.ts`),
        env: {
          ...process.env,
          DATABASE_URL: databaseUrls?.[name] ?? stack.databaseUrl,
          REDIS_URL: stack.redisUrls[name],
          ...more,
        },
        logFile: join(logFolder, `${name}.log`),
        report: print,
        isWatched: watch,
      });
      stops.push(running.stop);
      if (watch) watchSources(name, () => void running.restart(), signal);
      return running;
    };
    steps.begin('starting the API and the worker');
    // Two processes cannot share an internal port, so the worker gets the next one.
    const { INTERNAL_PORT: apiPort, INTERNAL_HOST: internalHost } = config;
    const workerPort = apiPort === 0 || apiPort === 65_535 ? 0 : apiPort + 1;
    // Stopped in reverse order: the worker answers the requests that the api still waits for.
    const worker = run('worker', { INTERNAL_PORT: String(workerPort) });
    const api = run('api', {
      HOST: config.HOST,
      PORT: String(config.PORT),
      INTERNAL_PORT: String(apiPort),
    });
    const [ofApi, ofWorker] = await untilAborted(signal, Promise.all([api.up, worker.up]));
    const baseUrl = baseUrlOf(config.HOST, ofApi.port!);
    await untilAborted(signal, waitForAnswer(baseUrl, signal));
    const internal = {
      api: urlOf(internalHost, ofApi.internalPort!),
      worker: urlOf(internalHost, ofWorker.internalPort!),
    };
    steps.end();
    if (Number.parseInt(process.versions.node, 10) < 24)
      print('Node 24 is recommended: api and worker take less of the processor on it.');
    for (const line of await bannerOf(baseUrl, internal, demoClient, signal)) print(line);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    steps.end();
    if (signal.aborted) print('stopping');
    for (const stop of stops.reverse()) await stop();
  }
}

/** These are for given servers; the local ones have their own passwords. */
function forgetPasswords({ postgres, redis }: Stack): void {
  const foreign = [
    ...(postgres === 'given' ? [] : ['DATABASE_PASSWORD']),
    ...(redis === 'given' ? [] : ['REDIS_PASSWORD', 'REDIS_SENTINEL_PASSWORD']),
  ];
  for (const name of foreign) {
    delete process.env[name];
    delete process.env[`${name}_FILE`];
  }
}

type Preparation = { backupFile: string | null; demo: boolean; isOthers: boolean; steps: Steps };

/** Migrates the tables and adds the demo data. Returns the demo client, if there is one. */
async function prepareDatabase(
  sql: Sql,
  { backupFile, demo, isOthers, steps }: Preparation,
  signal: AbortSignal,
): Promise<DemoClient | null> {
  if (backupFile !== null) {
    // It shows its own progress.
    steps.end();
    await restoreFile(sql, backupFile, { exactNumbers: false, signal });
    await printAudit(sql);
  }
  steps.begin('bringing the tables up to date');
  await migrate(sql, (name) => steps.report(`migrated ${name}`), {
    onHeld: () => steps.report(migrationHeld),
  });
  if (!demo) return null;
  if (isOthers) {
    print(
      `DATABASE_URL is set: no demo data and no demo client; \`${inventoryCommand('start --yes')}\` adds them to an empty database`,
    );
    return null;
  }
  steps.begin('adding the demo data');
  const demoData = await addDemoData(sql);
  if (demoData === 'not_ours') {
    print('the database has warehouses of its own: no demo data and no demo client');
    return null;
  }
  if (demoData === 'added') print('added the demo data');
  return readDemoClient(sql, join(localFolder, 'demo-client.json'));
}

/** Checked before anything is downloaded or started, so that a wrong address does not cost a minute. */
async function refuseUnreachable(given: {
  DATABASE_URL?: string | undefined;
  REDIS_URL?: string | undefined;
}): Promise<void> {
  if (given.DATABASE_URL !== undefined) await useDatabase(given.DATABASE_URL, async () => {});
  if (given.REDIS_URL !== undefined) await checkRedis(given.REDIS_URL);
}

/** The same for a used port. */
async function refuseUsedPort(host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => server.close(() => resolve()));
  });
}

/** Returns the promise's value, or rejects as soon as the signal is aborted. */
async function untilAborted<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
