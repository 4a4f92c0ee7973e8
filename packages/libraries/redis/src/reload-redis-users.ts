import { PlainError } from '@inventory/process/plain-error';
import { connectOnce } from './redis.ts';
import { mastersOf } from './redis-cluster.ts';

const withinMs = 5000;

/**
 * Makes Redis reload its file of users, so that the rights of a new version apply. Some versions of Redis
 * then close connections, which reconnect. Throws PlainError, which never contains the password.
 */
export async function reloadRedisUsers(redisUrl: string): Promise<void> {
  const { redis, place, why } = connectOnce(redisUrl, withinMs);
  try {
    await redis.connect();
    // Each master has a file of its own. Replicas and Sentinels are not reloaded.
    await Promise.all(mastersOf(redis).map((master) => master.call('ACL', 'LOAD')));
  } catch (error) {
    throw new PlainError(
      `Redis at ${place} cannot reload its users: ${why(error)}; if its file of users is right, restart it`,
    );
  } finally {
    redis.disconnect();
  }
}
