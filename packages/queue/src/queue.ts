import { Queue, type Worker } from 'bullmq';
import { queueName } from './envelope.ts';
import type { RedisConnection } from './redis/redis-cluster.ts';

// For events that name no api (answer-streams.ts). An api of an older version that is frozen for longer than
// these last asks Postgres for its answers. With the largest answers (envelope.ts) they take 64 MB.
const eventsKept = 2000;
// No caller waits for an older answer.
const eventsKeptSeconds = 30;
const tidyEveryMs = 5000;

/** A shard's queue, for adding work. The caller closes its connection. */
export function openQueue(options: {
  shard: number;
  prefix: string;
  connection: RedisConnection;
  onError: (error: Error) => void;
}): Queue {
  const queue = new Queue(queueName(options.shard), {
    connection: options.connection,
    prefix: options.prefix,
    skipVersionCheck: true,
    skipWaitingForReady: true,
    skipMetasUpdate: true,
  });
  keepStepsApart(queue);
  queue.on('error', options.onError);
  return queue;
}

// By the clock of the Redis server that has the streams, because it makes the ids of the events.
const trim = `
local oldest = (redis.call('TIME')[1] - ARGV[1]) * 1000
for each = 1, #KEYS do redis.call('XTRIM', KEYS[each], 'MINID', '~', string.format('%d', oldest)) end
`;

/**
 * Removes old events and sets how many are kept, now and at intervals. The returned function stops it. BullMQ
 * trims its streams only when it adds to them. A full Redis refuses to add, so a stream that filled it would
 * stay forever; but it never refuses XTRIM.
 */
export function trimEvents(queue: Queue, connection: RedisConnection): () => void {
  const tidy = async () => {
    const streams = ['events', 'steps'].map((stream) => queue.toKey(stream));
    await connection.eval(trim, streams.length, ...streams, eventsKeptSeconds);
    // BullMQ would set this only once, when the queue is opened, so it would be missing if Redis was away or
    // full, or lost its data.
    await connection.hset(queue.keys.meta!, 'opts.maxLenEvents', eventsKept);
  };
  // A failed command is tried again. A lost connection is reported elsewhere.
  const begin = () => void tidy().catch(() => {});
  const timer = setInterval(begin, tidyEveryMs);
  timer.unref();
  if (connection.status === 'ready') begin();
  return () => clearInterval(timer);
}

/**
 * Makes BullMQ write the steps of a job (added, waiting, active) to a stream of their own that nothing reads.
 * An api only needs the end of a job, which has its own stream (answer-streams.ts). An api of an older
 * version reads the stream of events and would be woken for each step. A job that failed by stalling is
 * reported as a step, too; the api then asks Postgres for the outcomes.
 */
export function keepStepsApart(part: Queue | Worker): void {
  part.keys.events = part.toKey('steps');
}
