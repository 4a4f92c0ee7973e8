import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf, type Login } from '@inventory/db/access/logins';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import { migrate } from '@inventory/db/migrate/migrate';
import { POSTGRES_ENVIRONMENT } from '@inventory/local/postgres/postgres-data';
import { createRedisUsers } from '@inventory/local/redis-users';
import { startStack } from '@inventory/local/stack';
import { connect, type Sql } from '@inventory/postgres/pool';
import { openStretch } from '../harness/network/through.ts';
import { addLogins, createLogins } from '../harness/servers/logins.ts';
import { findServerProgram, type SentinelTrio, startSentinelTrio } from '../harness/servers/redis-servers.ts';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import { addCaller } from '../harness/service/caller.ts';
import { startProcess } from '../harness/service/processes.ts';
import { type Clocks, createClocks } from './clocks.ts';
import { type BadEnd, type FailedStart, type Member, type Role, startMember } from './member.ts';
import { startPairNetwork, startTrioNetwork } from './networks.ts';
import type { Stretch, Way } from './proxy.ts';
import { itemIds } from './requests.ts';

const root = join(import.meta.dirname, '../..');

/** The real processes. Each of their network paths has a proxy of its own. */
export type Cluster = {
  members: Member[];
  apis: Member[];
  workers: Member[];
  badEnds: BadEnd[];
  failedStarts: FailedStart[];
  proxies: Record<`${Role}-${'postgres' | 'redis'}`, Stretch>;
  /** The checker's connection, which bypasses the proxies. */
  sql: Sql;
  databaseUrl: string;
  /** Of one Redis, or of `trio`. */
  redisUrl: string;
  /** The servers that Sentinels watch; null: there is one Redis. */
  trio: SentinelTrio | null;
  /** The primary and its synchronous standby; null: there is one Postgres. */
  pair: PostgresPair | null;
  /** null: every clock is right. */
  clocks: Clocks | null;
  serverPid(server: 'postgres' | 'redis'): number;
  clientId: string;
  secret: string;
  /** The log lines about requests that failed through a fault of ours, not through an outage. */
  internalErrors(): string[];
  /** Stops every process of the service in an orderly way; Postgres stays up. */
  stopMembers(): Promise<void>;
  stop(): Promise<void>;
};

const clientId = 'faults';
const isInternal = /^\{"level":50,.*"cause":"internal"/;

/** Starts 2 api and 3 worker processes on a local Postgres and Redis with temporary data. */
export async function startCluster(options: {
  folder: string;
  env?: Record<string, string>;
  /** Whether Redis is three servers that Sentinels watch. */
  sentinel: boolean;
  /** Whether Postgres is a primary and a synchronous standby. */
  standby: boolean;
  /** Whether the clocks of Postgres and of each process can be set. */
  clocks: boolean;
  /** Milliseconds since the run began. */
  now: () => number;
  report: (line: string) => void;
}): Promise<Cluster> {
  const sentinels = options.sentinel ? await startSentinels() : null;
  const logins = createLogins();
  let secret = '';
  const prepare = async (to: Sql) => {
    secret = await prepareDatabase(to, logins);
  };
  const pair = options.standby ? await startPostgresPair({ prepare, synchronous: true }) : null;
  const clocks = options.clocks ? createClocks(join(tmpdir(), `faults-clocks-${process.pid}`)) : null;
  Object.assign(POSTGRES_ENVIRONMENT, clocks?.environmentOf('postgres'));
  const stack = await startStack({
    folder: options.folder,
    ...(pair === null ? {} : { databaseUrl: pair.url }),
    ...(sentinels === null ? {} : { redisUrl: sentinels.trio.url }),
    throwAway: true,
    report: options.report,
  });
  const own = pair === null ? connect(stack.databaseUrl, { name: 'checker', connectionsMax: 3 }) : null;
  if (own !== null) await prepare(own);
  const ways = { api: await startWays('api'), worker: await startWays('worker') };
  async function startWays(role: Role): Promise<Record<'postgres' | 'redis', Way>> {
    const login = logins.find((each) => each.part === role)!;
    const postgres = await (pair === null ? openStretch(stack.databaseUrl) : startPairNetwork(pair));
    return {
      postgres: { ...postgres, url: addressOf(postgres.url, login) },
      redis: await (sentinels?.startWay(role) ?? openStretch(stack.redisUrls[role])),
    };
  }
  const proxies: Cluster['proxies'] = {
    'api-postgres': ways.api.postgres,
    'api-redis': ways.api.redis,
    'worker-postgres': ways.worker.postgres,
    'worker-redis': ways.worker.redis,
  };

  const names = { api: [1, 2], worker: [1, 2, 3] };
  const logs = Object.entries(names).flatMap(([role, indexes]) =>
    indexes.map((index) => join(options.folder, `${role}-${index}.log`)),
  );
  for (const log of logs) rmSync(log, { force: true });
  const badEnds: BadEnd[] = [];
  const failedStarts: FailedStart[] = [];
  function start(role: Role, index: number): Promise<Member> {
    const env: Record<string, string> = {
      DATABASE_URL: ways[role].postgres.url,
      REDIS_URL: ways[role].redis.url,
      PORT: '0',
      DRAIN_MS: '1000',
      LOG_LEVEL: 'info',
      ...options.env,
      ...clocks?.environmentOf(`${role}-${index}`),
    };
    const file = join(root, `apps/${role}/src/main.ts`);
    const startOne = (clockShiftMs: number) =>
      startProcess(
        file,
        { ...env, CLOCK_SHIFT_MS: String(clockShiftMs) },
        {
          quiet: process.env.VERBOSE === undefined,
          logTo: join(options.folder, `${role}-${index}.log`),
          imports: clockShiftMs === 0 ? [] : ['test/harness/servers/shifted-clock.ts'],
        },
      );
    return startMember(`${role}-${index}`, role, startOne, { now: options.now, badEnds, failedStarts });
  }

  const apis = await Promise.all(names.api.map((index) => start('api', index)));
  const workers = await Promise.all(names.worker.map((index) => start('worker', index)));
  const members = [...apis, ...workers];
  return {
    members,
    apis,
    workers,
    badEnds,
    failedStarts,
    proxies,
    get sql() {
      return own ?? pair!.primary.sql;
    },
    databaseUrl: stack.databaseUrl,
    redisUrl: stack.redisUrl,
    trio: sentinels?.trio ?? null,
    pair,
    clocks,
    internalErrors: () =>
      logs.flatMap((log) => readFileSync(log, 'utf8').split('\n')).filter((line) => isInternal.test(line)),
    serverPid: (server) => JSON.parse(readFileSync(join(options.folder, `${server}.pid`), 'utf8')).pid,
    clientId,
    secret,
    async stopMembers() {
      for (const proxy of Object.values(proxies)) proxy.setState('open');
      await Promise.all(members.map((member) => member.end()));
    },
    async stop() {
      for (const proxy of Object.values(proxies)) proxy.close();
      await own?.end({ timeout: 5 });
      await stack.stop();
      await pair?.stop();
      await sentinels?.trio.stop();
    },
  };
}

/** Prepares an empty database for the service. Returns the secret of its client. */
async function prepareDatabase(sql: Sql, logins: readonly Login[]): Promise<string> {
  await migrate(sql);
  await addLogins(sql, logins);
  await addWarehouse(sql, { wid: 1, name: 'Main' });
  await addWarehouse(sql, { wid: 2, name: 'Overflow' });
  await sql`
    insert into item (short_id, created_by) select short_id, 'faults' from unnest(${itemIds}::text[]) as short_id`;
  return addCaller(sql, clientId, 2);
}

/** The servers and Sentinels, and a path to them for each part, with its own login. */
async function startSentinels(): Promise<{
  trio: SentinelTrio;
  startWay(role: Role): Promise<Way>;
}> {
  const { program, reason } = await findServerProgram();
  if (program === null) throw new Error(`there is no Redis to run: ${reason}`);
  const users = createRedisUsers('inventory', true);
  const urls = users.urlsOn('127.0.0.1', 0);
  const almighty = new URL(users.widestUrlOn('127.0.0.1', 0));
  const trio = await startSentinelTrio(program, {
    aclFile: users.aclFile,
    almighty: { user: almighty.username, password: almighty.password },
  });
  return {
    trio,
    async startWay(role) {
      const { username, password } = new URL(urls[role]);
      const way = await startTrioNetwork(trio);
      return { ...way, url: way.url.replace('//', `//${username}:${password}@`) };
    },
  };
}
