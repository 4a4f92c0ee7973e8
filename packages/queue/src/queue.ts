import { Queue, type Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { queueName } from './envelope.ts';

// Room for many seconds of answers, so that a process that stalled finds its own still there.
const eventsKept = 100_000;

/**
 * A shard's queue, to put work into; its connection stays the caller's. Every process opens it alike: whoever does so last says
 * how many events are kept.
 */
export function openQueue(options: {
  shard: number;
  prefix: string;
  connection: Redis;
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
  // The library would say so once, at once, and be silent when the connection is not there yet: 10,000 are kept then.
  const keepEvents = () =>
    options.connection.hset(queue.keys.meta!, 'opts.maxLenEvents', eventsKept).catch(() => {});
  options.connection.on('ready', keepEvents);
  if (options.connection.status === 'ready') void keepEvents();
  return queue;
}

/**
 * Has the library tell of the steps of a job (added, waits, is active) in a stream of their own, which nobody reads. In the stream
 * of events the api would be woken for each of them, and it is the completion that it waits for: the worker tells that where it
 * always does, because the library notes the place when it is made. A job that failed by stalling is told as a step too; what
 * became of its requests the api asks Postgres.
 */
export function keepStepsApart(part: Queue | Worker): void {
  part.keys.events = part.toKey('steps');
}
