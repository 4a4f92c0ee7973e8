import { createConnection } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectByTls } from 'node:tls';
import { PlainError } from '@inventory/process/plain-error';
import type { RedisHost } from '@inventory/process/settings/redis-address';
import { AbstractConnector, Redis, type RedisOptions } from 'ioredis';

// If a node does not answer within this time, the next one is asked.
const askWithinMs = 500;
// For a socket that the peer does not close.
const disconnectTimeoutMs = 1000;

/** How to reach the nodes of a Redis Cluster. */
export type ClusterAccess = {
  /** Some of the nodes. */
  hosts: readonly RedisHost[];
  login: Pick<RedisOptions, 'username' | 'password' | 'tls'>;
};

/**
 * Makes a plain ioredis connection lead to the node of a Redis Cluster that has a key; it finds the node anew
 * at each connect. A blocking read needs exactly this node. As a plain connection, it follows the same rules
 * as one to a single Redis (how long it may be silent, which commands are repeated). ioredis' `Cluster` has
 * different rules for each of these, and BullMQ adds more.
 */
export function connectorOf({ hosts, login }: ClusterAccess, key: string) {
  // The last list from a node, shared by the copies that BullMQ makes of the connection.
  let known: readonly RedisHost[] = [];

  return class SlotConnector extends AbstractConnector {
    constructor() {
      super(disconnectTimeoutMs);
    }

    // Fails only when it is told to stop: after a failure, ioredis would not try again.
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
      // In random order: a node that is cut off from the others may not know it.
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

/** Asks a node for the owner of the key and for the other nodes. Fails if its cluster takes no work. */
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
/** The answer of CLUSTER SLOTS. For each range: first slot, last slot, master, replicas. */
type Slots = [number, number, SlotNode, ...SlotNode[]][];

// The name that a node's certificate is for. An address has none.
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
