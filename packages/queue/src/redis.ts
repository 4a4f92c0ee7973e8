import { messageOf } from '@inventory/process/describe-error';
import { PlainError } from '@inventory/process/plain-error';
import { describeRedis, parseRedisAddress, type RedisAddress } from '@inventory/process/redis-address';
import { Redis, type RedisOptions } from 'ioredis';
import {
  connectClusterOnce,
  connectClusterProducer,
  type RedisConnection,
  reasonOf,
} from './redis-cluster.ts';
import { MasterConnector } from './sentinel-connector.ts';
import { type ClusterAccess, connectorOf } from './slot-connector.ts';

// REDIS_URL becomes a connection here and nowhere else: to one server, to the one that Sentinels call the
// master, or to a Redis Cluster (0020). Everybody else uses it the same.

// Back within half a second after an outage, however long it lasted.
const retryStrategy = (attempt: number) => Math.min(50 * attempt, 500);
const shared = {
  retryStrategy,
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
// A Sentinel answers from memory.
const sentinelSilentMs = 500;
// One that ended is asked to tell of failovers again.
const sentinelAgainMs = 10_000;
// On a connection without work an answer is made due now and then.
const heartbeatMs = 1000;

/**
 * A connection for commands that somebody waits for. It fails instead of waiting: a command kept for later,
 * or sent a second time after a reconnect, would put work into the queue after its caller was told that it
 * was not. `name`: as Redis lists it.
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
  const heartbeat = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => {});
    else if (redis.status === 'end') clearInterval(heartbeat);
  }, heartbeatMs);
  heartbeat.unref();
  return redis;
}

/**
 * A connection that blocks until there is something to read, `blockMs` at most; it waits through an outage.
 * `key`: what is read; in a Redis Cluster the connection is to the node that has it, and knows no other key
 * than those with the same part in braces. `name`: as Redis lists it.
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
      // 2: and send the command again.
      reconnectOnError: (error: Error) => (isWrongServer(error) ? 2 : false),
    },
    key,
  );
  reportErrors(redis, onError);
  return redis;
}

/** Connections that block, for several keys. */
export type Consumers = {
  /** The connection for a key. */
  of(key: string): Redis;
  disconnect(): void;
};

/**
 * `connectConsumer` for several keys that come one by one: one connection for all of them where one server
 * has them all; in a Redis Cluster, where each node answers for its own keys alone, one for each.
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

/** A connection for a command or two of an operator. */
export type OneConnection = {
  /** To be connected by whoever uses it, and disconnected when it is not needed any more. */
  redis: RedisConnection;
  /** Hosts and ports. */
  place: string;
  /**
   * Why it cannot be used, without the password: its first error, those that follow only say that it is
   * closed.
   */
  why(error: unknown): string;
};

/** A connection that is made once and never again; connecting and each command fail after `withinMs`. */
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
  // Each reply that says that the server is the wrong one ends the connection: when many come at once, each
  // would leave a listener and a timer at it.
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
    // A master that was replaced while it lives goes on as one for ten seconds, and knows nothing of the new
    // one's work: the Sentinels say at once that there is another. Two of them, in case one ends.
    Connector: MasterConnector,
    failoverDetector: given.lazyConnect !== true,
    sentinelMaxConnections: 2,
    sentinelReconnectStrategy: () => sentinelAgainMs,
    // One that takes connections and says nothing is passed over.
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

/** Sentinels that do not know the master's name answer nothing, which is no error to ioredis. */
function reportErrors(redis: RedisConnection, onError: (error: Error) => void) {
  redis.on('error', onError);
  redis.on('sentinelError', ({ message }: Error) => {
    if (/invalid reply|No such master/.test(message))
      onError(new PlainError('a Sentinel knows no master of the name in REDIS_URL'));
  });
}

/**
 * Whether an error says that this server cannot do the work, and another one, or it later, can: after a
 * failover it is a replica, it has lost its replicas, or it loads its data; or another node of a cluster has
 * the key. A new connection leads to the right one, and is not ready before its data is loaded. In a script
 * Redis 6 has the code in the middle of the message.
 */
function isWrongServer(error: Error): boolean {
  return /(^|-)(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|UNBLOCKED|NOREPLICAS|MOVED|ASK|TRYAGAIN)\b/.test(
    error.message,
  );
}
