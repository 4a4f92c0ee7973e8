import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { PlainError } from '@inventory/process/plain-error';
import type { UnwritableReason } from '@inventory/process/unwritable';
import { DelayedError, type Job } from 'bullmq';
import { siteOf } from '../answer-streams.ts';
import { packOutcomes, queueName, workerConnectionName } from '../envelope.ts';
import type { EnvelopeKeys } from '../envelope-keys.ts';
import { connectProducer } from '../redis/redis.ts';
import { createRefusals } from '../refusals.ts';
import { drawWorkerId } from '../seats.ts';
import {
  openEnvelope,
  type Place,
  type SignedAnswer,
  type SignedEnvelope,
  signAnswer,
} from '../signature.ts';
import { tellUnwritable, unwritableKeyOf } from '../unwritable.ts';
import { keepSeen, type WorkerNote } from '../workers-seen.ts';
import { serveShard } from './serve-shard.ts';
import { shareShards } from './share-shards.ts';

export type ConsumeOptions = {
  redisUrl: string;
  prefix: string;
  /** The most shards in use. There are as many as workers. */
  shardsMax: number;
  /** The caller closes them. */
  keys: EnvelopeKeys;
  /** The most envelopes of a shard under way at once. */
  concurrency: number;
  /**
   * Returns the outcome of each request by its id. Throws only if nothing was applied and another try may
   * help. `attempt`: 1 for the first delivery; more if it failed before or its worker was lost.
   */
  apply: (requests: QueuedRequest[], attempt: number) => Promise<ReadonlyMap<string, Outcome>>;
  /** Called when work waits in the queue but none arrives: the process should be restarted. */
  onUnserved: () => void;
  report: (error: Error, what: string) => void;
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

/** The requests of a job. `later`: a later version of the api sent something this version does not know. */
type Opened = QueuedRequest[] | 'later';

const foreignText =
  'refused: an api that uses another database signed them; a copy of this database is on the same Redis';
// An api of version 0.1.0 does not name its database, so its envelopes could be for a copy. They are applied
// while there may be such an api: until none has come for this long.
const unnamedForMs = 3_600_000;
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
export async function createConsumer(options: ConsumeOptions): Promise<Consumer> {
  const workerId = drawWorkerId();
  const producer = connectProducer(
    options.redisUrl,
    (error) => options.report(error, 'canary connection'),
    workerConnectionName(options.prefix, null, workerId),
  );
  const refusals = createRefusals('envelopes', options.report);
  const later = createRefusals('envelopes', options.report, laterText);
  const foreign = createRefusals('envelopes', options.report, foreignText);
  let unnamedAt = performance.now();
  const answeredAt = new WeakMap<SignedAnswer, number>();

  /**
   * Returns the requests of a job. If an api did not sign it for this job, returns none; such a job gets no
   * answer and is not tried again. `later`: a later version of the api sent it.
   */
  function openJob(place: Place, data: unknown): Opened | Promise<Opened> {
    // A canary contains nothing that needs a signature.
    if (isCanary(data)) return [];
    const opened = openEnvelope(options.keys, place, data);
    if (opened !== null && opened !== 'foreign') return openHere(place, opened);
    return options.keys.refresh().then(() => {
      const reopened = openEnvelope(options.keys, place, data);
      if (reopened === null) refusals.note();
      if (reopened === 'foreign') foreign.note();
      return reopened === null || reopened === 'foreign' ? [] : openHere(place, reopened);
    });
  }

  /** Leaves out an envelope that does not name its database, once no api is left that would send one. */
  function openHere({ jobId }: Place, opened: Opened): Opened {
    if (siteOf(jobId) !== null) return opened;
    const now = performance.now();
    if (now - unnamedAt > unnamedForMs) {
      foreign.note();
      return [];
    }
    unnamedAt = now;
    return opened;
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
      // Deliveries on which the envelope was left to others do not count.
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
  // All workers report to the first shard, whichever shards they take work from.
  const stopBeing = keepSeen(
    producer,
    { key: `${prefix}:${queueName(0)}:workers`, id: workerId },
    () => share.isOpen(),
    () => options.note?.() ?? null,
  );
  return {
    isOpen: () => producer.status === 'ready',
    refusedCount: () => refusals.count() + foreign.count(),
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

function isCanary(data: unknown): boolean {
  const requests = (data as Partial<SignedEnvelope> | null)?.requests;
  return Array.isArray(requests) && requests.length === 0;
}
