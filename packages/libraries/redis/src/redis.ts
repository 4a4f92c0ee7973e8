import { messageOf } from '@inventory/process/log/describe-error';
import { lookEvery } from '@inventory/process/look-every';
import { PlainError } from '@inventory/process/plain-error';
import {
  describeRedis,
  parseRedisAddress,
  type RedisAddress,
} from '@inventory/process/settings/redis-address';
import { Redis, type RedisOptions } from 'ioredis';
import {
  connectClusterOnce,
  connectClusterProducer,
  type RedisConnection,
  reasonOf,
} from './redis-cluster.ts';
import { MasterConnector } from './sentinel-connector.ts';
import { type ClusterAccess, connectorOf } from './slot-connector.ts';

// Only this file makes connections from REDIS_URL: to one server, to the master that Sentinels name, or to a
// Redis Cluster (0020). All other code uses them alike.

// Reconnects within half a second after an outage, however long it lasted.
const retryStrategy = (attempt: number) => Math.min(50 * attempt, 500);
const shared = {
  retryStrategy,
  connectTimeout: 1000,
  // Redis before 7.2 does not know this command, so no right to it can be granted there.
  disableClientInfo: true,
};

// How long the api waits for Redis to take an envelope. Together with the wait for the rate limit, a write is
// refused within 1.2 s when Redis hangs.
const commandTimeoutMs = 900;

// A network can swallow packets silently and forever while new connections work. So a connection that owes an
// answer and receives nothing for this long is replaced. A little longer than any caller waits for a command.
const producerSilentMs = 1000;
// Longer than the blocking reads below, but shorter than BullMQ waits before it closes the connection itself.
const consumerSilentMs = 1900;
/** How long a read may block before it is sent again. A connection that is silent for longer is broken. */
export const blockMs = 1000;
// A Sentinel answers from memory.
const sentinelSilentMs = 500;
// When a connection that listens for failovers ends, it is opened again after this time.
const sentinelAgainMs = 10_000;
// An idle connection is pinged, so that an answer is due now and then.
const heartbeatMs = 1000;

/**
 * A connection for commands that a caller waits for. It fails instead of waiting: a command that is kept for
 * later, or repeated after a reconnect, could put work into the queue after its caller was told that it
 * failed. `name`: shown in Redis's list of connections.
 */
export function connectProducer(
  redisUrl: string,
  onError: (error: Error) => void,
  name?: string,
): RedisConnection {
  const options = {
    ...shared,
    ...(name === undefined ? {} : { connectionName: name }),
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    socketTimeout: producerSilentMs,
  };
  const address = parseRedisAddress(redisUrl);
  if (address.kind === 'cluster') {
    const { retryStrategy: _, ...redisOptions } = options;
    const cluster = connectClusterProducer(accessTo(address), { redisOptions, retryStrategy, heartbeatMs });
    cluster.on('error', onError);
    cluster.on('node error', onError);
    return cluster;
  }
  const redis = connect(address, {
    ...options,
    enableOfflineQueue: false,
    reconnectOnError: isWrongServer,
  });
  reportErrors(redis, onError);
  const stop = lookEvery(heartbeatMs, () => {
    if (redis.status === 'ready') redis.ping().catch(() => {});
    else if (redis.status === 'end') stop();
  });
  return redis;
}

/**
 * A connection that blocks until there is something to read, at most `blockMs`. It waits through an outage.
 * `key`: the key that it reads. In a Redis Cluster it connects to the node of that key and can only use keys
 * with the same part in braces. `name`: shown in Redis's list of connections.
 */
export function connectConsumer(
  redisUrl: string,
  key: string,
  onError: (error: Error) => void,
  name?: string,
): Redis {
  const redis = connect(
    parseRedisAddress(redisUrl),
    {
      ...shared,
      ...(name === undefined ? {} : { connectionName: name }),
      maxRetriesPerRequest: null,
      socketTimeout: consumerSilentMs,
      // 2: also sends the command again.
      reconnectOnError: (error: Error) => (isWrongServer(error) ? 2 : false),
    },
    key,
  );
  reportErrors(redis, onError);
  return redis;
}

/** Blocking connections for several keys. */
export type Consumers = {
  /** The connection for a key. */
  of(key: string): Redis;
  disconnect(): void;
};

/**
 * `connectConsumer` for keys that are added one by one: one connection for all of them on a single server;
 * one for each key in a Redis Cluster, where each node serves only its own keys.
 */
export function connectConsumers(
  redisUrl: string,
  onError: (error: Error) => void,
  name?: string,
): Consumers {
  const areApart = parseRedisAddress(redisUrl).kind === 'cluster';
  const connections = new Map<string, Redis>();
  return {
    of(key) {
      const which = areApart ? key : '';
      const known = connections.get(which);
      if (known !== undefined) return known;
      const redis = connectConsumer(redisUrl, key, onError, name);
      connections.set(which, redis);
      return redis;
    },
    disconnect() {
      for (const redis of connections.values()) redis.disconnect();
    },
  };
}

/** A connection for a few commands of an operator. */
export type OneConnection = {
  /** The caller connects and disconnects it. */
  redis: RedisConnection;
  /** Hosts and ports. */
  place: string;
  /**
   * Why it cannot be used, without the password. Returns the first error, because later ones only say that it
   * is closed.
   */
  why(error: unknown): string;
};

/** A connection that never reconnects. Connecting and each command fail after `withinMs`. */
export function connectOnce(redisUrl: string, withinMs: number): OneConnection {
  const address = parseRedisAddress(redisUrl);
  const options = {
    // Leaves time to try three servers.
    connectTimeout: address.kind === 'single' ? withinMs : withinMs / 3,
    commandTimeout: withinMs,
    maxRetriesPerRequest: 0,
    disableClientInfo: true,
  };
  const redis =
    address.kind === 'cluster'
      ? connectClusterOnce(accessTo(address), options)
      : connect(address, {
          ...options,
          lazyConnect: true,
          retryStrategy: () => null,
          sentinelRetryStrategy: () => null,
        });
  let reason = '';
  reportErrors(redis, (error) => {
    reason ||= reasonOf(error);
  });
  return { redis, place: describeRedis(redisUrl), why: (error) => reason || messageOf(error) };
}

type Options = Omit<RedisOptions, 'replyMapping'>;

function connect(address: RedisAddress, options: Options, key = ''): Redis {
  const redis = open(address, options, key);
  const disconnect = redis.disconnect.bind(redis);
  // Each reply from a wrong server ends the connection. If many come at once, each would add a listener and a
  // timer.
  redis.disconnect = (isToReconnect = false) => {
    if (!isToReconnect || redis.stream?.writableEnded !== true) disconnect(isToReconnect);
  };
  return redis;
}

function open(address: RedisAddress, options: Options, key: string): Redis {
  switch (address.kind) {
    case 'single':
      return new Redis(address.url, options);
    case 'sentinel':
      return new Redis({ ...options, ...optionsOfSentinels(address, options) });
    case 'cluster': {
      const access = accessTo(address);
      return new Redis({ ...options, ...access.login, Connector: connectorOf(access, key) });
    }
  }
}

function optionsOfSentinels(address: RedisAddress & { kind: 'sentinel' }, given: Options): Options {
  const { hosts, master, database, sentinelUsername, sentinelPassword } = address;
  return {
    ...loginOf(address),
    sentinels: hosts,
    name: master,
    db: database,
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(address.tls ? { enableTLSForSentinelMode: true } : {}),
    ...(address.sentinelTls ? { sentinelTLS: {} } : {}),
    sentinelRetryStrategy: given.sentinelRetryStrategy ?? retryStrategy,
    // A master that was replaced while it was alive still acts as master for ten seconds and misses the new
    // master's work. The Sentinels announce the new one at once. Two of them are watched, in case one ends.
    Connector: MasterConnector,
    failoverDetector: given.lazyConnect !== true,
    sentinelMaxConnections: 2,
    sentinelReconnectStrategy: () => sentinelAgainMs,
    // A Sentinel that accepts connections but does not answer is skipped.
    sentinelCommandTimeout: sentinelSilentMs,
  };
}

function accessTo(address: RedisAddress & { kind: 'cluster' }): ClusterAccess {
  return { hosts: address.hosts, login: loginOf(address) };
}

function loginOf({ username, password, tls }: Exclude<RedisAddress, { kind: 'single' }>) {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
  };
}

/**
 * Reports errors. If Sentinels do not know the master's name, they return nothing, which ioredis does not
 * treat as an error.
 */
function reportErrors(redis: RedisConnection, onError: (error: Error) => void) {
  redis.on('error', onError);
  redis.on('sentinelError', ({ message }: Error) => {
    if (/invalid reply|No such master/.test(message))
      onError(new PlainError('a Sentinel does not know the master that REDIS_URL names'));
  });
}

/**
 * Whether an error means that this server cannot do the work but another one can, or this one later: it
 * became a replica, lost its replicas, is loading its data, or another node of the cluster has the key. A new
 * connection finds the right server, and is not ready until its data is loaded. In script errors, Redis 6 has
 * the code in the middle of the message.
 */
function isWrongServer(error: Error): boolean {
  return /(^|-)(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|UNBLOCKED|NOREPLICAS|MOVED|ASK|TRYAGAIN)\b/.test(
    error.message,
  );
}
