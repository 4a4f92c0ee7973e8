import { once } from 'node:events';
import { messageOf } from '@inventory/process/describe-error';
import { PlainError } from '@inventory/process/plain-error';
import { Cluster, type ClusterOptions, type Redis } from 'ioredis';
import type { ClusterAccess } from './slot-connector.ts';

/** A connection to a single Redis, one that Sentinels lead, or all masters of a Redis Cluster. */
export type RedisConnection = Redis | Cluster;

/** Every master, where there are several. */
export function mastersOf(redis: RedisConnection): Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}

/**
 * Resolves when commands can be sent to every master; fails when a connection does. A Redis Cluster calls
 * itself ready before the connections to its nodes stand.
 */
export async function untilReady(redis: RedisConnection): Promise<void> {
  if (redis.status !== 'ready') await once(redis, 'ready');
  if (!(redis instanceof Cluster)) return;
  // Their connections are begun when it is ready (`beat`).
  await Promise.all(redis.nodes('master').map((node) => node.status === 'ready' || once(node, 'ready')));
}

/** The master that has a key; fails when none is known. */
export async function masterOf(redis: RedisConnection, key: string): Promise<Redis> {
  if (!(redis instanceof Cluster)) return redis;
  const slot = Number(await redis.cluster('KEYSLOT', key));
  const [place] = redis.slots[slot] ?? [];
  const master = redis.nodes('master').find(({ options }) => `${options.host}:${options.port}` === place);
  if (master === undefined) throw new PlainError('the Redis Cluster has no node for a queue');
  return master;
}

// The longest wait for a node to list the nodes.
const slotsWithinMs = 1000;
// How often nodes are looked for without a cause; the loss of a node is a cause.
const lookForNodesEveryMs = 5000;

/** Options of the connection to each node. */
export type NodeOptions = Omit<NonNullable<ClusterOptions['redisOptions']>, 'replyMapping'>;

/** How to reach all nodes; `own` says how it differs. */
function createCluster(
  { hosts, login }: ClusterAccess,
  redisOptions: NodeOptions,
  own: ClusterOptions,
): Cluster {
  return new Cluster([...hosts], {
    slotsRefreshTimeout: slotsWithinMs,
    ...own,
    // By TLS a node goes by its name, which its certificate is for, not by the address behind it.
    ...(login.tls === undefined
      ? {}
      : { dnsLookup: (name: string, tell: (error: null, address: string) => void) => tell(null, name) }),
    redisOptions: { ...login, ...redisOptions },
  });
}

/**
 * Connections to all masters for commands that somebody waits for. Like a single one it fails instead of
 * waiting, and sends nothing a second time but what a node has surely not carried out. The connections stand
 * before they are needed, each is asked every `heartbeatMs`, and one that went has the cluster asked who its
 * masters are now.
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
    // A command whose connection closed may have been carried out.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // Moved, or moving: not carried out. Followed for less than a caller waits.
    retryDelayOnTryAgain: 100,
    maxRedirections: 3,
  });
  let hasLostNode = false;
  cluster.on('-node', () => {
    hasLostNode = true;
  });
  // Not before the cluster is ready: until then ioredis asks by a node that it connects itself.
  cluster.on('+node', () => {
    if (cluster.status === 'ready') setImmediate(beat);
  });
  cluster.on('ready', () => setImmediate(beat));
  const heartbeat = setInterval(() => {
    if (cluster.status === 'end') return clearInterval(heartbeat);
    if (cluster.status !== 'ready') return;
    if (hasLostNode) {
      hasLostNode = false;
      cluster.refreshSlotsCache();
    }
    beat();
  }, options.heartbeatMs);
  heartbeat.unref();
  return cluster;

  function beat() {
    for (const node of cluster.nodes('master')) {
      if (node.status === 'ready') node.ping().catch(() => {});
      else if (node.status === 'wait') node.connect().catch(() => {});
    }
  }
}

/** Connections for a command or two, to be made by `connect`, once. */
export function connectClusterOnce(access: ClusterAccess, redisOptions: NodeOptions): Cluster {
  return createCluster(access, redisOptions, {
    lazyConnect: true,
    clusterRetryStrategy: () => null,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
  });
}

/** The reason why a cluster cannot be reached is that of its nodes. */
export function reasonOf(error: Error): string {
  const { lastNodeError } = error as { lastNodeError?: Error | null };
  return messageOf(lastNodeError ?? error);
}
