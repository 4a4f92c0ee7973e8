import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { type EnvelopeResult, unpackOutcome } from '../envelope.ts';
import type { SentEnvelope } from './lane.ts';

/**
 * The answer to the caller: an outcome, `busy` (not sent, and never will be), or `unknown` (Postgres could
 * not be asked).
 */
export type SubmitResult = Outcome | { status: 'busy' | 'unknown'; result: null };

/** The life of a request in the api, in milliseconds after it came. */
export const waitLimits = {
  /** Postgres is asked whether the request is already decided, because its completion event may be lost. */
  lookAfterMs: 250,
  /** The verdict: a request that is undecided by now is never applied. */
  verdictAfterMs: 2500,
  /** The last moment to answer. A process that was frozen asks Postgres first. */
  giveUpAfterMs: 3100,
} as const;

// A request that is not sent by now is refused. The difference from `busyFromMs` is the tolerated error of
// the estimate.
const dropAfterMs = 1000;
// If two sweeps are this far apart, the process or its machine was frozen.
const stoodStillMs = 300;

/**
 * How an answer came: by the job's completion, a look-up in Postgres, the verdict, or the time limit alone.
 */
export type AnsweredBy = 'event' | 'lookUp' | 'verdict' | 'clock';

/**
 * The number of answers that came each way, and the results of the verdicts. `unknown`: Postgres could not be
 * asked in time.
 */
export type AnswerCounts = {
  by: Record<AnsweredBy, number>;
  verdicts: Record<'applied' | 'refused' | 'abandoned' | 'unknown', number>;
};

/** A request whose caller waits. Times are of `performance.now()`. */
export type Waiter = {
  request: QueuedRequest;
  startedAt: number;
  lookedAt: number;
  /** The last moment to answer. */
  giveUpAt: number;
  resolve: (answer: SubmitResult) => void;
  promise: Promise<SubmitResult>;
  /** The index of its line. */
  line: number;
  /** The version that a worker must know; the same for all that travel together. */
  version: number;
  /** Null until it is sent. */
  envelope: SentEnvelope | null;
  settling: boolean;
  /** Whether its envelope's answers came without an answer for it. */
  isApart: boolean;
  /** The same object for all requests that must travel in one envelope; null for others. */
  together: object | null;
  /** Whether it travels in an envelope of its own because it is as large as many. */
  isAlone: boolean;
};

export type WaitersOptions = {
  /** Reads the outcomes of decided requests, by request id. Undecided ones are missing. */
  readOutcomes: (requests: QueuedRequest[]) => Promise<Map<string, Outcome>>;
  /** Settles all requests: an undecided one is never applied from now on. By request id. */
  settle: (requests: QueuedRequest[]) => Promise<Map<string, Outcome>>;
  /** Called once when a waiter has its answer, whether it was sent or not. */
  onAnswered: (waiter: Waiter, now: number) => void;
  report: (error: Error, what: string) => void;
  /** Called when a request was refused for its deadline before that has passed here: the clocks differ. */
  refusedEarly?: () => void;
};

/** The waiters of this process. Moves each one through its time limits. */
export class Waiters {
  /** Since the start. */
  readonly answerCounts: AnswerCounts = {
    by: { event: 0, lookUp: 0, verdict: 0, clock: 0 },
    verdicts: { applied: 0, refused: 0, abandoned: 0, unknown: 0 },
  };
  readonly #options: WaitersOptions;
  readonly #waiters = new Map<string, Waiter>();
  #sweptAt: number;

  constructor(options: WaitersOptions, startedAt: number) {
    this.#options = options;
    this.#sweptAt = startedAt;
  }

  add(
    request: QueuedRequest,
    arrivedAt: number,
    travels: Pick<Waiter, 'line' | 'version' | 'together'>,
  ): Waiter {
    let resolve!: (answer: SubmitResult) => void;
    const promise = new Promise<SubmitResult>((done) => {
      resolve = done;
    });
    const waiter: Waiter = {
      request,
      startedAt: arrivedAt,
      lookedAt: arrivedAt,
      giveUpAt: arrivedAt + waitLimits.giveUpAfterMs,
      resolve,
      promise,
      ...travels,
      envelope: null,
      settling: false,
      isApart: false,
      isAlone: request.kind === 'batch',
    };
    this.#waiters.set(request.requestId, waiter);
    return waiter;
  }

  /** Answers all waiters of an envelope. If a result lacks an outcome, it is read from Postgres at once. */
  complete(envelope: SentEnvelope, results: EnvelopeResult): void {
    const stored: Waiter[] = [];
    envelope.requestIds.forEach((requestId, index) => {
      const waiter = this.#waiters.get(requestId);
      const packed = results[index];
      if (waiter === undefined || packed === undefined) return;
      const outcome = unpackOutcome(packed);
      if (outcome === null) stored.push(waiter);
      else if (outcome.status === 'pending') this.#leave(waiter);
      else this.#answer(requestId, outcome, 'event');
    });
    if (stored.length > 0) void this.#look(stored);
  }

  /** Settles all requests of an envelope that still wait. */
  settle(envelope: SentEnvelope): Promise<void> {
    return this.#settle(envelope.requestIds.flatMap((requestId) => this.#waiters.get(requestId) ?? []));
  }

  /** Applies the time limits to every waiter. Must be called every few milliseconds. */
  sweep(now: number): void {
    if (now - this.#sweptAt >= stoodStillMs) {
      // While frozen, the process neither asked Postgres nor read answers. So each waiter gets as long as a
      // verdict may take.
      const giveUpAt = now + waitLimits.giveUpAfterMs - waitLimits.verdictAfterMs;
      for (const waiter of this.#waiters.values()) waiter.giveUpAt = Math.max(waiter.giveUpAt, giveUpAt);
    }
    this.#sweptAt = now;
    const toLook: Waiter[] = [];
    const toSettle: Waiter[] = [];
    // Map order is almost the order of arrival, so the loop stops at the first waiter that is young enough.
    for (const waiter of this.#waiters.values()) {
      const age = now - waiter.startedAt;
      if (age < waitLimits.lookAfterMs) break;
      const { requestId } = waiter.request;
      if (now >= waiter.giveUpAt) this.#answer(requestId, { status: 'unknown', result: null }, 'clock');
      else if (waiter.envelope === null) {
        // A request that was never sent can be refused without a verdict.
        if (age >= dropAfterMs) this.#answer(requestId, { status: 'busy', result: null }, 'clock');
      } else if (age >= waitLimits.verdictAfterMs) toSettle.push(waiter);
      else if (now - waiter.lookedAt >= waitLimits.lookAfterMs) {
        waiter.lookedAt = now;
        toLook.push(waiter);
      }
    }
    if (toLook.length > 0) void this.#look(toLook);
    if (toSettle.length > 0) void this.#settle(toSettle);
  }

  count(): number {
    return this.#waiters.size;
  }

  /** When the oldest waiter came; null if there is none. */
  oldestSince(): number | null {
    return this.#waiters.values().next().value?.startedAt ?? null;
  }

  /** Resolves when there are no waiters left. */
  async end(): Promise<void> {
    const waiters = this.#waiters;
    while (waiters.size > 0) await Promise.race([...waiters.values()].map((waiter) => waiter.promise));
  }

  #answer(requestId: string, outcome: SubmitResult, by: AnsweredBy) {
    const waiter = this.#waiters.get(requestId);
    if (waiter === undefined) return;
    this.#waiters.delete(requestId);
    this.answerCounts.by[by] += 1;
    const { status } = outcome;
    if ((by === 'verdict' || status === 'unknown') && status in this.answerCounts.verdicts) {
      this.answerCounts.verdicts[status as keyof AnswerCounts['verdicts']] += 1;
    }
    waiter.resolve(outcome);
    const now = performance.now();
    const isEarly = now - waiter.startedAt < waitLimits.verdictAfterMs;
    if (status === 'abandoned' && outcome.result === null && isEarly) this.#options.refusedEarly?.();
    if (!waiter.isApart) this.#options.onAnswered(waiter, now);
  }

  /**
   * The worker put the request aside. It no longer belongs to its envelope, and Postgres is asked for its
   * outcome.
   */
  #leave(waiter: Waiter) {
    if (waiter.isApart) return;
    this.#options.onAnswered(waiter, performance.now());
    waiter.isApart = true;
  }

  async #look(due: Waiter[]) {
    try {
      const outcomes = await this.#options.readOutcomes(due.map((waiter) => waiter.request));
      for (const [requestId, outcome] of outcomes) this.#answer(requestId, outcome, 'lookUp');
    } catch (error) {
      this.#options.report(error as Error, 'looking for a lost answer');
    }
  }

  async #settle(due: Waiter[]) {
    const open = due.filter((waiter) => !waiter.settling);
    if (open.length === 0) return;
    for (const waiter of open) waiter.settling = true;
    try {
      const outcomes = await this.#options.settle(open.map((waiter) => waiter.request));
      for (const [requestId, outcome] of outcomes) this.#answer(requestId, outcome, 'verdict');
    } catch (error) {
      this.#options.report(error as Error, 'the verdict');
    } finally {
      for (const waiter of open) waiter.settling = false;
    }
  }
}
