import { once } from 'node:events';
import { within } from '@inventory/process/within';
import type { Redis } from 'ioredis';

/** The id of the newest event of a stream. Without Redis a guess by our own clock; a lost answer is looked for anyway. */
export async function lastEventOf(redis: Redis, stream: string): Promise<string> {
  const guess = `${Date.now() - 5000}-0`;
  try {
    if (redis.status !== 'ready') await within(1000, once(redis, 'ready'));
    const [newest] = await redis.xrevrange(stream, '+', '-', 'COUNT', 1);
    return newest?.[0] ?? '0-0';
  } catch {
    return guess;
  }
}
