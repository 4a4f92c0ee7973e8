import { adviceOf } from '@inventory/domain/operating/diagnoses';
import { type RedisHealth, readRedis } from '@inventory/queue/health';
import type { RedisConnection } from '@inventory/redis/redis-cluster';
import { describeRefusal } from '@inventory/redis/refusal';
import { describeBytes, type Finding, fail, ok, type Question, unknown, warn } from './check.ts';

const nearlyFull = 0.8;
// An api refuses what would wait for longer than a second, so that a queue is short while somebody works on
// it.
const full = 0.97;
// Without a limit: so much of the machine's memory.
const machineShareMax = 0.5;

export const redisChecks: Question<RedisConnection>[] = [
  {
    id: 'eviction-policy',
    wanted: 'maxmemory-policy noeviction: Redis refuses work when it is full, and evicts nothing',
    look: (redis) =>
      judgeEach(redis, ({ policy }) => {
        if (policy === null) return unknown('not shown', 'ask its provider');
        return policy === 'noeviction'
          ? ok(policy)
          : fail(policy, 'set maxmemory-policy noeviction in redis.conf or with the provider');
      }),
  },
  {
    id: 'memory',
    wanted: `Redis below ${nearlyFull * 100} % of its memory`,
    look: (redis) => judgeEach(redis, judgeMemory),
  },
  {
    id: 'redis-role',
    wanted: 'a Redis that takes writes',
    look: (redis) =>
      judgeEach(redis, ({ role, version, goodReplicas }) => {
        if (role === null) return unknown('not shown');
        if (goodReplicas === 0)
          return fail(
            `it refuses work: ${describeRefusal('replicas')}`,
            adviceOf('InventoryRedisUnwritable'),
          );
        return role === 'master'
          ? ok(`${version ?? 'unknown version'}, takes writes`)
          : fail(`a replica (${role})`, 'point REDIS_URL to the primary');
      }),
  },
];

/** The worst finding of the server, or of all masters of a Redis Cluster. */
async function judgeEach(redis: RedisConnection, judge: (server: RedisHealth) => Finding): Promise<Finding> {
  const judged = (await readRedis(redis)).map((server) => ({ ...judge(server), place: server.place }));
  for (const state of ['fail', 'warn', 'unknown'] as const) {
    const those = judged.filter((each) => each.state === state);
    if (those.length > 0) {
      const found = those.map((each) => (each.place === null ? each.found : `${each.place}: ${each.found}`));
      return { state, found: found.join('; '), remedy: those[0]!.remedy };
    }
  }
  return ok([...new Set(judged.map(({ found }) => found))].join('; '));
}

function judgeMemory({ usedBytes, maxBytes, machineBytes }: RedisHealth) {
  if (usedBytes === null || maxBytes === null) return unknown('not shown', 'ask its provider');
  if (maxBytes === 0) {
    if (machineBytes === null) return unknown(`${describeBytes(usedBytes)}, without a limit`);
    const found = `${describeBytes(usedBytes)}, without a limit, of ${describeBytes(machineBytes)} of the machine`;
    return usedBytes < machineBytes * machineShareMax
      ? ok(found)
      : warn(found, 'set maxmemory; find out why it grows');
  }
  const share = usedBytes / maxBytes;
  const found = `${describeBytes(usedBytes)} of ${describeBytes(maxBytes)} (${Math.floor(share * 100)} %)`;
  if (share < nearlyFull) return ok(found);
  const remedy = 'raise maxmemory; look for keys that are not of this service';
  return share < full
    ? warn(found, remedy)
    : fail(`Redis is full: ${found}; transactions are refused with 503`, remedy);
}
