import { Redis } from 'ioredis';

// Back within half a second after an outage, however long it lasted.
const shared = { retryStrategy: (attempt: number) => Math.min(50 * attempt, 500), connectTimeout: 1000 };

// How long the api waits for Redis to take an envelope. With what it waited for Redis to count the request, a write is refused within
// 1.2 s when Redis hangs.
const commandTimeoutMs = 900;

/**
 * A connection for commands that somebody waits for. It fails instead of waiting: a command kept for later, or sent a
 * second time after a reconnect, would put work into the queue after its caller was told that it was not.
 */
export function connectProducer(redisUrl: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(redisUrl, {
    ...shared,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
  });
  redis.on('error', onError);
  return redis;
}

/** A connection that blocks until there is something to read; it waits through an outage. */
export function connectConsumer(redisUrl: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(redisUrl, { ...shared, maxRetriesPerRequest: null });
  redis.on('error', onError);
  return redis;
}
