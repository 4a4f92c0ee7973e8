import { randomBytes } from 'node:crypto';
import { addDemoData, demoClientId } from '@inventory/admin/start/demo-data';
import { startServer } from '@inventory/api/server';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient, addSecret } from '@inventory/db/access/clients';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import type { Sql } from '@inventory/postgres/pool';
import { createLog } from '@inventory/process/log/log';
import type { Running } from '@inventory/process/run';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, beforeAll, inject } from 'vitest';
import { asPart } from '../as-part.ts';
import { createDatabase, type TestDatabase } from '../servers/database.ts';
import { type ApiClient, createApiClient, takeToken } from './api-client.ts';
import { auditFailedTests, expectInvariants, expectNoDeadlocks } from './invariants.ts';

/** Every permission of the contract. */
export const allPermissions = [11, 15, 88, 95, 116];

export type Service = {
  baseUrl: string;
  /** One address per api process. */
  baseUrls: string[];
  /** The first api's, when INTERNAL_PORT is set, to 0. */
  internalPort: number | undefined;
  /** The first worker's, in the same way. */
  workerPort: number | undefined;
  databaseUrl: string;
  /** The settings of its processes, with the addresses for the owner of the tables. */
  env: Record<string, string>;
  sql: Sql;
  /** Adds a client and gets it a token. By default it has every permission in warehouses 1 and 2. */
  client(options?: {
    permissions?: number[];
    warehouses?: number[];
    readOnly?: boolean;
    rateLimit?: number;
    operationsPerMinute?: number;
    baseUrl?: string;
  }): Promise<ApiClient & { secret: string }>;
  /** The client of the demo data, with a token. */
  demoClient(): Promise<ApiClient & { secret: string }>;
  /** Creates an item, with a unique name unless one is given, and returns its ShortID. */
  item(fields?: { shortID?: string; [field: string]: unknown }): Promise<string>;
};

let counter = 0;

/** A name that no other test has. */
export function uniqueName(prefix: string): string {
  counter += 1;
  return `${prefix}-${counter}-${randomBytes(3).toString('hex')}`;
}

/**
 * Starts apis and workers in this process, on a queue of their own. `env`: DATABASE_URL and further settings.
 */
export async function startParts(wanted: {
  apis: number;
  workers: number;
  env: Record<string, string> & { DATABASE_URL: string };
}) {
  const env = {
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: `test-${randomBytes(6).toString('hex')}`,
    PORT: '0',
    // A test may be many callers at once.
    CONNECTIONS_MAX: '10000',
    CONNECTIONS_PER_ADDRESS_MAX: '0',
    ...wanted.env,
  };
  process.env.LOG_LEVEL ??= 'fatal';
  const apis: Awaited<ReturnType<typeof startServer>>[] = [];
  const workers: Running[] = [];
  const stop = async () => {
    for (const each of [...apis, ...workers]) await each.stop();
  };
  try {
    while (apis.length < wanted.apis) apis.push(await startServer(asPart('api', env), createLog('api')));
    while (workers.length < wanted.workers)
      workers.push(await startWorker(asPart('worker', env), createLog('worker')));
  } catch (error) {
    await stop();
    throw error;
  }
  const baseUrls = apis.map(({ port }) => `http://127.0.0.1:${port}/api/v1`);
  return { env, apis, workers, baseUrls, stop };
}

type Parts = Awaited<ReturnType<typeof startParts>>;

/**
 * The whole service for one test file: its own database with warehouses 1, 2 and 3 (3 is in no client's scope
 * by default), api and worker processes on the real Postgres and Redis. `holds`: the demo data instead of
 * these warehouses, or nothing. Its stock must add up when all tests have run, and after each that failed.
 */
export function useService(
  options: {
    apis?: number;
    workers?: number;
    env?: Record<string, string>;
    holds?: 'warehouses' | 'demo' | 'nothing';
    /**
     * Whether its tests are about 503, as when no worker runs; otherwise its clients send again whatever a
     * slow machine was too busy for.
     */
    hears503?: boolean;
  } = {},
): Service {
  let database: TestDatabase;
  let parts: Parts | undefined;
  const service = {} as Service;

  beforeAll(async () => {
    database = await createDatabase();
    const { holds = 'warehouses' } = options;
    if (holds === 'demo') await addDemoData(database.sql);
    const warehouses = holds === 'warehouses' ? ['Main', 'Overflow', 'Elsewhere'] : [];
    for (const [wid, name] of warehouses.entries()) await addWarehouse(database.sql, { wid: wid + 1, name });
    const env = { DATABASE_URL: database.url, ...options.env };
    parts = await startParts({ apis: options.apis ?? 1, workers: options.workers ?? 1, env });
    const hears503 = options.hears503 ?? options.workers === 0;
    Object.assign(service, createService(database, parts, hears503));
  });

  auditFailedTests(() => database.sql);

  afterAll(async () => {
    await parts?.stop();
    if (database === undefined) return;
    try {
      await expectInvariants(database.sql);
      await expectNoDeadlocks(database.sql, 'inventory-%');
    } finally {
      await database.drop();
    }
  });

  return service;
}

function createService(
  database: TestDatabase,
  { env, apis, workers, baseUrls }: Parts,
  hears503: boolean,
): Service {
  const baseUrl = baseUrls[0]!;
  const { sql } = database;
  let cataloguer: Promise<ApiClient> | undefined;

  const service: Service = {
    baseUrl,
    baseUrls,
    internalPort: apis[0]?.internalPort,
    workerPort: workers[0]?.internalPort,
    databaseUrl: database.url,
    env,
    sql,
    async client(options = {}) {
      const clientId = uniqueName('client');
      const secret = createSecret();
      await addClient(sql, {
        clientId,
        permissions: options.permissions ?? allPermissions,
        wids: options.warehouses ?? [1, 2],
        readOnly: options.readOnly ?? false,
        rateLimit: options.rateLimit ?? 1_000_000,
        operationsPerMinute: options.operationsPerMinute,
        secretDigest: digestSecret(secret),
      });
      const at = options.baseUrl ?? baseUrl;
      const token = await takeToken(at, { clientId, secret });
      return { ...createApiClient(at, clientId, token, { isPatient: !hears503 }), secret };
    },
    async demoClient() {
      const secret = createSecret();
      await addSecret(sql, demoClientId, digestSecret(secret));
      const token = await takeToken(baseUrl, { clientId: demoClientId, secret });
      return { ...createApiClient(baseUrl, demoClientId, token, { isPatient: !hears503 }), secret };
    },
    async item({ shortID = uniqueName('ITEM'), ...fields } = {}) {
      cataloguer ??= service.client();
      const answer = await (await cataloguer).post('/Item', { shortID, ...fields });
      if (answer.status !== 201) throw new Error(`no item: ${answer.text}`);
      return shortID;
    },
  };
  return service;
}
