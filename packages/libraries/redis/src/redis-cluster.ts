import { once } from 'node:events';
import { messageOf } from '@inventory/process/log/describe-error';
import { lookEvery } from '@inventory/process/look-every';
import { PlainError } from '@inventory/process/plain-error';
import { Cluster, type ClusterOptions, type Redis } from 'ioredis';
import type { ClusterAccess } from './slot-connector.ts';

/** A connection to a single Redis, to the master behind Sentinels, or to all masters of a Redis Cluster. */
export type RedisConnection = Redis | Cluster;

/** All masters. */
export function mastersOf(redis: RedisConnection): Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}

/**
 * Resolves when commands can be sent to every master. Fails when a connection fails. ioredis calls a Redis
 * Cluster ready before its nodes are connected.
 */
export async function untilReady(redis: RedisConnection): Promise<void> {
  if (redis.status !== 'ready') await once(redis, 'ready');
  if (!(redis instanceof Cluster)) return;
  // Their connections begin once the cluster is ready (`beat`).
  await Promise.all(redis.nodes('master').map((node) => node.status === 'ready' || once(node, 'ready')));
}

/** The master that has a key. Fails if none is known. */
export async function masterOf(redis: RedisConnection, key: string): Promise<Redis> {
  if (!(redis instanceof Cluster)) return redis;
  const slot = Number(await redis.cluster('KEYSLOT', key));
  const [place] = redis.slots[slot] ?? [];
  const master = redis.nodes('master').find(({ options }) => `${options.host}:${options.port}` === place);
  if (master === undefined) throw new PlainError('the Redis Cluster has no node for a queue');
  return master;
}

// How long a node may take to list the cluster's nodes.
const slotsWithinMs = 1000;
// How often the nodes are listed while none is lost.
const lookForNodesEveryMs = 5000;

/** Options of the connection to each node. */
export type NodeOptions = Omit<NonNullable<ClusterOptions['redisOptions']>, 'replyMapping'>;

/** Creates a connection to all nodes with the caller's own settings, `own`. */
function createCluster(
  { hosts, login }: ClusterAccess,
  redisOptions: NodeOptions,
  own: ClusterOptions,
): Cluster {
  return new Cluster([...hosts], {
    slotsRefreshTimeout: slotsWithinMs,
    ...own,
    // With TLS, a node is addressed by the name in its certificate, not by its address.
    ...(login.tls === undefined
      ? {}
      : { dnsLookup: (name: string, tell: (error: null, address: string) => void) => tell(null, name) }),
    redisOptions: { ...login, ...redisOptions },
  });
}

/**
 * Connects to all masters, for commands that a caller waits for. Like a connection to one server, it fails
 * instead of waiting, and repeats a command only if the node has certainly not executed it. The connections
 * are made before they are needed and pinged every `heartbeatMs`. When one is lost, the cluster is asked for
 * its current masters.
 */
export function connectClusterProducer(
  access: ClusterAccess,
  options: {
    redisOptions: NodeOptions;
    retryStrategy: (attempt: number) => number;
    heartbeatMs: number;
  },
): Cluster {
  const cluster = createCluster(access, options.redisOptions, {
    enableOfflineQueue: false,
    clusterRetryStrategy: options.retryStrategy,
    slotsRefreshInterval: lookForNodesEveryMs,
    // A command whose connection closed may have been executed.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // The key has moved or is moving, so the command was not executed. It is retried for less time than a
    // caller waits.
    retryDelayOnTryAgain: 100,
    maxRedirections: 3,
  });
  let hasLostNode = false;
  cluster.on('-node', () => {
    hasLostNode = true;
  });
  // Only once the cluster is ready: until then, ioredis uses a node connection that it opens itself.
  cluster.on('+node', () => {
    if (cluster.status === 'ready') setImmediate(beat);
  });
  cluster.on('ready', () => setImmediate(beat));
  const stop = lookEvery(options.heartbeatMs, () => {
    if (cluster.status === 'end') stop();
    if (cluster.status !== 'ready') return;
    if (hasLostNode) {
      hasLostNode = false;
      cluster.refreshSlotsCache();
    }
    beat();
  });
  return cluster;

  function beat() {
    for (const node of cluster.nodes('master')) {
      if (node.status === 'ready') node.ping().catch(() => {});
      else if (node.status === 'wait') node.connect().catch(() => {});
    }
  }
}

/** Connections for a few commands. The caller calls `connect` once. */
export function connectClusterOnce(access: ClusterAccess, redisOptions: NodeOptions): Cluster {
  return createCluster(access, redisOptions, {
    lazyConnect: true,
    clusterRetryStrategy: () => null,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
  });
}

/** A cluster's connection error has its reason in the errors of the nodes. */
export function reasonOf(error: Error): string {
  const { lastNodeError } = error as { lastNodeError?: Error | null };
  return messageOf(lastNodeError ?? error);
}
