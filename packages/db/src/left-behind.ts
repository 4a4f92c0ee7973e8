import { within } from '@inventory/process/within';
import type { Sql } from './pool.ts';

/**
 * Connections that were given up while Postgres goes on with what was sent on them: a commit that waits for a
 * standby that is away, say, is ended by no limit of time. Each keeps its place in Postgres until it is done.
 */
export type LeftBehind = {
  /** Notes one; `untilDone` has told when Postgres closes it; null: nothing was sent on it. */
  add(untilDone: ((tell: () => void) => void) | null): void;
  /** Whether another connection may be opened. */
  mayOpen(): boolean;
  /** Asks no more. */
  end(): void;
};

const askEveryMs = 2000;
// What goes on in a connection that was left so long ago has gone on for longer than `activeMs`.
const settledMs = 1500;
const activeMs = 1000;
const askWithinMs = 2000;

/**
 * Up to `freely` of them hold up nothing; with more no connection is opened until fewer go on. That Postgres
 * closes one is told, unless the network swallows it, or Postgres is another machine by then; so
 * `countActive` is asked, again and again, how many go on at the most. `onMore` is told when one may be
 * opened that could not before.
 */
export function createLeftBehind(
  freely: number,
  countActive: () => Promise<number>,
  onMore: () => void = () => {},
): LeftBehind {
  const left = new Map<object, number>();
  let next: NodeJS.Timeout | undefined;
  let isAsking = false;
  let ended = false;

  async function ask() {
    const before = performance.now() - settledMs;
    const asked = [...left].filter(([, since]) => since < before);
    // If Postgres cannot be asked, all of them count as still running.
    const activeCount = await countActive().catch(() => asked.length);
    const gone = asked.slice(0, Math.max(0, asked.length - activeCount));
    for (const [entry] of gone) left.delete(entry);
    if (gone.length > 0) onMore();
  }

  function askLater() {
    // Also while they hold up nothing: some of them may never be told of, and the next ones come beside them.
    if (ended || isAsking || left.size === 0) return;
    isAsking = true;
    next = setTimeout(async () => {
      await ask();
      isAsking = false;
      askLater();
    }, askEveryMs).unref();
  }

  return {
    add(untilDone) {
      if (untilDone === null) return;
      const entry = {};
      left.set(entry, performance.now());
      untilDone(() => {
        if (left.delete(entry)) onMore();
      });
      askLater();
    },
    mayOpen: () => left.size < freely,
    end() {
      ended = true;
      clearTimeout(next);
    },
  };
}

/**
 * How many connections of this name and role Postgres has worked for for longer than a second, asked on one
 * that `open` opens for it; those of other processes are among them.
 */
export async function countActive(open: () => Sql): Promise<number> {
  const sql = open();
  try {
    const [row] = await within(
      askWithinMs,
      sql<{ count: number }[]>`
        select count(*)::integer as count from pg_stat_activity
        where application_name = current_setting('application_name') and usename = current_user
          and datname = current_database() and pid <> pg_backend_pid() and state = 'active'
          and state_change < clock_timestamp() - ${activeMs} * interval '1 millisecond'`,
    );
    return row!.count;
  } finally {
    sql.end({ timeout: 0 }).catch(() => {});
  }
}
