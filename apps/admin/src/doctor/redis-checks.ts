import { type RedisHealth, readRedis } from '@inventory/queue/health';
import type { Redis } from 'ioredis';
import { describeBytes, fail, ok, type Question, warn } from './check.ts';

const nearlyFull = 0.8;
// An api refuses what would wait for longer than a second, so that a queue is short while somebody works on
// it.
const full = 0.97;
// Without a limit: so much of the machine's memory.
const machineShareMax = 0.5;

export const redisChecks: Question<Redis>[] = [
  {
    id: 'eviction-policy',
    wanted: 'maxmemory-policy noeviction: Redis refuses work when it is full, and forgets none',
    async look(redis) {
      const { policy } = await readRedis(redis);
      return policy === 'noeviction'
        ? ok(policy)
        : fail(policy || 'not told', 'set maxmemory-policy noeviction in redis.conf or with the provider');
    },
  },
  {
    id: 'memory',
    wanted: `Redis below ${nearlyFull * 100} % of its memory`,
    look: async (redis) => judgeMemory(await readRedis(redis)),
  },
  {
    id: 'redis-role',
    wanted: 'a Redis that takes writes',
    async look(redis) {
      const { role, version } = await readRedis(redis);
      return role === 'master'
        ? ok(`${version}, takes writes`)
        : fail(`a replica (${role})`, 'let REDIS_URL lead to the primary');
    },
  },
];

function judgeMemory({ usedBytes, maxBytes, machineBytes }: RedisHealth) {
  if (maxBytes === 0) {
    const found = `${describeBytes(usedBytes)}, without a limit, of ${describeBytes(machineBytes)} of the machine`;
    return usedBytes < machineBytes * machineShareMax
      ? ok(found)
      : warn(found, 'set maxmemory; see why it grows');
  }
  const share = usedBytes / maxBytes;
  const found = `${describeBytes(usedBytes)} of ${describeBytes(maxBytes)} (${Math.floor(share * 100)} %)`;
  if (share < nearlyFull) return ok(found);
  if (share < full)
    return warn(found, 'raise maxmemory; see which keys fill it that are not of this service');
  return fail(
    `Redis is full: ${found}; transactions are refused with 503`,
    'raise maxmemory; see which keys fill it that are not of this service',
  );
}
