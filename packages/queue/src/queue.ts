import { lookEvery } from '@inventory/process/look-every';
import type { RedisConnection } from '@inventory/redis/redis-cluster';
import { Queue } from 'bullmq';
import { queueName } from './envelope.ts';

// BullMQ's own events, among them the ends of canaries, for `doctor`. An api reads the ends of its jobs in a
// stream of its own (answer-streams.ts).
const eventsKept = 2000;
const eventsKeptSeconds = 30;
const tidyEveryMs = 5000;

type QueueOptions = { prefix: string; connection: RedisConnection; onError: (error: Error) => void };

/** A shard's queue, for adding work. The caller closes its connection. */
export function openQueue({ shard, ...options }: QueueOptions & { shard: number }): Queue {
  return openNamedQueue(queueName(shard), options);
}

/** Any queue, for adding work. The caller closes its connection. */
export function openNamedQueue(name: string, { prefix, connection, onError }: QueueOptions): Queue {
  const queue = new Queue(name, {
    ...{ connection, prefix },
    skipVersionCheck: true,
    skipWaitingForReady: true,
    skipMetasUpdate: true,
  });
  queue.on('error', onError);
  return queue;
}

// By the clock of the Redis server that has the stream, because it makes the ids of the events.
const trim = `
local oldest = (redis.call('TIME')[1] - ARGV[1]) * 1000
redis.call('XTRIM', KEYS[1], 'MINID', '~', string.format('%d', oldest))
`;

/**
 * Removes old events and sets how many are kept, now and at intervals. The returned function stops it. BullMQ
 * trims the stream only when it adds to it. A full Redis refuses to add, so a stream that filled it would
 * stay forever; but it never refuses XTRIM.
 */
export function trimEvents(queue: Queue, connection: RedisConnection): () => void {
  const tidy = async () => {
    await connection.eval(trim, 1, queue.toKey('events'), eventsKeptSeconds);
    // BullMQ would set this only once, when the queue is opened, so it would be missing if Redis was away or
    // full, or lost its data.
    await connection.hset(queue.keys.meta!, 'opts.maxLenEvents', eventsKept);
  };
  // A failed command is tried again. A lost connection is reported elsewhere.
  const tryToTidy = () => tidy().catch(() => {});
  if (connection.status === 'ready') void tryToTidy();
  return lookEvery(tidyEveryMs, tryToTidy);
}
