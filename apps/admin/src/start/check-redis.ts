import { messageOf } from '@inventory/process/describe-error';
import { Redis } from 'ioredis';
import { CommandError } from '../cli/command-error.ts';

const waitMs = 3000;

/**
 * Checks that a given Redis takes our commands. Without it a wrong password would show only as stock
 * transactions that answer 503: the API reads on without Redis. Fails with CommandError, which never shows
 * the password.
 */
export async function checkRedis(redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: waitMs,
    commandTimeout: waitMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason = '';
  // The first error says why; those that follow only that the connection is closed.
  redis.on('error', (error: Error) => {
    reason ||= messageOf(error);
  });
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    const { host, port } = redis.options;
    throw new CommandError(`Redis at ${host}:${port} cannot be used: ${reason || messageOf(error)}`);
  } finally {
    redis.disconnect();
  }
}
