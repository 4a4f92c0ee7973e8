import { messageOf } from '@inventory/process/describe-error';
import { PlainError } from '@inventory/process/plain-error';
import { Redis } from 'ioredis';

const withinMs = 5000;

/**
 * Has the Redis of the address read its file of users anew, so that another version's rights hold. Some
 * versions of Redis end connections by it, which are made again.
 * Fails with PlainError, which never shows the password.
 */
export async function reloadRedisUsers(redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: withinMs,
    commandTimeout: withinMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    disableClientInfo: true,
  });
  let reason = '';
  // The first error says why; those that follow only that the connection is closed.
  redis.on('error', (error: Error) => {
    reason ||= messageOf(error);
  });
  try {
    await redis.connect();
    await redis.call('ACL', 'LOAD');
  } catch (error) {
    const { host, port } = redis.options;
    const why = reason || messageOf(error);
    throw new PlainError(`Redis at ${host}:${port} cannot read its users anew: ${why}; start it again`);
  } finally {
    redis.disconnect();
  }
}
