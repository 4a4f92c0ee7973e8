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
  const type = await redis.type(key);
  if (type === 'string') return redis.get(key);
  if (type === 'hash') return redis.hgetall(key);
  if (type === 'list') return redis.lrange(key, 0, -1);
  if (type === 'set') return redis.smembers(key);
  return type === 'zset' ? redis.zrange(key, '0', '-1') : redis.xrange(key, '-', '+');
}
