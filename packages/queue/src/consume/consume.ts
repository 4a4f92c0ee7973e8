import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { PlainError } from '@inventory/process/plain-error';
import type { UnwritableReason } from '@inventory/process/unwritable';
import { connectProducer } from '@inventory/redis/redis';
import { DelayedError, type Job } from 'bullmq';
import { packOutcomes, queueName, workerConnectionName } from '../envelope.ts';
import type { EnvelopeKeys } from '../envelope-keys.ts';
import { createRefusals } from '../refusals.ts';
import { drawWorkerId } from '../seats.ts';
import { type Place, type SignedAnswer, type SignedEnvelope, signAnswer } from '../signature.ts';
import { tellUnwritable, unwritableKeyOf } from '../unwritable.ts';
import { keepSeen, type WorkerNote } from '../workers-seen.ts';
import { JobOpener } from './open-jobs.ts';
import { serveShard } from './serve-shard.ts';
import { shareShards } from './share-shards.ts';

export type ConsumeOptions = {
  redisUrl: string;
  prefix: string;
  /** The most shards in use. There are as many as workers. */
  shardsMax: number;
  /** The most envelopes of a shard under way at once. */
  concurrency: number;
  /** The caller closes them. */
  keys: EnvelopeKeys;
  report: (error: Error, what: string) => void;
};

/** The worker that takes the envelopes. */
export type EnvelopeWorker = {
  /**
   * Returns the outcome of each request by its id. Throws only if nothing was applied and another try may
   * help. `attempt`: 1 for the first delivery; more if it failed before or its worker was lost.
   */
  apply: (requests: QueuedRequest[], attempt: number) => Promise<ReadonlyMap<string, Outcome>>;
  /** Called when work waits in the queue but none arrives: the process should be restarted. */
  onUnserved: () => void;
  /** Whether this worker can work now. If not, it leaves the work to others. Default: always. */
  isAble?: () => boolean;
  /** Called with the time that it took to write an envelope's outcomes to Redis. */
  onAnswerTaken?: (tookMs: number) => void;
  /** The worker's report about itself. */
  note?: () => WorkerNote;
};

export type Consumer = {
  /** Whether Redis delivers work now. */
  isOpen(): boolean;
  /** The number of jobs that were not envelopes of this service. */
  refusedCount(): number;
  /** The number of shards from which it takes work. */
  shardCount(): number;
  /** Tells the apis and `doctor`, for some seconds, that Postgres refuses the work of this worker. */
  tellUnwritable(reason: UnwritableReason): void;
  /** Takes no more work, finishes the current work and closes. */
  close(): Promise<void>;
};

const laterText = 'left to others: an api of a later version sent what this worker does not know';
// An envelope left to others returns after this time and goes to the next worker that asks, until its api has
// answered the callers and removed it. If that api has ended, it is dropped after this many returns.
const leftForMs = 50;
const leftTimesMax = 200;

/**
 * Leaves an envelope in the queue for a worker that knows its version. Returns false if it was left often
 * enough.
 */
async function leaveToOthers(job: Job, token: string | undefined): Promise<boolean> {
  if (job.attemptsStarted > leftTimesMax) return false;
  await job.moveToDelayed(Date.now() + leftForMs, token);
  return true;
}

/**
 * BullMQ stores the message and stack of an error in Redis. The cause, which may contain values, stays here.
 */
class EnvelopeError extends PlainError {}

/** The worker's side of the queue: takes envelopes and returns their outcomes as the jobs' results. */
export async function createConsumer(options: ConsumeOptions, worker: EnvelopeWorker): Promise<Consumer> {
  const { redisUrl, prefix, shardsMax, concurrency, keys, report } = options;
  const workerId = drawWorkerId();
  const producer = connectProducer(
    redisUrl,
    (error) => report(error, 'canary connection'),
    workerConnectionName(prefix, null, workerId),
  );
  const opener = new JobOpener(keys, report);
  const later = createRefusals('envelopes', report, laterText);
  const answeredAt = new WeakMap<SignedAnswer, number>();

  async function work(
    place: Place,
    job: Job<SignedEnvelope>,
    token: string | undefined,
  ): Promise<SignedAnswer | null> {
    const requests = await opener.open(place, job.data);
    if (requests === 'later') {
      later.note();
      if (await leaveToOthers(job, token)) throw new DelayedError();
      return null;
    }
    if (requests.length === 0) return null;
    try {
      // Deliveries on which the envelope was left to others do not count.
      const attempt = 1 + job.attemptsMade + job.stalledCounter;
      const outcomes = await worker.apply(requests, attempt);
      const answer = signAnswer(keys, place, packOutcomes(requests, outcomes));
      answeredAt.set(answer, performance.now());
      return answer;
    } catch (error) {
      throw new EnvelopeError('an envelope was not applied', { cause: error });
    }
  }

  const { onUnserved } = worker;
  const share = shareShards({
    producer,
    prefix,
    workerId,
    shardsMax,
    isAble: worker.isAble ?? (() => true),
    serve: (shard) =>
      serveShard({
        ...{ redisUrl, prefix, shard, workerId, producer, concurrency, work, onUnserved, report },
        onAnswerTaken(answer) {
          const since = answeredAt.get(answer);
          if (since !== undefined) worker.onAnswerTaken?.(performance.now() - since);
        },
      }),
    report,
  });
  // All workers report to the first shard, whichever shards they take work from.
  const stopBeing = keepSeen(
    producer,
    { key: `${prefix}:${queueName(0)}:workers`, id: workerId },
    () => share.isOpen(),
    () => worker.note?.() ?? null,
  );
  return {
    isOpen: () => producer.status === 'ready',
    refusedCount: () => opener.refusedCount(),
    shardCount: () => share.count(),
    tellUnwritable(reason) {
      // It is told again within a second.
      tellUnwritable(producer, unwritableKeyOf(prefix), reason).catch(() => {});
    },
    async close() {
      stopBeing();
      await share.close();
      producer.disconnect();
    },
  };
}
