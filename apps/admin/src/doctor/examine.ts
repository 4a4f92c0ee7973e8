import { adviceOf } from '@inventory/domain/operating/diagnoses';
import { connect, isOutage, reach, type Sql } from '@inventory/postgres/pool';
import { askServers, type SeenServer } from '@inventory/postgres/servers/seen-servers';
import { whyAway } from '@inventory/postgres/unreachable';
import { messageOf } from '@inventory/process/log/describe-error';
import { connections, readConfig } from '@inventory/process/settings/config';
import { describePlaces } from '@inventory/process/settings/database-address';
import { within } from '@inventory/process/within';
import { watchQueues } from '@inventory/queue/health';
import { connectOnce } from '@inventory/redis/redis';
import type { RedisConnection } from '@inventory/redis/redis-cluster';
import { findDatabaseDisk, findDatabaseUrl, findRedisUrl } from '../cli/database.ts';
import { type Check, fail, lookWithinMs, makeChecks, ok, unaskedChecks, unknown } from './check.ts';
import { machineChecks } from './machine-checks.ts';
import { postgresChecks } from './postgres-checks.ts';
import { queueChecks, type Seen } from './queue-checks.ts';
import { redisChecks } from './redis-checks.ts';
import { replicationChecks, serverChecks } from './replication-checks.ts';

// Both servers, and then the queues, within 15 s in all, whatever hangs.
const connectWithinMs = 3000;
const watchMs = 7000;

const ofPostgres = { id: 'postgres', wanted: 'Postgres answers' };
const ofRedis = { id: 'redis', wanted: 'Redis answers' };

/** All that `doctor` checks, in the order in which it says so. */
export const everyCheck: readonly { id: string; wanted: string }[] = [
  ...[ofPostgres, ofRedis, ...postgresChecks, ...replicationChecks, ...serverChecks],
  ...[...redisChecks, ...queueChecks, ...machineChecks],
];

/**
 * The service's servers as `doctor` and `status` reach them; null, with the check that says why: not reached.
 */
export type Reached = {
  sql: Sql | null;
  redis: RedisConnection | null;
  /** The servers of Postgres; empty if DATABASE_URL names one. */
  servers: readonly SeenServer[];
  prefix: string;
  /** Whether they are reached. */
  checks: Check[];
};

/**
 * Connects to Postgres and Redis, looks with `work`, and ends the connections. Either may be away, or not be
 * given.
 */
export async function withServers<Result>(work: (reached: Reached) => Promise<Result>): Promise<Result> {
  const { QUEUE_PREFIX: prefix } = readConfig({ QUEUE_PREFIX: connections.QUEUE_PREFIX }, process.env);
  const [databaseUrl, redisUrl] = [await findDatabaseUrl(), await findRedisUrl()];
  const [postgres, redis, servers] = await Promise.all([
    reachPostgres(databaseUrl),
    reachRedis(redisUrl),
    askServers(databaseUrl),
  ]);
  try {
    return await work({
      sql: postgres.sql,
      redis: redis.redis,
      servers,
      prefix,
      checks: [postgres.check, redis.check],
    });
  } finally {
    redis.redis?.disconnect();
    await within(1500, postgres.sql?.end({ timeout: 1 }) ?? Promise.resolve()).catch(() => {});
  }
}

/** Everything that `doctor` checks. `apis`: addresses of apis; `disk`: a folder on the disk of Postgres. */
export async function examine(options: { apis: readonly string[]; disk: string | null }): Promise<Check[]> {
  return withServers(async ({ sql, redis, servers, prefix, checks }) => {
    const disk = options.disk ?? findDatabaseDisk();
    const found = await Promise.all([
      ...(sql === null
        ? [unaskedChecks([...postgresChecks, ...replicationChecks], 'Postgres cannot be asked')]
        : [makeChecks(sql, postgresChecks), makeChecks({ sql, servers }, replicationChecks)]),
      makeChecks(servers, serverChecks),
      ...(redis === null
        ? [unaskedChecks([...redisChecks, ...queueChecks], 'Redis cannot be asked')]
        : [makeChecks(redis, redisChecks), checkQueues(redis, prefix)]),
      makeChecks({ sql, redis, apis: options.apis, prefix, disk }, machineChecks),
    ]);
    return [...checks, ...found.flat()];
  });
}

async function checkQueues(redis: RedisConnection, prefix: string): Promise<Check[]> {
  try {
    const watched = watchQueues(redis, { prefix, watchMs, untilFinished: true });
    const seen: Seen = { health: await within(watchMs + 2000, watched) };
    return await makeChecks(seen, queueChecks);
  } catch (error) {
    return unaskedChecks(queueChecks, `Redis does not say: ${messageOf(error)}`);
  }
}

async function reachPostgres(databaseUrl: string): Promise<{ sql: Sql | null; check: Check }> {
  const place = describePlaces(databaseUrl);
  const sql = connect(databaseUrl, {
    name: 'inventory-doctor',
    connectionsMax: 4,
    statementTimeoutMs: lookWithinMs,
  });
  try {
    await within(connectWithinMs, reach(sql));
    return { sql, check: { ...ofPostgres, ...ok(`answers at ${place}`) } };
  } catch (error) {
    void sql.end({ timeout: 0 }).catch(() => {});
    const why = isOutage(error) ? whyAway(error) : messageOf(error);
    const finding = fail(`Postgres at ${place} cannot be used (${why})`, adviceOf('InventoryPostgresAway'));
    return { sql: null, check: { ...ofPostgres, ...finding } };
  }
}

async function reachRedis(redisUrl: string | null): Promise<{ redis: RedisConnection | null; check: Check }> {
  if (redisUrl === null) {
    const found = 'REDIS_URL is not set, so Redis and the queues are not checked';
    return { redis: null, check: { ...ofRedis, ...unknown(found, 'set REDIS_URL, with the user admin') } };
  }
  const { redis, place, why } = connectOnce(redisUrl, connectWithinMs);
  try {
    await within(
      connectWithinMs,
      redis.connect().then(() => redis.ping()),
    );
    return { redis, check: { ...ofRedis, ...ok(`answers at ${place}`) } };
  } catch (error) {
    redis.disconnect();
    const found = `Redis at ${place} cannot be used (${why(error)}); transactions are refused with 503`;
    return { redis: null, check: { ...ofRedis, ...fail(found, adviceOf('InventoryRedisAway')) } };
  }
}
