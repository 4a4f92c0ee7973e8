import { connectOnce } from '@inventory/queue/redis';
import { CommandError } from '../cli/command-error.ts';

const waitMs = 3000;

/**
 * Checks that a given Redis takes our commands. Without it a wrong password would show only as stock
 * transactions that answer 503: the API reads on without Redis. Fails with CommandError, which never shows
 * the password.
 */
export async function checkRedis(redisUrl: string): Promise<void> {
  const { redis, place, why } = connectOnce(redisUrl, waitMs);
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    throw new CommandError(`Redis at ${place} cannot be used: ${why(error)}`);
  } finally {
    redis.disconnect();
  }
}
