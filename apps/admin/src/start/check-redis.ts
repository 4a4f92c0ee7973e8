import { connectOnce } from '@inventory/redis/redis';
import { CommandError } from '../cli/command-error.ts';

const waitMs = 3000;

/**
 * Checks that a given Redis accepts our commands. Otherwise a wrong password would only show as 503 for stock
 * transactions, because the API still serves reads. Fails with CommandError, which never contains the
 * password.
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
