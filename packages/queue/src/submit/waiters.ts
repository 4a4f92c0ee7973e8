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

export type Waiters = {
  add(request: QueuedRequest, arrivedAt: number, line: number, together?: object | null): Waiter;
  /** Answers all waiters of an envelope. If a result lacks an outcome, it is read from Postgres at once. */
  complete(envelope: SentEnvelope, results: EnvelopeResult): void;
  /** Settles all requests of an envelope that still wait. */
  settle(envelope: SentEnvelope): Promise<void>;
  /** Applies the time limits to every waiter. Must be called every few milliseconds. */
  sweep(now: number): void;
  count(): number;
  /** When the oldest waiter came; null if there is none. */
  oldestSince(): number | null;
  /** Since the start. */
  answerCounts: AnswerCounts;
  /** Resolves when there are no waiters left. */
  end(): Promise<void>;
};

/** The waiters of this process. Moves each one through its time limits. */
export function createWaiters(options: WaitersOptions, startedAt: number): Waiters {
  const waiters = new Map<string, Waiter>();
  let sweptAt = startedAt;
  const answerCounts: AnswerCounts = {
    by: { event: 0, lookUp: 0, verdict: 0, clock: 0 },
    verdicts: { applied: 0, refused: 0, abandoned: 0, unknown: 0 },
  };

  function answer(requestId: string, outcome: SubmitResult, by: AnsweredBy) {
    const waiter = waiters.get(requestId);
    if (waiter === undefined) return;
    waiters.delete(requestId);
    answerCounts.by[by] += 1;
    const { status } = outcome;
    if ((by === 'verdict' || status === 'unknown') && status in answerCounts.verdicts) {
      answerCounts.verdicts[status as keyof AnswerCounts['verdicts']] += 1;
    }
    waiter.resolve(outcome);
    const now = performance.now();
    const isEarly = now - waiter.startedAt < waitLimits.verdictAfterMs;
    if (status === 'abandoned' && outcome.result === null && isEarly) options.refusedEarly?.();
    if (!waiter.isApart) options.onAnswered(waiter, now);
  }

  /**
   * The worker put the request aside. It no longer belongs to its envelope, and Postgres is asked for its
   * outcome.
   */
  function leave(waiter: Waiter) {
    if (waiter.isApart) return;
    options.onAnswered(waiter, performance.now());
    waiter.isApart = true;
  }

  async function look(due: Waiter[]) {
    try {
      const outcomes = await options.readOutcomes(due.map((waiter) => waiter.request));
      for (const [requestId, outcome] of outcomes) answer(requestId, outcome, 'lookUp');
    } catch (error) {
      options.report(error as Error, 'looking for a lost answer');
    }
  }

  async function settle(due: Waiter[]) {
    const open = due.filter((waiter) => !waiter.settling);
    if (open.length === 0) return;
    for (const waiter of open) waiter.settling = true;
    try {
      const outcomes = await options.settle(open.map((waiter) => waiter.request));
      for (const [requestId, outcome] of outcomes) answer(requestId, outcome, 'verdict');
    } catch (error) {
      options.report(error as Error, 'the verdict');
    } finally {
      for (const waiter of open) waiter.settling = false;
    }
  }

  return {
    add(request, arrivedAt, line, together = null) {
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
        line,
        envelope: null,
        settling: false,
        isApart: false,
        together,
        isAlone: request.kind === 'batch',
      };
      waiters.set(request.requestId, waiter);
      return waiter;
    },
    complete(envelope, results) {
      const stored: Waiter[] = [];
      envelope.requestIds.forEach((requestId, index) => {
        const waiter = waiters.get(requestId);
        const packed = results[index];
        if (waiter === undefined || packed === undefined) return;
        const outcome = unpackOutcome(packed);
        if (outcome === null) stored.push(waiter);
        else if (outcome.status === 'pending') leave(waiter);
        else answer(requestId, outcome, 'event');
      });
      if (stored.length > 0) void look(stored);
    },
    settle: (envelope) => settle(envelope.requestIds.flatMap((requestId) => waiters.get(requestId) ?? [])),
    sweep(now) {
      if (now - sweptAt >= stoodStillMs) {
        // While frozen, the process neither asked Postgres nor read answers. So each waiter gets as long as a
        // verdict may take.
        const giveUpAt = now + waitLimits.giveUpAfterMs - waitLimits.verdictAfterMs;
        for (const waiter of waiters.values()) waiter.giveUpAt = Math.max(waiter.giveUpAt, giveUpAt);
      }
      sweptAt = now;
      const toLook: Waiter[] = [];
      const toSettle: Waiter[] = [];
      // Map order is almost the order of arrival, so the loop stops at the first waiter that is young enough.
      for (const waiter of waiters.values()) {
        const age = now - waiter.startedAt;
        if (age < waitLimits.lookAfterMs) break;
        const { requestId } = waiter.request;
        if (now >= waiter.giveUpAt) answer(requestId, { status: 'unknown', result: null }, 'clock');
        else if (waiter.envelope === null) {
          // A request that was never sent can be refused without a verdict.
          if (age >= dropAfterMs) answer(requestId, { status: 'busy', result: null }, 'clock');
        } else if (age >= waitLimits.verdictAfterMs) toSettle.push(waiter);
        else if (now - waiter.lookedAt >= waitLimits.lookAfterMs) {
          waiter.lookedAt = now;
          toLook.push(waiter);
        }
      }
      if (toLook.length > 0) void look(toLook);
      if (toSettle.length > 0) void settle(toSettle);
    },
    count: () => waiters.size,
    oldestSince: () => waiters.values().next().value?.startedAt ?? null,
    answerCounts,
    async end() {
      while (waiters.size > 0) await Promise.race([...waiters.values()].map((waiter) => waiter.promise));
    },
  };
}
