import { once } from 'node:events';
import { within } from '@inventory/process/within';
import type { RedisConnection } from './redis-cluster.ts';

/**
 * The id of the newest event of a stream. Without Redis that before the first one: there are few, whatever
 * the clocks say, and those that concern nobody here are passed over.
 */
export async function lastEventOf(redis: RedisConnection, stream: string): Promise<string> {
  const first = '0-0';
  try {
    if (redis.status !== 'ready') await within(1000, once(redis, 'ready'));
    const [newest] = await redis.xrevrange(stream, '+', '-', 'COUNT', 1);
    return newest?.[0] ?? first;
  } catch {
    return first;
  }
}
