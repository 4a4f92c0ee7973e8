import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '@inventory/process/log/describe-error';
import { mastersOf, type RedisConnection } from '@inventory/redis/redis-cluster';
import { answersKey, type Reader, readerNamedIn } from './answer-streams.ts';
import { queueName } from './envelope.ts';
import { readSeating, type Seating } from './seats.ts';

// Reads the state of Redis for `doctor` and `status`. It only reads and adds no job, so the operator needs no
// right to write. It can still see that workers take work, because an idle worker sends an empty envelope
// through the queue every few seconds (service-watch.ts).

/** A server's own figures; null if hidden, as in some managed services. `maxBytes` 0: no limit. */
export type RedisHealth = {
  /** The server's address if there are several; null if there is one. */
  place: string | null;
  version: string | null;
  policy: string | null;
  usedBytes: number | null;
  maxBytes: number | null;
  machineBytes: number | null;
  role: string | null;
  /** Replicas that count for `min-replicas-to-write`; null: it asks for none. */
  goodReplicas: number | null;
};

/** Reads INFO of Redis, or of each master of a Redis Cluster. */
export async function readRedis(redis: RedisConnection): Promise<RedisHealth[]> {
  return askMasters(redis, async (master, place) => {
    const info = await master.info();
    const read = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] || null;
    const count = (name: string) => {
      const text = read(name);
      return text === null ? null : Number(text);
    };
    return {
      place,
      version: read('valkey_version') ?? read('redis_version'),
      policy: read('maxmemory_policy'),
      usedBytes: count('used_memory'),
      maxBytes: count('maxmemory'),
      machineBytes: count('total_system_memory'),
      role: read('role'),
      goodReplicas: count('min_slaves_good_slaves'),
    };
  });
}

/**
 * How far the clock of Redis, or of each master, is ahead of this process's clock, and the possible error, in
 * milliseconds.
 */
export async function readRedisClocks(
  redis: RedisConnection,
): Promise<{ place: string | null; aheadMs: number; errorMs: number }[]> {
  return askMasters(redis, async (master, place) => {
    const sentAt = performance.now();
    const [seconds, micros] = await master.time();
    const errorMs = (performance.now() - sentAt) / 2;
    const aheadMs = Number(seconds) * 1000 + Number(micros) / 1000 - (Date.now() - errorMs);
    return { place, aheadMs, errorMs };
  });
}

function askMasters<Answer>(
  redis: RedisConnection,
  ask: (master: ReturnType<typeof mastersOf>[number], place: string | null) => Promise<Answer>,
): Promise<Answer[]> {
  const masters = mastersOf(redis);
  return Promise.all(
    masters.map((master) => {
      const { host, port } = master.options;
      return ask(master, redis.isCluster ? `${host}:${port}` : null);
    }),
  );
}

/** A connection on which a process of the service works on a queue. */
export type Part = {
  kind: 'api' | 'worker';
  /** Identifies the process among those of its kind. */
  process: string;
  /**
   * The shard that it serves here; null if the connection serves all shards or only reports that the worker
   * is there.
   */
  shard: number | null;
  /** Its address as Redis sees it. */
  address: string;
  /** Seconds since its last command. A running process sends one every second. */
  idleSeconds: number;
  /** Whether it sent a command while it was watched. */
  asked: boolean;
};

/**
 * A shard's queue: the envelopes that wait or are under way, and whether one was finished while it was
 * watched.
 */
export type ShardHealth = { shard: number; waiting: number; finished: boolean };

export type QueueHealth = {
  parts: Part[];
  /** Why Redis hides its connections, so that `parts` is empty; null if it shows them. */
  hidden: string | null;
  shards: ShardHealth[];
  /** The holder of each shard. */
  seating: Seating;
  /** Whether a master has no replica but must have one to take work. */
  lacksReplicas: boolean;
  watchedMs: number;
};

const lookEveryMs = 250;

/**
 * Watches the processes and queues until each process has sent a command and, with `untilFinished`, each
 * queue has finished an envelope, for at most `watchMs`. Covers the queues in use and those that a worker
 * serves.
 */
export async function watchQueues(
  redis: RedisConnection,
  options: { prefix: string; watchMs: number; untilFinished: boolean },
): Promise<QueueHealth> {
  const { prefix, watchMs, untilFinished } = options;
  // A Redis that does not show itself is not known to lack any.
  const shown = await readRedis(redis).catch(() => []);
  const lacksReplicas = shown.some(({ goodReplicas }) => goodReplicas === 0);
  const startedAt = performance.now();
  const asked = new Set<string>();
  const firstEvents = new Map<number, string>();
  const finished = new Set<number>();
  for (;;) {
    const watchedMs = performance.now() - startedAt;
    const { hidden, found } = await findParts(redis, prefix);
    // Redis cuts off fractions: a value of 1 may mean nearly two seconds of silence.
    for (const { id, idleSeconds } of found) if ((idleSeconds + 1) * 1000 <= watchedMs) asked.add(id);
    const parts = found.map(({ id, reader: _, ...part }) => ({ ...part, asked: asked.has(id) }));
    const seating = await readSeating(redis, prefix);
    const inUse = seating.shards.filter((shard) => shard.isInUse).map(({ shard }) => shard);
    const numbers = new Set([
      0,
      ...inUse,
      ...parts.flatMap(({ shard, asked }) => (asked ? (shard ?? []) : [])),
    ]);
    const readers = found.flatMap(({ reader }) => reader ?? []);
    const shards: ShardHealth[] = [];
    for (const shard of [...numbers].sort((a, b) => a - b)) {
      const key = `${prefix}:${queueName(shard)}`;
      const last = await lastFinishedIn(redis, key, readers);
      if (!firstEvents.has(shard)) firstEvents.set(shard, last);
      if (last !== firstEvents.get(shard)) finished.add(shard);
      const waiting = (await redis.llen(`${key}:wait`)) + (await redis.zcard(`${key}:prioritized`));
      shards.push({ shard, waiting, finished: finished.has(shard) });
    }
    const isServed = (shard: number) =>
      parts.some((part) => part.kind === 'worker' && part.shard === shard && part.asked);
    const areFinished = !untilFinished || shards.every(({ shard }) => finished.has(shard));
    const areAsked = parts.every((part) => part.asked) && shards.every(({ shard }) => isServed(shard));
    const areAllWell = areFinished && (hidden !== null || areAsked);
    // Nothing will happen in a queue without a worker and without a waiting envelope.
    const isHopeless = hidden === null && parts.length === 0 && watchedMs > 1000;
    if (areAllWell || isHopeless || watchedMs > watchMs)
      return { parts, hidden, shards, seating, lacksReplicas, watchedMs };
    await wait(lookEveryMs);
  }
}

/**
 * The id of the last event about a completed job of a queue, in the shared stream (an idle worker's canaries)
 * and the streams of each api; '' if there is none.
 */
async function lastFinishedIn(
  redis: RedisConnection,
  key: string,
  readers: readonly Reader[],
): Promise<string> {
  const streams = [`${key}:events`, ...readers.map((reader) => answersKey(key, reader))];
  const last = await Promise.all(
    streams.map(async (stream) => {
      // The next canary's events may follow the last completed one.
      const events = await redis.xrevrange(stream, '+', '-', 'COUNT', 20);
      return events.find(([, fields]) => fields[1] === 'completed')?.[0] ?? '';
    }),
  );
  // Which one is the newest does not matter: any difference means that a job has ended.
  return last.join(' ').trim();
}

type Connection = Omit<Part, 'asked'> & { id: string; reader: Reader | null };

/** Finds the connections of the processes. A process is connected to the master that has its queue. */
async function findParts(redis: RedisConnection, prefix: string) {
  try {
    const lists = await askMasters(redis, async (master, place) => {
      const found = parseClients(String(await master.client('LIST')), prefix);
      return found.map((part) => ({ ...part, id: `${place} ${part.id}` }));
    });
    return { hidden: null, found: lists.flat() };
  } catch (error) {
    // A lost connection is not a refusal.
    if ((error as Error).name !== 'ReplyError') throw error;
    return { hidden: messageOf(error), found: [] };
  }
}

/**
 * Finds the connections of the service by their names: the prefix, then the queue in base64 with `main` for a
 * worker's connection, which is used every second, or the connection on which an api reads its answers.
 */
function parseClients(list: string, prefix: string): Connection[] {
  return list.split('\n').flatMap((line): Connection[] => {
    const fields = Object.fromEntries(
      line
        .trim()
        .split(' ')
        .map((field) => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)]),
    );
    const { name = '', id = '', addr: address = '', idle } = fields;
    const of = { id, address, idleSeconds: Number(idle) };
    const reader = readerNamedIn(name, prefix);
    if (reader !== null) return [{ ...of, kind: 'api', process: reader, shard: null, reader }];
    if (!name.startsWith(`${prefix}:`)) return [];
    const [encoded = '', suffix, ...worker] = name.slice(prefix.length + 1).split(':');
    const queue = Buffer.from(encoded, 'base64').toString('utf8');
    const shard = /^\{stock-(\d{1,4})\}$/.exec(queue)?.[1];
    if (suffix !== 'main' || (encoded !== '' && shard === undefined)) return [];
    const process = worker.join(':');
    return [
      { ...of, kind: 'worker', process, shard: shard === undefined ? null : Number(shard), reader: null },
    ];
  });
}
