import type { Outcome } from '@inventory/domain/stock/outcome';
import type { QueuedRequest } from '@inventory/domain/stock/request';
import { PlainError } from '@inventory/process/plain-error';
import { DelayedError, type Job } from 'bullmq';
import { packOutcomes, queueName, workerConnectionName } from './envelope.ts';
import type { EnvelopeKeys } from './envelope-keys.ts';
import { connectProducer } from './redis.ts';
import { createRefusals } from './refusals.ts';
import { drawWorkerId } from './seats.ts';
import { serveShard } from './serve-shard.ts';
import { shareShards } from './share-shards.ts';
import { openEnvelope, type Place, type SignedAnswer, type SignedEnvelope, signAnswer } from './signature.ts';
import { keepSeen, type WorkerNote } from './workers-seen.ts';

export type ConsumeOptions = {
  redisUrl: string;
  prefix: string;
  /** Shards in use at most; as many are as there are workers. */
  shardsMax: number;
  /** Stay the caller's. */
  keys: EnvelopeKeys;
  /** Envelopes under way from each shard, at most. */
  concurrency: number;
  /**
   * The outcome of each request, by its id. Throws only when nothing was applied and trying again may help.
   * `attempt`: 1 when the envelope is taken for the first time; more when it failed before, or its worker was
   * lost with it.
   */
  apply: (requests: QueuedRequest[], attempt: number) => Promise<ReadonlyMap<string, Outcome>>;
  /** Work waits in the queue and none comes: the process had better be started anew. */
  onUnserved: () => void;
  report: (error: Error, what: string) => void;
  /** Whether this worker can do its work now; one that cannot leaves it to others. Always, unless told. */
  isAble?: () => boolean;
  /** Told how long the way of an envelope's outcomes into Redis took. */
  onAnswerTaken?: (tookMs: number) => void;
  /** What the worker says of itself where it is seen. */
  note?: () => WorkerNote;
};

export type Consumer = {
  /** Whether Redis gives work now. */
  isOpen(): boolean;
  /** How many jobs were no envelopes of ours. */
  refusedCount(): number;
  /** From how many shards it takes work. */
  shardCount(): number;
  /** Takes no more, finishes what it has, closes. */
  close(): Promise<void>;
};

/** The requests of a job; `later`: an api of a later version sent what this one does not know. */
type Opened = QueuedRequest[] | 'later';

const laterText = 'left to others: an api of a later version sent what this worker does not know';
// What is left comes back after so long, to whichever worker asks first; until an api has told its callers
// and taken it out. One whose api has ended is dropped after so many times, when nobody waits any more.
const leftForMs = 50;
const leftTimesMax = 200;

/** Leaves an envelope in the queue, for a worker that knows its version; false: it was left often enough. */
async function leaveToOthers(job: Job, token: string | undefined): Promise<boolean> {
  if (job.attemptsStarted > leftTimesMax) return false;
  await job.moveToDelayed(Date.now() + leftForMs, token);
  return true;
}

/**
 * BullMQ keeps message and stack of what a job throws in Redis, as they are; the cause, which may hold
 * values, stays here.
 */
class EnvelopeError extends PlainError {}

/** The worker's side of the queue: takes envelopes and returns their outcomes as the jobs' results. */
export async function createConsumer(options: ConsumeOptions): Promise<Consumer> {
  const workerId = drawWorkerId();
  const producer = connectProducer(
    options.redisUrl,
    (error) => options.report(error, 'canary connection'),
    workerConnectionName(options.prefix, null, workerId),
  );
  const refusals = createRefusals('envelopes', options.report);
  const later = createRefusals('envelopes', options.report, laterText);
  const answeredAt = new WeakMap<SignedAnswer, number>();

  /**
   * The requests that an api sent as this job; none when it sent something else, or nothing. Answers nobody
   * then, and is not tried again. `later`: an api of a later version sent it.
   */
  function openJob(place: Place, data: unknown): Opened | Promise<Opened> {
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

  async function work(
    place: Place,
    job: Job<SignedEnvelope>,
    token: string | undefined,
  ): Promise<SignedAnswer | null> {
    const requests = await openJob(place, job.data);
    if (requests === 'later') {
      later.note();
      if (await leaveToOthers(job, token)) throw new DelayedError();
      return null;
    }
    if (requests.length === 0) return null;
    try {
      // Those that leave it to others do not count.
      const attempt = 1 + job.attemptsMade + job.stalledCounter;
      const outcomes = await options.apply(requests, attempt);
      const answer = signAnswer(options.keys, place, packOutcomes(requests, outcomes));
      answeredAt.set(answer, performance.now());
      return answer;
    } catch (error) {
      throw new EnvelopeError('an envelope was not applied', { cause: error });
    }
  }

  const { redisUrl, prefix, shardsMax, concurrency, onUnserved, report } = options;
  const share = shareShards({
    producer,
    prefix,
    workerId,
    shardsMax,
    isAble: options.isAble ?? (() => true),
    serve: (shard) =>
      serveShard({
        ...{ redisUrl, prefix, shard, workerId, producer, concurrency, work, onUnserved, report },
        onAnswerTaken(answer) {
          const since = answeredAt.get(answer);
          if (since !== undefined) options.onAnswerTaken?.(performance.now() - since);
        },
      }),
    report,
  });
  // Whichever shards they take work from, all workers are seen in the first.
  const stopBeing = keepSeen(
    producer,
    { key: `${prefix}:${queueName(0)}:workers`, id: workerId },
    () => share.isOpen(),
    () => options.note?.() ?? null,
  );
  return {
    isOpen: () => producer.status === 'ready',
    refusedCount: () => refusals.count(),
    shardCount: () => share.count(),
    async close() {
      stopBeing();
      await share.close();
      producer.disconnect();
    },
  };
}

function isCanary(data: unknown): boolean {
  const requests = (data as Partial<SignedEnvelope> | null)?.requests;
  return Array.isArray(requests) && requests.length === 0;
}
