import type { Redis } from 'ioredis';

/** The keys of a Redis that match a pattern, all by default, with their values, as one text. */
export async function readRedis(redis: Redis, pattern = '*'): Promise<string> {
  const lines: unknown[] = [];
  for (const key of await redis.keys(pattern)) {
    lines.push(key, await readKey(redis, key).catch(() => null));
  }
  return JSON.stringify(lines);
}

async function readKey(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1');
    default:
      return redis.xrange(key, '-', '+');
  }
}
