import { PlainError } from '@inventory/process/plain-error';
import { TooLateError, within } from '@inventory/process/within';
import { cancellable } from './cancellable.ts';
import { type Connection, createConnections } from './connections.ts';
import { countActive, createLeftBehind } from './left-behind.ts';
import { isDemoted, isOutage, reach, type Sql, untilDone } from './pool.ts';

/** The caller that waits for work. */
export type Wait = {
  /** The end of the caller's wait, of `performance.now()`. */
  until: number;
  /** Whether the caller's connection has closed, so that the answer has no reader. */
  hasGone: () => boolean;
  /** Calls `tell` once when the caller goes, if it has not yet. Returns a function that cancels this. */
  onGone?: (tell: () => void) => () => void;
};

/** The work did not begin within its caller's time, and never will. */
export class NeverBegunError extends PlainError {
  /** A code like a network error's, so that checks for outages by code include it. */
  readonly code = 'NEVER_BEGUN';
}

/** The work was done on a server that is no longer the primary. */
class DemotedError extends PlainError {
  readonly code = 'CONNECTION_CLOSED';
}

export type StatementPool = {
  /**
   * Runs `work` on a connection of its own. Throws NeverBegunError if no connection is free and open within
   * the caller's time, and TooLateError after `limitMs` of work, which may still be carried out. In a pool
   * that `cancels`, Postgres ends the work when its caller goes or its time is almost over; it then fails
   * with Postgres's error (`isStatementTimeout`).
   */
  run<T>(work: (sql: Sql) => Promise<T>, wait?: Wait): Promise<T>;
  /**
   * Takes idle connections out of use that have answered nothing since that time (of `performance.now()`):
   * others to the same server may have died silently, and these, too. Those that still answer are used again.
   */
  doubtIdle(since: number): void;
  /** The number of tasks that wait for a connection now. */
  waitingCount(): number;
  /** Its connections: busy, idle, and suspect ones, which serve nothing else. */
  counts(): { busy: number; idle: number; suspect: number };
  end(): Promise<void>;
};

export type StatementPoolOptions = {
  /** Opens one of the driver's pools with a single connection. */
  open: () => Sql;
  connectionsMax: number;
  /** Work that takes longer makes its connection suspect. */
  overrunMs: number;
  /** Work that takes longer is abandoned. Longer than Postgres lets its statements run. */
  limitMs: number;
  /** How long work waits for a connection. */
  waitMs: number;
  /** Called when work overruns, with the time when it began (of `performance.now()`). */
  onOverrun?: (startedAt: number) => void;
  /** Whether work is cancelled when its caller has gone. Only for reads. */
  cancels?: boolean;
};

/**
 * The end of a piece of work. `isLeft`: it may still be running. `gaveUp`: its connection must not be used
 * again. `opening`: its connection was not open in time, so it did not begin.
 */
type WorkEnd = {
  answered: boolean;
  gaveUp: boolean;
  isLeft: boolean;
  cancelled: boolean;
  opening: Promise<unknown> | null;
};
const notEnded: WorkEnd = { answered: false, gaveUp: false, isLeft: false, cancelled: false, opening: null };
type Waiting = { begin: (connection: Connection) => void; leave: () => void; hasGone: () => boolean };

// In addition to the connections in use: connections whose work takes long and may still be answered.
const suspectsPerConnection = 2;
// Work is cancelled this long before its caller's time is over, or half-way if that is later, so that the end
// can still be reported.
const cancelBeforeMs = 500;
// If cancelled work has not ended by then, its connection is dead.
const cancelWithinMs = 1000;
// If this many wait already, a caller is refused at once.
const waitingMax = 5000;

/**
 * Connections to Postgres for single statements. A connection can die silently: it swallows statements and
 * looks like a slow one. So if work overruns, its connection is taken out of use and another one is opened;
 * the work may still finish within its own limit. Idle connections that have answered nothing since that work
 * began are asked, because they may have died at the same time. The driver itself would queue a statement
 * behind a running one and send it later, even if its caller has gone. Here each connection has at most one
 * statement under way, and waiting work leaves with its caller without having run.
 */
export function createStatementPool(options: StatementPoolOptions): StatementPool {
  const { connectionsMax, overrunMs, limitMs, cancels = false } = options;
  const line = new Line(options.waitMs);
  const suspectsMax = suspectsPerConnection * connectionsMax;
  const leftBehind = createLeftBehind(suspectsMax, () => countActive(options.open), serveWaiting);
  const connections = createConnections({
    open: options.open,
    mayOpen: leftBehind.mayOpen,
    ...{ connectionsMax, suspectsMax },
    answerWithinMs: limitMs,
    onBack: serveWaiting,
  });
  let ended = false;

  function serveWaiting() {
    line.serve(connections.take);
  }

  function suspectSince(connection: Connection, startedAt: number) {
    // Enough statements may still be answered: Postgres is slow, and more connections would make it slower.
    if (!connections.suspect(connection)) return;
    connections.doubtIdle(startedAt);
    options.onOverrun?.(startedAt);
    serveWaiting();
  }

  function release(connection: Connection, { answered, gaveUp, isLeft, cancelled, opening }: WorkEnd) {
    if (answered) connection.answeredAt = performance.now();
    if (opening !== null) return connections.awaitOpening(connection, opening);
    if (isLeft) leftBehind.add(untilDone(connection.sql));
    // A cancel that comes late would end the next statement, so there must be none.
    if (gaveUp || cancelled) connections.drop(connection, gaveUp ? 0 : 1);
    else connections.giveBack(connection);
  }

  return {
    async run(work, wait) {
      if (ended || (wait !== undefined && (wait.hasGone() || performance.now() >= wait.until)))
        throw new NeverBegunError('nobody waits for this any more');
      const connection = (line.size() === 0 ? connections.take() : null) ?? (await line.join(wait));
      const startedAt = performance.now();
      let late: NodeJS.Immediate | undefined;
      const overrun = setTimeout(() => {
        // After unread answers are processed, because this process may be the slow one.
        late = setImmediate(() => suspectSince(connection, startedAt));
      }, overrunMs);
      const end = { ...notEnded };
      const onCancel = () => {
        end.cancelled = true;
      };
      try {
        if (connection.answeredAt === 0) await untilOpen(connection, wait, { limitMs, end });
        const result = await (cancels && wait !== undefined
          ? runCancellable(connection, work, wait, { limitMs, onCancel })
          : within(limitMs, work(connection.sql)));
        // Another server may have taken over, so the rows may be outdated.
        if (isDemoted(connection.sql)) throw new DemotedError('the server takes no writes any more');
        end.answered = true;
        return result;
      } catch (error) {
        end.isLeft = error instanceof TooLateError;
        // If a transaction's connection breaks, the driver continues the transaction on a replacement. That
        // connection must serve nothing else.
        end.gaveUp = end.isLeft || error instanceof DemotedError || (cancels && isOutage(error));
        throw error;
      } finally {
        clearTimeout(overrun);
        clearImmediate(late);
        release(connection, end);
      }
    },
    doubtIdle: connections.doubtIdle,
    waitingCount: () => line.size(),
    counts: connections.counts,
    async end() {
      ended = true;
      leftBehind.end();
      line.leaveAll();
      await connections.end();
    },
  };
}

/** The work that waits for a connection, in order. */
class Line {
  readonly #waitMs: number;
  readonly #waiting = new Set<Waiting>();

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  size(): number {
    return this.#waiting.size;
  }

  /** Gives connections to those that wait, while `take` has any. */
  serve(take: () => Connection | null): void {
    for (const next of this.#waiting) {
      if (next.hasGone()) {
        next.leave();
        continue;
      }
      const connection = take();
      if (connection === null) return;
      this.#waiting.delete(next);
      next.begin(connection);
    }
  }

  /** Resolves with a connection. Throws NeverBegunError if none was free in time. */
  join(wait: Wait | undefined): Promise<Connection> {
    const now = performance.now();
    const timeMs = Math.min(this.#waitMs, (wait?.until ?? Number.POSITIVE_INFINITY) - now);
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.#waiting.delete(entry);
        reject(new NeverBegunError('no connection to Postgres was free in time'));
      };
      const timer = setTimeout(leave, timeMs);
      const begin = (connection: Connection) => {
        clearTimeout(timer);
        resolve(connection);
      };
      const entry = { begin, leave, hasGone: wait?.hasGone ?? (() => false) };
      if (this.#waiting.size >= waitingMax) leave();
      else this.#waiting.add(entry);
    });
  }

  leaveAll(): void {
    for (const { leave } of [...this.#waiting]) leave();
  }
}

/**
 * Waits for a new connection. Fails with NeverBegunError after `limitMs`, and when the caller goes; then it
 * is still `opening`.
 */
async function untilOpen(
  { sql }: Connection,
  wait: Wait | undefined,
  { limitMs, end }: { limitMs: number; end: WorkEnd },
): Promise<void> {
  const opening = reach(sql);
  const timeMs = Math.min(limitMs, (wait?.until ?? Number.POSITIVE_INFINITY) - performance.now());
  const neverBegun = new NeverBegunError('the connection to Postgres was not open in time');
  let forget: (() => void) | undefined;
  const gone = new Promise<never>((_, reject) => {
    forget = wait?.onGone?.(() => reject(neverBegun));
  });
  try {
    await within(Math.max(0, timeMs), Promise.race([opening, gone]));
  } catch (error) {
    if (error !== neverBegun && !(error instanceof TooLateError)) throw error;
    end.opening = opening;
    throw neverBegun;
  } finally {
    forget?.();
  }
}

/** Runs work that is cancelled when its caller goes or its time is over. */
async function runCancellable<T>(
  connection: Connection,
  work: (sql: Sql) => Promise<T>,
  { until, onGone }: Wait,
  { limitMs, onCancel }: { limitMs: number; onCancel: () => void },
): Promise<T> {
  const { sql, cancel } = cancellable(connection.sql);
  const giveUp = () => {
    onCancel();
    // Nothing was sent yet, or the answer has just come.
    if (!cancel()) connection.sql.end({ timeout: 0 }).catch(() => {});
  };
  const leftMs = Math.max(0, until - performance.now());
  const timeMs = Math.min(limitMs, leftMs - Math.min(cancelBeforeMs, leftMs / 2));
  const timer = setTimeout(giveUp, timeMs);
  const forget = onGone?.(giveUp);
  try {
    return await within(timeMs + cancelWithinMs, work(sql));
  } finally {
    clearTimeout(timer);
    forget?.();
  }
}
