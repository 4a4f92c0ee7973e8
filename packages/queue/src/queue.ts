import { Queue, type Worker } from 'bullmq';
import { queueName } from './envelope.ts';
import type { RedisConnection } from './redis-cluster.ts';

// Of what a worker tells nobody by name (answer-streams.ts): an api of an older version that stalls for
// longer than these last asks Postgres for its answers. With answers of the greatest size that travels
// (envelope.ts) they are 64 MB.
const eventsKept = 2000;
// Nobody waits for an answer that is older.
const eventsKeptSeconds = 30;
const tidyEveryMs = 5000;

/** A shard's queue, to put work into; its connection stays the caller's. */
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

// By the clock of the Redis that has the streams, which makes the ids of the events.
const trim = `
local oldest = (redis.call('TIME')[1] - ARGV[1]) * 1000
for each = 1, #KEYS do redis.call('XTRIM', KEYS[each], 'MINID', '~', string.format('%d', oldest)) end
`;

/**
 * Removes old events and says how many are kept, at once and now and then, until the returned function is
 * called. BullMQ trims its streams only when it adds to them. A Redis that is full refuses what adds, so that
 * a stream that filled it would stay for ever; it never refuses XTRIM.
 */
export function trimEvents(queue: Queue, connection: RedisConnection): () => void {
  const tidy = async () => {
    const streams = ['events', 'steps'].map((stream) => queue.toKey(stream));
    await connection.eval(trim, streams.length, ...streams, eventsKeptSeconds);
    // BullMQ would say so once, as the queue is opened, and not where Redis was away, full or lost its data.
    await connection.hset(queue.keys.meta!, 'opts.maxLenEvents', eventsKept);
  };
  // A command that fails is tried again; a connection that is away is told of elsewhere.
  const begin = () => void tidy().catch(() => {});
  const timer = setInterval(begin, tidyEveryMs);
  timer.unref();
  if (connection.status === 'ready') begin();
  return () => clearInterval(timer);
}

/**
 * Has BullMQ tell of the steps of a job (added, waits, is active) in a stream of their own, which nobody
 * reads: an api waits for the completion alone, which is told in a stream of its own (answer-streams.ts), and
 * one of an older version, which reads the stream of events, would be woken for each step. A job that failed
 * by stalling is told as a step too; the api asks Postgres for the outcome of its requests.
 */
export function keepStepsApart(part: Queue | Worker): void {
  part.keys.events = part.toKey('steps');
}
