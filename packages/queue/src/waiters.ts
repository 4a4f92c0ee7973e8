import type { Outcome } from '@inventory/domain/stock/outcome';
import type { QueuedRequest } from '@inventory/domain/stock/request';
import { type EnvelopeResult, unpackOutcome } from './envelope.ts';
import type { SentEnvelope } from './lane.ts';

/**
 * The answer to the caller: an outcome, `busy` (never sent, never will be), or `unknown` (Postgres could not
 * be asked).
 */
export type SubmitResult = Outcome | { status: 'busy' | 'unknown'; result: null };

/** The life of a request in the api, milliseconds after it came. */
export const waitLimits = {
  /** Postgres is asked whether it is already decided: its completion event may be lost. */
  lookAfterMs: 250,
  /** The verdict: a request that is not decided by now never will be. */
  verdictAfterMs: 2500,
  /** The last moment to answer at all, but for a process that stood still: it must ask first. */
  giveUpAfterMs: 3100,
} as const;

// A request that is not sent by now is refused. Longer than `busyFromMs`: the difference is what an estimate
// may be wrong by.
const dropAfterMs = 1000;
// Between two sweeps: the process was frozen, or its machine.
const stoodStillMs = 300;

/**
 * How a request's answer came: by its job's completion, by a look into Postgres, by the verdict, or by the
 * clock alone.
 */
export type AnsweredBy = 'event' | 'lookUp' | 'verdict' | 'clock';

/**
 * How many answers came which way, and what the verdicts were; `unknown`: Postgres could not be asked in
 * time.
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
  /** The last moment to answer at all. */
  giveUpAt: number;
  resolve: (answer: SubmitResult) => void;
  promise: Promise<SubmitResult>;
  /** The index of its line. */
  line: number;
  /** Null until it is sent. */
  envelope: SentEnvelope | null;
  settling: boolean;
  /** Whether its envelope's answers came without this one. */
  isApart: boolean;
  /** The same for all that travel in one envelope; null for one that travels as it comes. */
  together: object | null;
  /** Whether it travels in an envelope by itself: it is as large as many. */
  isAlone: boolean;
};

export type WaitersOptions = {
  /** Reads what was decided about these requests, by request id; the others are missing. */
  readOutcomes: (requests: QueuedRequest[]) => Promise<Map<string, Outcome>>;
  /** Decides every request that is not decided yet: never applied. By request id. */
  settle: (requests: QueuedRequest[]) => Promise<Map<string, Outcome>>;
  /** Nobody waits with this one any more, in its envelope or to be sent; called once. */
  onAnswered: (waiter: Waiter, now: number) => void;
  report: (error: Error, what: string) => void;
};

export type Waiters = {
  add(request: QueuedRequest, arrivedAt: number, line: number, together?: object | null): Waiter;
  /** Answers all of an envelope; an outcome that its results do not carry is read from Postgres at once. */
  complete(envelope: SentEnvelope, results: EnvelopeResult): void;
  /** Has Postgres decide about all of an envelope that still wait. */
  settle(envelope: SentEnvelope): Promise<void>;
  /** The clock of every waiter; to be called every few milliseconds. */
  sweep(now: number): void;
  count(): number;
  /** When the one that waits for longest came; null when nobody waits. */
  oldestSince(): number | null;
  /** Since the start. */
  answerCounts: AnswerCounts;
  /** Resolves when nobody waits any more. */
  end(): Promise<void>;
};

/** All whose callers wait in this process, and what becomes of each as time passes. */
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
    if (!waiter.isApart) options.onAnswered(waiter, performance.now());
  }

  /** The worker put it aside: nobody else's answer waits for it, and Postgres is asked what becomes of it. */
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
        // Nobody was asked meanwhile, and what came was not read: as long as a verdict may take is left to
        // everybody.
        const giveUpAt = now + waitLimits.giveUpAfterMs - waitLimits.verdictAfterMs;
        for (const waiter of waiters.values()) waiter.giveUpAt = Math.max(waiter.giveUpAt, giveUpAt);
      }
      sweptAt = now;
      const toLook: Waiter[] = [];
      const toSettle: Waiter[] = [];
      // Map order is nearly the order of arrival, so it stops at the first one that is young enough.
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
