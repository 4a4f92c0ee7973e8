import { PlainError } from '@inventory/process/plain-error';
import { within } from '@inventory/process/within';
import { Worker } from 'bullmq';
import { watchService } from './canary.ts';
import {
  type Envelope,
  type EnvelopeResult,
  type Outcome,
  packOutcomes,
  type QueuedRequest,
  queueName,
} from './envelope.ts';
import { keepStepsApart, openQueue, trimEvents } from './queue.ts';
import { blockMs, connectConsumer, connectProducer } from './redis.ts';
import { restWhenRefused } from './rest.ts';

export type ConsumeOptions = {
  redisUrl: string;
  prefix: string;
  shardCount: number;
  /**
   * Envelopes taken at once from each shard, at most. Few: the loop that fetches fills up before it starts
   * the first.
   */
  concurrency: number;
  /**
   * One outcome per request, in order. Throws only when nothing was applied and trying again may help.
   * `attempt`: 1 when the envelope is taken for the first time; more when it failed before, or its worker was
   * lost with it.
   */
  apply: (requests: QueuedRequest[], attempt: number) => Promise<Outcome[]>;
  /** Work waits in the queue and none comes: the process had better be started anew. */
  onUnserved: () => void;
  report: (error: Error, what: string) => void;
};

export type Consumer = {
  /** Whether Redis gives work now. */
  isOpen(): boolean;
  /** Takes no more, finishes what it has, closes. */
  close(): Promise<void>;
};

// Longer than any batch; shorter than a process has for its end.
const finishWithinMs = 10_000;
const closeWithinMs = 1000;

/** BullMQ keeps message and stack of what a job throws in Redis, as they are; the cause, which may hold values, stays here. */
class EnvelopeError extends PlainError {}

/** The worker's side of the queue: takes envelopes and returns their outcomes as the jobs' results. */
export async function createConsumer(options: ConsumeOptions): Promise<Consumer> {
  const producer = connectProducer(options.redisUrl, (error) => options.report(error, 'canary connection'));
  const consumers = Array.from({ length: options.shardCount }, (_, shard) => {
    let lastServedAt = performance.now();
    const redis = connectConsumer(options.redisUrl, (error) => options.report(error, 'queue connection'));
    let applying = 0;
    let foundEmpty = false;
    const worker = new Worker<Envelope, EnvelopeResult>(
      queueName(shard),
      async ({ data: { requests }, attemptsStarted }) => {
        lastServedAt = performance.now();
        // Before the library starts an envelope it looks for as many as it may take: one more turn with
        // Redis, which a request that comes alone need not wait for. As soon as one finds another waiting,
        // all are looked for again.
        const isAlone = foundEmpty && applying === 0 && requests.length <= 1;
        worker.concurrency = isAlone ? 1 : options.concurrency;
        foundEmpty = false;
        // A canary is empty.
        if (requests.length === 0) return [];
        applying += 1;
        try {
          return packOutcomes(await options.apply(requests, attemptsStarted));
        } catch (error) {
          throw new EnvelopeError('an envelope was not applied', { cause: error });
        } finally {
          applying -= 1;
        }
      },
      {
        connection: redis,
        prefix: options.prefix,
        concurrency: options.concurrency,
        skipVersionCheck: true,
        // A killed worker's envelope is taken up again in about two seconds, while its callers still wait.
        lockDuration: 2000,
        stalledInterval: 1000,
        maxStalledCount: 5,
        drainDelay: blockMs / 1000,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      },
    );
    keepStepsApart(worker);
    restWhenRefused(worker);
    worker.on('drained', () => {
      foundEmpty = true;
    });
    worker.on('error', (error) => options.report(error, 'queue'));
    worker.on('failed', (_job, error) => options.report(error, 'an envelope'));
    const queue = openQueue({
      shard,
      prefix: options.prefix,
      connection: producer,
      onError: (error) => options.report(error, 'canary'),
    });
    const stopWatching = watchService({
      queue,
      connection: producer,
      lastServedAt: () => lastServedAt,
      onUnserved: options.onUnserved,
    });
    const stopTrimming = trimEvents(queue, producer);
    const stop = () => {
      stopWatching();
      stopTrimming();
    };
    return { worker, redis, queue, stop };
  });
  return {
    isOpen: () => producer.status === 'ready',
    async close() {
      for (const { stop } of consumers) stop();
      await Promise.all(
        consumers.map(async ({ worker, queue, redis }) => {
          // Without Redis nothing can be finished, and the library waits for it: another worker takes up what
          // was left.
          if (redis.status === 'ready') await within(finishWithinMs, worker.close()).catch(() => {});
          await within(closeWithinMs, Promise.all([worker.close(true), queue.close()])).catch(() => {});
          redis.disconnect();
        }),
      );
      producer.disconnect();
    },
  };
}
