import { messageOf } from '@inventory/process/describe-error';
import { Redis } from 'ioredis';

// Back within half a second after an outage, however long it lasted.
const shared = {
  retryStrategy: (attempt: number) => Math.min(50 * attempt, 500),
  connectTimeout: 1000,
  // A command that Redis before 7.2 does not know, and so no right to it can be given there.
  disableClientInfo: true,
};

// How long the api waits for Redis to take an envelope. With what it waited for Redis to count the request, a
// write is refused within 1.2 s when Redis hangs.
const commandTimeoutMs = 900;

// A network can swallow packets for good and tell nobody, while new connections work. So a connection on
// which an answer is due and nothing at all comes for this long is replaced: a little longer than anybody
// waits for a command,
const producerSilentMs = 1000;
// and longer than the blocking reads below last, but shorter than BullMQ would wait for one before it closes
// the connection by itself.
const consumerSilentMs = 1900;
/**
 * How long a read may block until it is sent again: on a connection that is silent for longer something is
 * wrong.
 */
export const blockMs = 1000;
// On a connection without work an answer is made due now and then.
const heartbeatMs = 1000;

/**
 * A connection for commands that somebody waits for. It fails instead of waiting: a command kept for later,
 * or sent a second time after a reconnect, would put work into the queue after its caller was told that it
 * was not. `name`: as Redis lists it.
 */
export function connectProducer(redisUrl: string, onError: (error: Error) => void, name?: string): Redis {
  const redis = new Redis(redisUrl, {
    ...shared,
    ...(name === undefined ? {} : { connectionName: name }),
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    socketTimeout: producerSilentMs,
    reconnectOnError: isWrongServer,
  });
  redis.on('error', onError);
  const heartbeat = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => {});
    else if (redis.status === 'end') clearInterval(heartbeat);
  }, heartbeatMs);
  heartbeat.unref();
  return redis;
}

/**
 * A connection that blocks until there is something to read, `blockMs` at most; it waits through an outage.
 * `name`: as Redis lists it.
 */
export function connectConsumer(redisUrl: string, onError: (error: Error) => void, name?: string): Redis {
  const redis = new Redis(redisUrl, {
    ...shared,
    ...(name === undefined ? {} : { connectionName: name }),
    maxRetriesPerRequest: null,
    socketTimeout: consumerSilentMs,
    // 2: and send the command again.
    reconnectOnError: (error: Error) => (isWrongServer(error) ? 2 : false),
  });
  redis.on('error', onError);
  return redis;
}

/** A connection for a command or two of an operator. */
export type OneConnection = {
  /** To be connected by whoever uses it, and disconnected when it is not needed any more. */
  redis: Redis;
  /** Host and port. */
  place: string;
  /**
   * Why it cannot be used, without the password: its first error, those that follow only say that it is
   * closed.
   */
  why(error: unknown): string;
};

/** A connection that is made once and never again; connecting and each command fail after `withinMs`. */
export function connectOnce(redisUrl: string, withinMs: number): OneConnection {
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: withinMs,
    commandTimeout: withinMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    disableClientInfo: true,
  });
  let reason = '';
  redis.on('error', (error: Error) => {
    reason ||= messageOf(error);
  });
  const { host, port } = redis.options;
  return { redis, place: `${host}:${port}`, why: (error) => reason || messageOf(error) };
}

/**
 * Whether an error says that this server cannot do the work, and another one, or it later, can: after a
 * failover it is a replica, or it loads its data. A new connection leads to the right one, and is not ready
 * before its data is loaded. In a script Redis 6 has the code in the middle of the message.
 */
function isWrongServer(error: Error): boolean {
  return /(^|-)(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|UNBLOCKED)\b/.test(error.message);
}
