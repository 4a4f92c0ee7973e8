import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

/** The queue as Redis has it. */
export type QueueSight = {
  /** Workers that were seen within the last seconds. */
  workers: number;
  /** How long ago the last one was seen, milliseconds; null: nobody within the last minute. */
  lastSeenMs: number | null;
  /** Envelopes that no worker has taken yet. */
  backlog: number;
};

const seenEveryMs = 500;
// A worker that is stopped, frozen or cut off says nothing more; one that is busy for a moment still counts.
const seenWithinMs = 3000;
const keptMs = 60_000;

// By the clock of Redis: those of the processes may differ. The lists of BullMQ would tell of a frozen worker for as long as its
// connection stands, and are behind a right that shows every connection there is.
const beat = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
`;

const look = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local newest = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', now - ARGV[2], 'WITHSCORES', 'LIMIT', 0, 1)
local seen = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', now - ARGV[1])
return { #seen, newest[2] and math.max(0, now - newest[2]) or -1 }
`;

/** Has a worker seen while it can take work, until the returned function is called. What fails is tried again. */
export function keepSeen(connection: Redis, queue: Queue, takesWork: () => boolean): () => void {
  const key = queue.toKey('workers');
  const id = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`;
  const tell = () => {
    if (takesWork()) connection.eval(beat, 1, key, id, keptMs).catch(() => {});
  };
  const timer = setInterval(tell, seenEveryMs);
  timer.unref();
  connection.on('ready', tell);
  if (connection.status === 'ready') tell();
  return () => {
    clearInterval(timer);
    connection.off('ready', tell);
    connection.zrem(key, id).catch(() => {});
  };
}

/** Looks at the queues of all shards; fails when Redis does not answer. */
export async function lookAtQueue(connection: Redis, queues: readonly Queue[]): Promise<QueueSight> {
  const [[workers, lastSeenMs], ...waiting] = await Promise.all([
    connection.eval(look, 1, queues[0]!.toKey('workers'), seenWithinMs, keptMs) as Promise<[number, number]>,
    ...queues.map((queue) => connection.llen(queue.toKey('wait'))),
  ]);
  return {
    workers,
    lastSeenMs: lastSeenMs < 0 ? null : lastSeenMs,
    backlog: waiting.reduce((sum, count) => sum + count, 0),
  };
}
