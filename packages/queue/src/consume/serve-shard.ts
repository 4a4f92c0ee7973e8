import { within } from '@inventory/process/within';
import { connectConsumer } from '@inventory/redis/redis';
import type { RedisConnection } from '@inventory/redis/redis-cluster';
import type { Job, Queue } from 'bullmq';
import { answerReaders } from '../answer-streams.ts';
import { queueName, workerConnectionName } from '../envelope.ts';
import { openQueue, trimEvents } from '../queue.ts';
import type { Place, SignedAnswer, SignedEnvelope } from '../signature.ts';
import { BriefWorker } from './brief-worker.ts';
import { mendUnreadable } from './mend-unreadable.ts';
import { watchService } from './service-watch.ts';

export type ServeOptions = {
  redisUrl: string;
  prefix: string;
  shard: number;
  /** The worker's name, shown in Redis's list of connections. */
  workerId: string;
  /** The connection for commands. The caller closes it. */
  producer: RedisConnection;
  /** The most envelopes taken at once. */
  concurrency: number;
  /** Handles a job. */
  work: (place: Place, job: Job<SignedEnvelope>, token: string | undefined) => Promise<SignedAnswer | null>;
  onUnserved: () => void;
  onAnswerTaken: (answer: SignedAnswer) => void;
  report: (error: Error, what: string) => void;
};

/** A shard from which a worker takes work. */
export type Served = {
  shard: number;
  queue: Queue;
  isOpen(): boolean;
  /** Takes no more work, finishes the current work and closes. */
  close(): Promise<void>;
};

// Longer than any batch, and shorter than a process has to stop.
const finishWithinMs = 10_000;
const closeWithinMs = 1000;

const times = {
  // A killed worker's envelope is taken up again in about two seconds, while its callers still wait.
  lockDuration: 2000,
  stalledInterval: 1000,
};

/** Takes work from a shard until it is closed. */
export function serveShard(options: ServeOptions): Served {
  const { redisUrl, prefix, shard, producer, report } = options;
  let lastServedAt = performance.now();
  const queueKeys = `${prefix}:${queueName(shard)}`;
  const redis = connectConsumer(
    redisUrl,
    queueKeys,
    (error) => report(error, 'queue connection'),
    workerConnectionName(prefix, shard, options.workerId),
  );
  const worker = new BriefWorker<SignedEnvelope, SignedAnswer | null>(
    queueName(shard),
    (job, token) => {
      lastServedAt = performance.now();
      return options.work({ queue: queueKeys, jobId: job.id ?? '' }, job, token);
    },
    { connection: redis, prefix, concurrency: options.concurrency, ...times },
  );
  answerReaders(worker, queueKeys, producer);
  worker.on('completed', (_job, answer) => {
    if (answer !== null) options.onAnswerTaken(answer);
  });
  worker.on('error', (error) => report(error, 'queue'));
  worker.on('failed', (_job, error) => report(error, 'an envelope'));
  const queue = openQueue({
    shard,
    prefix,
    connection: producer,
    onError: (error) => report(error, 'canary'),
  });
  mendUnreadable(worker, queue, producer);
  const stopWatching = watchService({
    queue,
    connection: producer,
    lastServedAt: () => lastServedAt,
    onUnserved: options.onUnserved,
  });
  const stopTrimming = trimEvents(queue, producer);
  return {
    shard,
    queue,
    isOpen: () => redis.status === 'ready',
    async close() {
      stopWatching();
      stopTrimming();
      // Without Redis nothing can be finished, but BullMQ would wait for it. Another worker takes up the
      // rest.
      if (redis.status === 'ready') await within(finishWithinMs, worker.close()).catch(() => {});
      await within(closeWithinMs, Promise.all([worker.close(true), queue.close()])).catch(() => {});
      redis.disconnect();
    },
  };
}
