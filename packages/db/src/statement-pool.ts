import { PlainError } from '@inventory/process/plain-error';
import { TooLateError, within } from '@inventory/process/within';
import { cancellable } from './cancellable.ts';
import { countActive, createLeftBehind } from './left-behind.ts';
import { isDemoted, isOutage, type Sql, untilDone } from './pool.ts';

/** The caller that waits for a piece of work. */
export type Wait = {
  /** Of `performance.now()`: then nobody waits any more. */
  until: number;
  /** Whether the caller's connection is gone, and with it whoever would read the answer. */
  hasGone: () => boolean;
  /** Tells once when it goes, if it has not yet; returns how to be told no more. */
  onGone?: (tell: () => void) => () => void;
};

/** Work on Postgres that was not begun in its caller's time, and never will be. */
export class NeverBegunError extends PlainError {
  /** As the errors of a network have one: whoever tells outages by their code counts this among them. */
  readonly code = 'NEVER_BEGUN';
}

/** Work was done on a server that is not the primary any more. */
class DemotedError extends PlainError {
  readonly code = 'CONNECTION_CLOSED';
}

export type StatementPool = {
  /**
   * Runs `work` on a connection that nobody else uses meanwhile. Throws NeverBegunError when the caller's
   * time is over before one is free, and TooLateError after `limitMs` of work: work that was begun then may
   * still be carried out. In a pool that `cancels`, work is ended in Postgres when its caller goes or the
   * caller's time is nearly over; then it fails as Postgres says (`isStatementTimeout`).
   */
  run<T>(work: (sql: Sql) => Promise<T>, wait?: Wait): Promise<T>;
  /**
   * Closes the connections that lie idle and have answered nothing since then (of `performance.now()`):
   * others to the same server have died without a word, and these may have with them.
   */
  doubtIdle(since: number): void;
  /** How many pieces of work wait for a connection now. */
  waitingCount(): number;
  /**
   * Its connections: those that work, those that lie idle, and those that are suspect and serve nobody else.
   */
  counts(): { busy: number; idle: number; suspect: number };
  end(): Promise<void>;
};

export type StatementPoolOptions = {
  /** Opens a pool of the driver's with a single connection. */
  open: () => Sql;
  connectionsMax: number;
  /** Work that takes longer makes its connection suspect. */
  overrunMs: number;
  /** Work that takes longer is given up. More than Postgres lets its statements take. */
  limitMs: number;
  /** How long work waits for a connection. */
  waitMs: number;
  /** Told when work overruns, and when it began (of `performance.now()`). */
  onOverrun?: (startedAt: number) => void;
  /** Whether work is cancelled that nobody waits for any more. For reads alone. */
  cancels?: boolean;
};

type Connection = { sql: Sql; answeredAt: number };
/**
 * How a piece of work ended. `isLeft`: it may still go on; `gaveUp`: its connection is not to be asked again.
 */
type WorkEnd = { answered: boolean; gaveUp: boolean; isLeft: boolean; cancelled: boolean };
type Waiting = { begin: (connection: Connection) => void; leave: () => void; hasGone: () => boolean };

// Beside the connections in service: those whose work takes long, and which may yet answer.
const suspectsPerConnection = 2;
// Work is cancelled so long before its caller's time is over: time to end, and to say so.
const cancelBeforeMs = 500;
// Cancelled work that has not ended by then has no connection any more.
const cancelWithinMs = 1000;
// A caller who finds so many before it is told at once.
const waitingMax = 5000;

/**
 * Connections to Postgres for single statements. A connection can die without a word: statements sent on it
 * are swallowed, and it looks like a slow one. So a connection whose work overruns is taken out of service
 * and another opened in its place; its work may still end in its own time. Those that lie idle and have
 * answered nothing since that work began are closed, too: they may have died with it. The driver itself would
 * queue a statement behind the one that runs, and send it later whether anybody still waits or not; here at
 * most one is under way on each connection, and those that wait leave with their callers, without having run.
 */
export function createStatementPool(options: StatementPoolOptions): StatementPool {
  const { connectionsMax, overrunMs, limitMs, waitMs, cancels = false } = options;
  const idle: Connection[] = [];
  const inService = new Set<Connection>();
  const suspect = new Set<Connection>();
  const waiting = new Set<Waiting>();
  const leftBehind = createLeftBehind(
    suspectsPerConnection * connectionsMax,
    () => countActive(options.open),
    () => serveWaiting(),
  );
  let ended = false;

  /**
   * The one used last: fewer connections, each with its statements prepared, and the others are seen to be
   * idle.
   */
  function take(): Connection | null {
    const kept = idle.pop();
    if (kept !== undefined) return kept;
    if (inService.size >= connectionsMax || !leftBehind.mayOpen()) return null;
    const opened = { sql: options.open(), answeredAt: 0 };
    inService.add(opened);
    return opened;
  }

  function serveWaiting() {
    for (const next of waiting) {
      if (next.hasGone()) {
        next.leave();
        continue;
      }
      const connection = take();
      if (connection === null) return;
      waiting.delete(next);
      next.begin(connection);
    }
  }

  function waitForTurn(wait: Wait | undefined): Promise<Connection> {
    const now = performance.now();
    const timeMs = Math.min(waitMs, (wait?.until ?? Number.POSITIVE_INFINITY) - now);
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        waiting.delete(entry);
        reject(new NeverBegunError('no connection to Postgres was free in time'));
      };
      const timer = setTimeout(leave, timeMs);
      const begin = (connection: Connection) => {
        clearTimeout(timer);
        resolve(connection);
      };
      const entry = { begin, leave, hasGone: wait?.hasGone ?? (() => false) };
      if (waiting.size >= waitingMax) leave();
      else waiting.add(entry);
    });
  }

  function suspectSince(connection: Connection, startedAt: number) {
    // Enough that may yet answer: Postgres is slow, and more connections would make it slower.
    if (suspect.size >= suspectsPerConnection * connectionsMax) return;
    inService.delete(connection);
    suspect.add(connection);
    doubtIdle(startedAt);
    options.onOverrun?.(startedAt);
    serveWaiting();
  }

  function doubtIdle(since: number) {
    for (let index = idle.length - 1; index >= 0; index--) {
      const other = idle[index]!;
      if (other.answeredAt >= since) continue;
      idle.splice(index, 1);
      inService.delete(other);
      close(other, 1);
    }
  }

  function release(connection: Connection, { answered, gaveUp, isLeft, cancelled }: WorkEnd) {
    if (answered) connection.answeredAt = performance.now();
    // A cancel that comes late would end the next statement on it: there is none.
    if (gaveUp || cancelled || suspect.has(connection)) {
      suspect.delete(connection);
      inService.delete(connection);
      close(connection, gaveUp ? 0 : 1);
      if (isLeft) leftBehind.add(untilDone(connection.sql));
    } else if (!ended) idle.push(connection);
    serveWaiting();
  }

  /** Runs work that is cancelled when its caller goes or has no more time. */
  async function runCancellable<T>(
    connection: Connection,
    work: (sql: Sql) => Promise<T>,
    { until, onGone }: Wait,
    onCancel: () => void,
  ): Promise<T> {
    const { sql, cancel } = cancellable(connection.sql);
    const giveUp = () => {
      onCancel();
      // Nothing was sent yet, or it was answered just now.
      if (!cancel()) close(connection, 0);
    };
    const timeMs = Math.max(0, Math.min(limitMs, until - performance.now() - cancelBeforeMs));
    const timer = setTimeout(giveUp, timeMs);
    const forget = onGone?.(giveUp);
    try {
      return await within(timeMs + cancelWithinMs, work(sql));
    } finally {
      clearTimeout(timer);
      forget?.();
    }
  }

  return {
    async run(work, wait) {
      if (ended || (wait !== undefined && (wait.hasGone() || performance.now() >= wait.until)))
        throw new NeverBegunError('nobody waits for this any more');
      const connection = (waiting.size === 0 ? take() : null) ?? (await waitForTurn(wait));
      const startedAt = performance.now();
      let late: NodeJS.Immediate | undefined;
      const overrun = setTimeout(() => {
        // Behind the answers that lie there unread: it may be this process that was late.
        late = setImmediate(() => suspectSince(connection, startedAt));
      }, overrunMs);
      const end: WorkEnd = { answered: false, gaveUp: false, isLeft: false, cancelled: false };
      const onCancel = () => {
        end.cancelled = true;
      };
      try {
        const result = await (cancels && wait !== undefined
          ? runCancellable(connection, work, wait, onCancel)
          : within(limitMs, work(connection.sql)));
        // Another server may have answered since, so the rows may be outdated.
        if (isDemoted(connection.sql)) throw new DemotedError('the server takes no writes any more');
        end.answered = true;
        return result;
      } catch (error) {
        end.isLeft = error instanceof TooLateError;
        // A transaction whose connection broke goes on in the driver, on the one that takes its place: that
        // must serve nobody else.
        end.gaveUp = end.isLeft || error instanceof DemotedError || (cancels && isOutage(error));
        throw error;
      } finally {
        clearTimeout(overrun);
        clearImmediate(late);
        release(connection, end);
      }
    },
    doubtIdle,
    waitingCount: () => waiting.size,
    counts: () => ({ busy: inService.size - idle.length, idle: idle.length, suspect: suspect.size }),
    async end() {
      ended = true;
      leftBehind.end();
      for (const { leave } of [...waiting]) leave();
      await Promise.all([...inService, ...suspect].map(({ sql }) => sql.end({ timeout: 5 })));
    },
  };
}

function close({ sql }: Connection, timeoutSeconds: number) {
  sql.end({ timeout: timeoutSeconds }).catch(() => {});
}
