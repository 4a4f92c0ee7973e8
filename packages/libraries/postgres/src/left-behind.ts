import { within } from '@inventory/process/within';
import type { Sql } from './pool.ts';

/**
 * Connections that were abandoned while Postgres still works on their statements. For example, a commit that
 * waits for an unreachable standby has no time limit. Each one keeps its place in Postgres until it is done.
 */
export type LeftBehind = {
  /** Adds a connection. `untilDone` tells when Postgres closes it; null: nothing was sent on it. */
  add(untilDone: ((tell: () => void) => void) | null): void;
  /** Whether another connection may be opened. */
  mayOpen(): boolean;
  /** Stops asking. */
  end(): void;
};

const askEveryMs = 2000;
// If a connection was abandoned this long ago and is still working, its statement is older than `activeMs`.
const settledMs = 1500;
const activeMs = 1000;
const askWithinMs = 2000;

/**
 * Up to `freely` abandoned connections do not matter. With more, no connection is opened until fewer are
 * left. Postgres reports when it closes one, but the network may lose the report, or another machine may be
 * Postgres by then. So `countActive` is also asked repeatedly how many may still be working. `onMore` is
 * called when a connection may be opened again.
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
    // Also while there are few: some reports may never come, and more connections may be added.
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
 * The number of connections with this name and role on which Postgres has worked for longer than a second,
 * including those of other processes. Asked on a connection from `open`.
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
