import { lookEvery } from '@inventory/process/look-every';
import type { Sql } from './pool.ts';
import type { StatementPool } from './statement-pool.ts';

/** The time of Postgres's clock, read in this process without a query each time. */
export type DatabaseClock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** How far it is ahead of this process's own clock, in seconds; negative: behind. */
  differenceSeconds(): number;
  /** Says that another clock than this one seems to have been used. The clock is measured again. */
  doubt(): void;
  stop(): void;
};

// If the clock is set, or another server takes over, the old time may be used for this long.
const measureEveryMs = 5000;
const roundTrips = 4;

/**
 * Deadlines are set here and checked by Postgres, and tokens are made by one process and checked by another.
 * So all of them follow the clock of Postgres. Between measurements the time is extrapolated with a monotonic
 * clock. `report` gets each measured difference in seconds. Fails if Postgres cannot be asked now; later the
 * last measurement stays until the next one.
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
      // Postgres is away. The parts that need it report that.
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
 * The time of Postgres in milliseconds since 1970, and the moment of `performance.now()` that it belongs to.
 * Taken from the fastest of several answers; the error is at most half of that one's duration (`errorMs`).
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
