import { itemIdOf } from '@inventory/domain/kinds/kinds';
import { operationsOf, type QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { lookEvery } from '@inventory/process/look-every';
import { connectProducer } from '@inventory/redis/redis';
import type { RedisConnection } from '@inventory/redis/redis-cluster';
import type { Queue } from 'bullmq';
import { jobIdOf, type Told } from '../answer-streams.ts';
import { type EnvelopeResult, envelopeVersionOf } from '../envelope.ts';
import type { EnvelopeKeys } from '../envelope-keys.ts';
import { createRefusals, type Refusals } from '../refusals.ts';
import { openAnswer, signEnvelope } from '../signature.ts';
import { lookAtQueue, type QueueSight } from '../workers-seen.ts';
import {
  isBusy,
  type Lane,
  maySend,
  noteAnswered,
  noteSent,
  type SentEnvelope,
  takeEnvelope,
} from './lane.ts';
import { type Line, type Lines, laneOf, openLines } from './lines.ts';
import { type AnswerCounts, type SubmitResult, type Waiter, Waiters } from './waiters.ts';

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
export class Submitter {
  /** How answers have come since the start. */
  readonly answerCounts: AnswerCounts;
  readonly togetherMax: number;
  readonly #options: SubmitOptions;
  readonly #producer: RedisConnection;
  readonly #waiters: Waiters;
  readonly #refusals: Refusals;
  readonly #doubted = new WeakSet<SentEnvelope>();
  #lines!: Lines;
  #stopClock!: () => Promise<void>;
  #jobCount = 0;

  private constructor(options: SubmitOptions) {
    const { redisUrl, report } = options;
    this.#options = options;
    this.#producer = connectProducer(redisUrl, (error) => report(error, 'queue connection'));
    const onAnswered = (waiter: Waiter, now: number) => this.#onAnswered(waiter, now);
    this.#waiters = new Waiters({ ...options, onAnswered }, performance.now());
    this.#refusals = createRefusals('answers', report);
    this.answerCounts = this.#waiters.answerCounts;
    this.togetherMax = options.envelopeMax;
  }

  /** Connects to the queue. */
  static async open(options: SubmitOptions): Promise<Submitter> {
    const submitter = new Submitter(options);
    await submitter.#open();
    return submitter;
  }

  async #open() {
    const { redisUrl, prefix, keys, report } = this.#options;
    const producer = this.#producer;
    const toldOf = (line: Line) => this.#toldOf(line);
    this.#lines = await openLines({ redisUrl, prefix, site: keys.site(), producer, toldOf, report });
    this.#stopClock = lookEvery(sweepEveryMs, () => {
      this.#waiters.sweep(performance.now());
      for (const line of this.#lines.all()) this.#schedule(line);
    });
  }

  /**
   * Sends requests with unique ids and waits for their answers: one request, or at most `togetherMax` of one
   * item, which travel in one envelope and so are decided in order. Never throws, and never waits longer than
   * `waitLimits` says, counted from `arrivedAt` (of `performance.now()`), because the caller has waited since
   * then.
   */
  submit(requests: readonly QueuedRequest[], arrivedAt: number): Promise<SubmitResult>[] {
    const [first] = requests;
    if (first === undefined) return [];
    const line = this.#lines.of(firstItemOf(first));
    const version = envelopeVersionOf(requests);
    const lane = laneOf(line, version);
    if (!this.isOpen() || isBusy(lane, this.#options, arrivedAt, performance.now())) {
      return requests.map(() => Promise.resolve({ status: 'busy', result: null }));
    }
    const travels = { line: line.index, version, together: requests.length > 1 ? {} : null };
    const added = requests.map((request) => this.#waiters.add(request, arrivedAt, travels));
    lane.waiting.push(...added);
    this.#schedule(line);
    return added.map((waiter) => waiter.promise);
  }

  #schedule(line: Line) {
    if (line.isScheduled || !isWaitedFor(line)) return;
    line.isScheduled = true;
    setImmediate(() => {
      line.isScheduled = false;
      for (const [version, lane] of line.lanes) {
        const before = lane.waiting.length;
        while (maySend(lane, this.#options, performance.now())) {
          void this.#send(line.queue, { version, lane }, takeEnvelope(lane, this.#options.envelopeMax));
        }
        const sentCount = before - lane.waiting.length;
        if (sentCount > 0) noteSent(lane, sentCount, performance.now());
      }
    });
  }

  async #send(queue: Queue, { version, lane }: { version: number; lane: Lane<Waiter> }, batch: Waiter[]) {
    const { keys, observer, report } = this.#options;
    const requests = batch.map((waiter) => waiter.request);
    const envelope: SentEnvelope = {
      // A job id of our own: if the reply to `add` is lost, a repeat must not make a second job.
      jobId: jobIdOf(this.#lines.reader, ++this.#jobCount),
      requestIds: requests.map((request) => request.requestId),
      unanswered: batch.length,
      sentAt: performance.now(),
      isDone: false,
    };
    lane.sent.set(envelope.jobId, envelope);
    for (const waiter of batch) waiter.envelope = envelope;
    lane.addsUnderWay.add(envelope.sentAt);
    observer?.sent(batch.length);
    try {
      const { jobId } = envelope;
      const signed = signEnvelope(keys, { queue: queue.qualifiedName, jobId }, requests, version);
      await queue.add('envelope', signed, { jobId, ...jobOptions });
    } catch (error) {
      observer?.sendFailed(error);
      report(error as Error, 'sending an envelope');
      // The envelope may still be in the queue.
      await this.#waiters.settle(envelope);
    } finally {
      lane.addsUnderWay.delete(envelope.sentAt);
    }
  }

  #toldOf({ lanes, queue }: Line): Told {
    const find = (jobId: string) => {
      for (const { sent } of lanes.values()) if (sent.has(jobId)) return sent.get(jobId);
      return undefined;
    };
    return {
      completed: (jobId, answer) => {
        const envelope = find(jobId);
        if (envelope === undefined) return;
        const results = openAnswer(this.#options.keys, { queue: queue.qualifiedName, jobId }, answer);
        if (results === null) return this.#doubt(envelope);
        envelope.isDone = true;
        this.#waiters.complete(envelope, results);
      },
      failed: (jobId) => {
        const envelope = find(jobId);
        if (envelope !== undefined) void this.#waiters.settle(envelope);
      },
    };
  }

  /**
   * The completion was not signed by a worker. Postgres knows the outcomes, so it is asked at once, but only
   * once.
   */
  #doubt(envelope: SentEnvelope) {
    this.#refusals.note();
    if (this.#doubted.has(envelope)) return;
    this.#doubted.add(envelope);
    const unknown: EnvelopeResult = envelope.requestIds.map(() => ['stored', null]);
    this.#waiters.complete(envelope, unknown);
  }

  #onAnswered(waiter: Waiter, now: number) {
    // The waiter's own line: the number of shards may have changed.
    const line = this.#lines.at(waiter.line);
    const lane = laneOf(line, waiter.version);
    const { envelope } = waiter;
    if (envelope === null) {
      const place = lane.waiting.indexOf(waiter);
      if (place >= 0) lane.waiting.splice(place, 1);
      return;
    }
    envelope.unanswered -= 1;
    if (envelope.unanswered > 0) return;
    noteAnswered(lane, envelope, now);
    this.#options.observer?.answered(now - envelope.sentAt);
    // Without a worker, the job would stay in the queue for ever. It is no longer needed, and the memory of
    // Redis is limited.
    if (!envelope.isDone) line.queue.remove(envelope.jobId).catch(() => {});
    this.#schedule(line);
  }

  /** Whether Redis takes work now. */
  isOpen(): boolean {
    return this.#producer.status === 'ready';
  }

  /** The number of waiting and sent requests. */
  waitingCount(): number {
    return this.#waiters.count();
  }

  /** How long the oldest of them has waited, in milliseconds; 0 if there is none. */
  oldestWaitMs(): number {
    const since = this.#waiters.oldestSince();
    return since === null ? 0 : performance.now() - since;
  }

  /** The state of the queue and its workers in Redis. Fails if Redis does not answer. */
  look(): Promise<QueueSight> {
    return lookAtQueue(this.#producer, this.#lines.queues());
  }

  /** The number of shards in use, as far as this process knows. */
  shardCount(): number {
    return this.#lines.count();
  }

  /** The number of answers that no worker signed, or not for that job. */
  refusedCount(): number {
    return this.#refusals.count();
  }

  /** Waits for the answers still due, then closes the connections. */
  async close(): Promise<void> {
    await this.#waiters.end();
    this.#stopClock();
    await this.#lines.close();
    this.#producer.disconnect();
  }
}

/**
 * The item that selects the shard. Of several the first: the gates in Postgres do not depend on shards
 * (0017).
 */
function firstItemOf(request: QueuedRequest): string {
  const [first] = operationsOf(request);
  return first === undefined ? '' : itemIdOf(first);
}

function isWaitedFor({ lanes }: Line): boolean {
  for (const { waiting } of lanes.values()) if (waiting.length > 0) return true;
  return false;
}
