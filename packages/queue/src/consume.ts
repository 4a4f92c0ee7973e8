import type { Outcome } from '@inventory/domain/stock/outcome';
import type { QueuedRequest } from '@inventory/domain/stock/request';
import { PlainError } from '@inventory/process/plain-error';
import { within } from '@inventory/process/within';
import { Worker } from 'bullmq';
import { isSound } from './check-request.ts';
import { packOutcomes, queueName, workerConnectionName } from './envelope.ts';
import type { EnvelopeKeys } from './envelope-keys.ts';
import { mendUnreadable } from './mend-unreadable.ts';
import { keepStepsApart, openQueue, trimEvents } from './queue.ts';
import { blockMs, connectConsumer, connectProducer } from './redis.ts';
import { createRefusals } from './refusals.ts';
import { restWhenRefused } from './rest.ts';
import { watchService } from './service-watch.ts';
import { openEnvelope, type Place, type SignedAnswer, type SignedEnvelope, signAnswer } from './signature.ts';
import { keepSeen, type WorkerNote } from './workers-seen.ts';

export type ConsumeOptions = {
  redisUrl: string;
  prefix: string;
  shardCount: number;
  /** Stay the caller's. */
  keys: EnvelopeKeys;
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
  /** Told how long the way of an envelope's outcomes into Redis took. */
  onAnswerTaken?: (tookMs: number) => void;
  /** What the worker says of itself where it is seen. */
  note?: () => WorkerNote;
};

export type Consumer = {
  /** Whether Redis gives work now. */
  isOpen(): boolean;
  /**
   * How many jobs were no envelopes of ours, and requests in those that were that no api of ours would send.
   */
  refusedCount(): number;
  /** Takes no more, finishes what it has, closes. */
  close(): Promise<void>;
};

// Longer than any batch; shorter than a process has for its end.
const finishWithinMs = 10_000;
const closeWithinMs = 1000;

/**
 * BullMQ keeps message and stack of what a job throws in Redis, as they are; the cause, which may hold
 * values, stays here.
 */
class EnvelopeError extends PlainError {}

/** The worker's side of the queue: takes envelopes and returns their outcomes as the jobs' results. */
export async function createConsumer(options: ConsumeOptions): Promise<Consumer> {
  const producer = connectProducer(options.redisUrl, (error) => options.report(error, 'canary connection'));
  const refusals = createRefusals('envelopes', options.report);

  /**
   * The requests that an api sent as this job; none when it sent something else, or nothing. Answers nobody
   * then, and is not tried again.
   */
  function openJob(place: Place, data: unknown): QueuedRequest[] | Promise<QueuedRequest[]> {
    // A canary has nothing to be signed.
    if (isCanary(data)) return [];
    const opened = openEnvelope(options.keys, place, data);
    if (opened !== null) return opened;
    return options.keys.refresh().then(() => {
      const reopened = openEnvelope(options.keys, place, data);
      if (reopened === null) refusals.note();
      return reopened ?? [];
    });
  }

  /** A request that no api would send harms only itself: nobody is told what becomes of it. */
  async function applySound(requests: QueuedRequest[], attempt: number): Promise<Outcome[]> {
    const sound = requests.filter(isSound);
    if (sound.length === requests.length) return options.apply(requests, attempt);
    const outcomes = sound.length === 0 ? [] : await options.apply(sound, attempt);
    return requests.map((request) => {
      const at = sound.indexOf(request);
      if (at < 0) refusals.note();
      return outcomes[at] ?? { status: 'pending', result: null };
    });
  }

  const consumers = Array.from({ length: options.shardCount }, (_, shard) => {
    let lastServedAt = performance.now();
    const queueKeys = `${options.prefix}:${queueName(shard)}`;
    const redis = connectConsumer(
      options.redisUrl,
      queueKeys,
      (error) => options.report(error, 'queue connection'),
      workerConnectionName(options.prefix, shard),
    );
    let applying = 0;
    let foundEmpty = false;
    const answeredAt = new WeakMap<object, number>();
    const worker = new Worker<SignedEnvelope, SignedAnswer | null>(
      queueName(shard),
      async ({ id = '', data, attemptsStarted }) => {
        lastServedAt = performance.now();
        const place = { queue: queueKeys, jobId: id };
        const opened = openJob(place, data);
        // Without a turn of the event loop where it need not be: the concurrency below must be set before
        // BullMQ looks for more.
        const requests = Array.isArray(opened) ? opened : await opened;
        // Before the library starts an envelope it looks for as many as it may take: one more turn with
        // Redis, which a request that comes alone need not wait for. As soon as one finds another waiting,
        // all are looked for again.
        const isAlone = foundEmpty && applying === 0 && requests.length <= 1;
        worker.concurrency = isAlone ? 1 : options.concurrency;
        foundEmpty = false;
        if (requests.length === 0) return null;
        applying += 1;
        try {
          const outcomes = await applySound(requests, attemptsStarted);
          const answer = signAnswer(options.keys, place, packOutcomes(outcomes));
          answeredAt.set(answer, performance.now());
          return answer;
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
    worker.on('completed', (_job, answer) => {
      const since = answer === null ? undefined : answeredAt.get(answer);
      if (since !== undefined) options.onAnswerTaken?.(performance.now() - since);
    });
    worker.on('error', (error) => options.report(error, 'queue'));
    worker.on('failed', (_job, error) => options.report(error, 'an envelope'));
    const queue = openQueue({
      shard,
      prefix: options.prefix,
      connection: producer,
      onError: (error) => options.report(error, 'canary'),
    });
    mendUnreadable(worker, queue, producer);
    const stopWatching = watchService({
      queue,
      connection: producer,
      lastServedAt: () => lastServedAt,
      onUnserved: options.onUnserved,
    });
    const stopTrimming = trimEvents(queue, producer);
    // Each worker takes work from all queues, and is seen in the first.
    const keep = () =>
      keepSeen(
        producer,
        queue,
        () => redis.status === 'ready',
        () => options.note?.() ?? null,
      );
    const stopBeing = shard === 0 ? keep() : () => {};
    const stop = () => {
      stopBeing();
      stopWatching();
      stopTrimming();
    };
    return { worker, redis, queue, stop };
  });
  return {
    isOpen: () => producer.status === 'ready',
    refusedCount: () => refusals.count(),
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

function isCanary(data: unknown): boolean {
  const requests = (data as Partial<SignedEnvelope> | null)?.requests;
  return Array.isArray(requests) && requests.length === 0;
}
