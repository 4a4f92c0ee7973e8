import { createConnection } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectByTls } from 'node:tls';
import { PlainError } from '@inventory/process/plain-error';
import type { RedisHost } from '@inventory/process/redis-address';
import { AbstractConnector, Redis, type RedisOptions } from 'ioredis';

// For a node that does not answer the next one is asked.
const askWithinMs = 500;
// A socket that its other side does not close.
const disconnectTimeoutMs = 1000;

/** How the nodes of a Redis Cluster are reached. */
export type ClusterAccess = {
  /** Some of the nodes. */
  hosts: readonly RedisHost[];
  login: Pick<RedisOptions, 'username' | 'password' | 'tls'>;
};

/**
 * Has a plain connection of ioredis lead to the node of a Redis Cluster that has a key, found anew each time
 * it connects. What blocks on a queue's keys needs that one node, and what holds for a connection to a single
 * Redis (how long it may be silent, what is sent again) holds for it then: ioredis' `Cluster` has a rule of
 * its own for each of these, and BullMQ another one on top.
 */
export function connectorOf({ hosts, login }: ClusterAccess, key: string) {
  // The last list from a node; shared by the copies that BullMQ makes of the connection.
  let known: readonly RedisHost[] = [];

  return class SlotConnector extends AbstractConnector {
    constructor() {
      super(disconnectTimeoutMs);
    }

    // Never fails but when it is told to stop: ioredis would not try again.
    override async connect(emit: (type: string, error: Error) => void) {
      this.connecting = true;
      for (let attempt = 1; ; attempt++) {
        const owner = await this.findOwner(emit);
        if (!this.connecting) throw new Error('Connection is closed.');
        if (owner !== null) {
          const { tls } = login;
          this.stream =
            tls === undefined
              ? createConnection(owner)
              : connectByTls({ ...owner, ...nameOf(owner), ...tls });
          this.stream.once('error', (error) => {
            this.firstError = error;
          });
          return this.stream;
        }
        await wait(Math.min(50 * attempt, 500));
        if (!this.connecting) throw new Error('Connection is closed.');
      }
    }

    private async findOwner(emit: (type: string, error: Error) => void): Promise<RedisHost | null> {
      let reason: unknown = null;
      // In no order: one that is cut off from the others may not know that it is.
      for (const node of shuffled(uniqueOf([...known, ...hosts]))) {
        if (!this.connecting) return null;
        try {
          const { owner, nodes } = await askOwner(node, login, key);
          known = nodes;
          return owner;
        } catch (error) {
          reason = error;
        }
      }
      emit('error', reason as Error);
      return null;
    }
  };
}

/** Asks a node which one has the key, and which nodes there are. Fails when its cluster takes no work. */
async function askOwner(
  node: RedisHost,
  login: ClusterAccess['login'],
  key: string,
): Promise<{ owner: RedisHost; nodes: RedisHost[] }> {
  const redis = new Redis({
    ...node,
    ...login,
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout: askWithinMs,
    commandTimeout: askWithinMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    disableClientInfo: true,
  });
  let failure: Error | null = null;
  redis.on('error', (error: Error) => {
    failure ??= error;
  });
  try {
    await redis.connect();
    const [info, slot, slots] = await Promise.all([
      redis.cluster('INFO') as Promise<string>,
      redis.cluster('KEYSLOT', key) as Promise<number>,
      redis.cluster('SLOTS') as Promise<unknown> as Promise<Slots>,
    ]);
    if (/^cluster_state:fail/m.test(info)) throw new PlainError('the Redis Cluster is down');
    // A node that does not know its own name leaves it out.
    const placeOf = ([host, port]: SlotNode): RedisHost => ({ host: host || node.host, port });
    const range = slots.find(([first, last]) => first <= slot && slot <= last);
    if (range === undefined) throw new PlainError('the Redis Cluster has no node for a queue');
    return { owner: placeOf(range[2]), nodes: slots.flatMap(([, , ...nodes]) => nodes.map(placeOf)) };
  } catch (error) {
    throw failure ?? error;
  } finally {
    redis.disconnect();
  }
}

type SlotNode = [host: string | null, port: number, ...unknown[]];
/** The answer of CLUSTER SLOTS: for each range its first slot, last slot, master, replicas. */
type Slots = [number, number, SlotNode, ...SlotNode[]][];

// The name that the certificate of a node is for. An address has none.
const nameOf = ({ host }: RedisHost) => (/^[\d.]+$|:/.test(host) ? {} : { servername: host });

function uniqueOf(nodes: readonly RedisHost[]): RedisHost[] {
  return [...new Map(nodes.map((node) => [`${node.host} ${node.port}`, node])).values()];
}

function shuffled<Value>(values: readonly Value[]): Value[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ value }) => value);
}
