import { itemIdOf } from '@inventory/domain/kinds/kinds';
import { operationsOf, type QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { lookEvery } from '@inventory/process/look-every';
import { jobIdOf, type Told } from '../answer-streams.ts';
import type { EnvelopeResult } from '../envelope.ts';
import type { EnvelopeKeys } from '../envelope-keys.ts';
import { connectProducer } from '../redis/redis.ts';
import { createRefusals } from '../refusals.ts';
import { openAnswer, signEnvelope } from '../signature.ts';
import { lookAtQueue, type QueueSight } from '../workers-seen.ts';
import { isBusy, maySend, noteAnswered, notePace, type SentEnvelope, takeEnvelope } from './lane.ts';
import { type Line, openLines } from './lines.ts';
import { type AnswerCounts, createWaiters, type SubmitResult, type Waiter } from './waiters.ts';

export type { QueueSight, SeenWorker } from '../workers-seen.ts';
export { type SubmitResult, waitLimits } from './waiters.ts';

const sweepEveryMs = 25;
const jobOptions = {
  removeOnComplete: true,
  removeOnFail: true,
  // Only for infrastructure errors. A refusal is a value.
  attempts: 3,
  backoff: { type: 'fixed', delay: 200 },
};

export type SubmitOptions = {
  redisUrl: string;
  prefix: string;
  /** The caller closes them. */
  keys: EnvelopeKeys;
  /** The most requests in one envelope. */
  envelopeMax: number;
  /** The most envelopes of a shard under way at once; see `Limits` in lane.ts. */
  inFlightMax: number;
  /** Reads the outcomes of decided requests, by request id. Undecided ones are missing. */
  readOutcomes: (requests: QueuedRequest[]) => Promise<Map<string, Outcome>>;
  /** Settles all requests: an undecided one is never applied from now on. By request id. */
  settle: (requests: QueuedRequest[]) => Promise<Map<string, Outcome>>;
  report: (error: Error, what: string) => void;
  /** See `WaitersOptions`. */
  refusedEarly?: () => void;
  /** Called for each envelope. */
  observer?: EnvelopeObserver;
};

/** Called for each envelope. Must return at once. */
export type EnvelopeObserver = {
  sent(requestCount: number): void;
  /** Redis did not take the envelope, or not in time. */
  sendFailed(error: unknown): void;
  /** All its requests are answered, this long after it was sent. */
  answered(tookMs: number): void;
};

export type Submitter = {
  /**
   * Sends requests with unique ids and waits for their answers: one request, or at most `togetherMax` of one
   * item, which travel in one envelope and so are decided in order. Never throws, and never waits longer than
   * `waitLimits` says, counted from `arrivedAt` (of `performance.now()`), because the caller has waited since
   * then.
   */
  submit(requests: readonly QueuedRequest[], arrivedAt: number): Promise<SubmitResult>[];
  togetherMax: number;
  /** Whether `submit` would take this request now instead of answering `busy` at once. */
  admits(request: QueuedRequest, arrivedAt: number): boolean;
  /** Whether Redis takes work now. */
  isOpen(): boolean;
  /** The number of waiting and sent requests. */
  waitingCount(): number;
  /** How long the oldest of them has waited, in milliseconds; 0 if there is none. */
  oldestWaitMs(): number;
  /** How answers have come since the start. */
  answerCounts: AnswerCounts;
  /** The state of the queue and its workers in Redis. Fails if Redis does not answer. */
  look(): Promise<QueueSight>;
  /** The number of shards in use, as far as this process knows. */
  shardCount(): number;
  /** The number of answers that no worker signed, or not for that job. */
  refusedCount(): number;
  /** Waits for the answers still due, then closes the connections. */
  close(): Promise<void>;
};

/**
 * The api's side of the queue. The life of a request, from the moment it came:
 *
 *     arrives → [over 700 ms expected: busy] → gathers → sent → 250 ms look → 1000 ms unsent: busy
 *       → 2500 ms verdict → 3100 ms unknown
 *
 * - *busy*: it would probably be answered too late (lane.ts), or was not sent in time. It is never applied.
 * - *gathers*: requests that arrive in one turn of the event loop, or while many are under way, travel as one
 *   envelope. This needs no timer, so a few callers never wait for more to come.
 * - *sent*: its answer comes when the job is completed. If it does not come, Postgres decides (waiters.ts).
 * - *look*: Postgres is asked repeatedly whether the request is decided, because the completion may be lost.
 * - *verdict*: a request that is undecided by now will never be applied. A request is answered "not applied"
 *   only once it can never be applied.
 * - *unknown*: Postgres could not be asked.
 */
export async function createSubmitter(options: SubmitOptions): Promise<Submitter> {
  const { redisUrl, prefix, report } = options;
  const producer = connectProducer(redisUrl, (error) => report(error, 'queue connection'));
  const waiters = createWaiters({ ...options, onAnswered }, performance.now());
  let jobCount = 0;
  const refusals = createRefusals('answers', report);
  const doubted = new WeakSet<SentEnvelope>();
  const site = options.keys.site();
  const lines = await openLines({ redisUrl, prefix, site, producer, toldOf, report });
  const stopClock = lookEvery(sweepEveryMs, () => {
    waiters.sweep(performance.now());
    for (const line of lines.all()) schedule(line);
  });

  function toldOf({ lane, queue }: Line): Told {
    return {
      completed(jobId, answer) {
        const envelope = lane.sent.get(jobId);
        if (envelope === undefined) return;
        const results = openAnswer(options.keys, { queue: queue.qualifiedName, jobId }, answer);
        if (results === null) return doubt(envelope);
        envelope.isDone = true;
        waiters.complete(envelope, results);
      },
      failed(jobId) {
        const envelope = lane.sent.get(jobId);
        if (envelope !== undefined) void waiters.settle(envelope);
      },
    };
  }

  /**
   * The completion was not signed by a worker. Postgres knows the outcomes, so it is asked at once, but only
   * once.
   */
  function doubt(envelope: SentEnvelope) {
    refusals.note();
    if (doubted.has(envelope)) return;
    doubted.add(envelope);
    const unknown: EnvelopeResult = envelope.requestIds.map(() => ['stored', null]);
    waiters.complete(envelope, unknown);
  }

  function onAnswered(waiter: Waiter, now: number) {
    // The waiter's own line: the number of shards may have changed.
    const line = lines.at(waiter.line);
    const { envelope } = waiter;
    if (envelope === null) {
      const place = line.lane.waiting.indexOf(waiter);
      if (place >= 0) line.lane.waiting.splice(place, 1);
      return;
    }
    envelope.unanswered -= 1;
    if (envelope.unanswered > 0) return;
    noteAnswered(line.lane, envelope, now);
    options.observer?.answered(now - envelope.sentAt);
    // Without a worker, the job would stay in the queue for ever. It is no longer needed, and the memory of
    // Redis is limited.
    if (!envelope.isDone) line.queue.remove(envelope.jobId).catch(() => {});
    schedule(line);
  }

  function schedule(line: Line) {
    const { lane } = line;
    if (line.isScheduled || lane.waiting.length === 0) return;
    line.isScheduled = true;
    setImmediate(() => {
      line.isScheduled = false;
      const before = lane.waiting.length;
      while (maySend(lane, options, performance.now())) {
        void send(line, takeEnvelope(lane, options.envelopeMax));
      }
      const sentCount = before - lane.waiting.length;
      if (sentCount > 0) notePace(lane, sentCount, performance.now());
    });
  }

  async function send({ lane, queue }: Line, batch: Waiter[]) {
    const requests = batch.map((waiter) => waiter.request);
    const envelope: SentEnvelope = {
      // A job id of our own: if the reply to `add` is lost, a repeat must not make a second job.
      jobId: jobIdOf(lines.reader, ++jobCount),
      requestIds: requests.map((request) => request.requestId),
      unanswered: batch.length,
      sentAt: performance.now(),
      isDone: false,
    };
    lane.sent.set(envelope.jobId, envelope);
    for (const waiter of batch) waiter.envelope = envelope;
    lane.addsUnderWay.add(envelope.sentAt);
    options.observer?.sent(batch.length);
    try {
      const { jobId } = envelope;
      const signed = signEnvelope(options.keys, { queue: queue.qualifiedName, jobId }, requests);
      await queue.add('envelope', signed, { jobId, ...jobOptions });
    } catch (error) {
      options.observer?.sendFailed(error);
      report(error as Error, 'sending an envelope');
      // The envelope may still be in the queue.
      await waiters.settle(envelope);
    } finally {
      lane.addsUnderWay.delete(envelope.sentAt);
    }
  }

  function lineOf(request: QueuedRequest): Line {
    return lines.of(firstItemOf(request));
  }

  function admits(request: QueuedRequest, arrivedAt: number): boolean {
    if (producer.status !== 'ready') return false;
    return !isBusy(lineOf(request).lane, options, arrivedAt, performance.now());
  }

  function submit(requests: readonly QueuedRequest[], arrivedAt: number): Promise<SubmitResult>[] {
    const [first] = requests;
    if (first === undefined || !admits(first, arrivedAt)) {
      return requests.map(() => Promise.resolve({ status: 'busy', result: null }));
    }
    const line = lineOf(first);
    const together = requests.length > 1 ? {} : null;
    const added = requests.map((request) => waiters.add(request, arrivedAt, line.index, together));
    line.lane.waiting.push(...added);
    schedule(line);
    return added.map((waiter) => waiter.promise);
  }

  return {
    submit,
    togetherMax: options.envelopeMax,
    admits,
    isOpen: () => producer.status === 'ready',
    waitingCount: () => waiters.count(),
    oldestWaitMs() {
      const since = waiters.oldestSince();
      return since === null ? 0 : performance.now() - since;
    },
    answerCounts: waiters.answerCounts,
    look: () => lookAtQueue(producer, lines.queues()),
    shardCount: () => lines.count(),
    refusedCount: () => refusals.count(),
    async close() {
      await waiters.end();
      stopClock();
      await lines.close();
      producer.disconnect();
    },
  };
}

/**
 * The item that selects the shard. Of several the first: the gates in Postgres do not depend on shards
 * (0017).
 */
function firstItemOf(request: QueuedRequest): string {
  const [first] = operationsOf(request);
  return first === undefined ? '' : itemIdOf(first);
}
