import { lookEvery } from '@inventory/process/look-every';
import type { Sql } from './pool.ts';
import type { StatementPool } from './statement-pool.ts';

/** The time that the clock of Postgres shows, read in this process without asking each time. */
export type DatabaseClock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** How far it is ahead of this process's own clock, seconds; negative: behind. */
  differenceSeconds(): number;
  /** Something was judged by another clock than this one shows: it is measured now. */
  doubt(): void;
  stop(): void;
};

// So long a clock that was set, or a Postgres that took over from another one, may be taken for what it was.
const measureEveryMs = 5000;
const roundTrips = 4;

/**
 * Deadlines are made here and judged by Postgres, and a token made by one process is judged by another: all
 * of them go by the clock of Postgres. It is counted on by a clock that nobody sets. `report` is told each
 * measured difference, seconds. Fails when Postgres cannot be asked now; later the last measurement holds
 * until the next.
 */
export async function startDatabaseClock(
  pool: Pick<StatementPool, 'run'>,
  report: (differenceSeconds: number) => void,
): Promise<DatabaseClock> {
  const measure = () => pool.run((sql) => readDatabaseClock(sql, roundTrips));
  let measured = await measure();
  const now = () => measured.shownMs + performance.now() - measured.at;
  const differenceSeconds = () => (now() - Date.now()) / 1000;
  report(differenceSeconds());
  let measuring: Promise<void> | null = null;
  const measureAgain = () => {
    measuring ??= measure()
      .then((latest) => {
        measured = latest;
        report(differenceSeconds());
      })
      // Postgres is away, and what was to be told of that is told by whoever needs it.
      .catch(() => {})
      .finally(() => {
        measuring = null;
      });
    return measuring;
  };
  const stop = lookEvery(measureEveryMs, measureAgain);
  return { now, differenceSeconds, doubt: () => void measureAgain(), stop };
}

/**
 * The time that Postgres showed, milliseconds since 1970, at which moment of `performance.now()`, by the
 * quickest of so many answers: it is wrong by half of that one's time at most (`errorMs`).
 */
export async function readDatabaseClock(
  sql: Sql,
  turns: number,
): Promise<{ shownMs: number; at: number; errorMs: number }> {
  let best = { shownMs: 0, at: 0, errorMs: Number.POSITIVE_INFINITY };
  for (let turn = 0; turn < turns; turn++) {
    const sentAt = performance.now();
    const [row] = await sql<{ ms: number }[]>`
      select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms`;
    const errorMs = (performance.now() - sentAt) / 2;
    if (errorMs < best.errorMs) best = { shownMs: row!.ms, at: sentAt + errorMs, errorMs };
  }
  return best;
}
