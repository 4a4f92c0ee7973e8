import { PlainError } from '@inventory/process/plain-error';
import { connectOnce } from './redis.ts';
import { mastersOf } from './redis-cluster.ts';

const withinMs = 5000;

/**
 * Has the Redis of the address read its file of users anew, so that another version's rights hold. Some
 * versions of Redis end connections by it, which are made again.
 * Fails with PlainError, which never shows the password.
 */
export async function reloadRedisUsers(redisUrl: string): Promise<void> {
  const { redis, place, why } = connectOnce(redisUrl, withinMs);
  try {
    await redis.connect();
    // Each server has a file of its own. Replicas and Sentinels are not asked.
    await Promise.all(mastersOf(redis).map((master) => master.call('ACL', 'LOAD')));
  } catch (error) {
    throw new PlainError(
      `Redis at ${place} cannot read its users anew: ${why(error)}; when its file of users is right, start it again`,
    );
  } finally {
    redis.disconnect();
  }
}
