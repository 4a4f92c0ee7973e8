import type { StatementPool } from './statement-pool.ts';

/** The time that the clock of Postgres shows, read in this process without asking each time. */
export type DatabaseClock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** How far it is ahead of this process's own clock, seconds; negative: behind. */
  differenceSeconds(): number;
  stop(): void;
};

// So long a clock that was set, or a Postgres that took over from another one, may be taken for what it was.
const measureEveryMs = 5000;
// The quickest of so many answers is the most exact: it is wrong by half of its time on the way at most.
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
  let measured = await measure(pool);
  const now = () => measured.shownMs + performance.now() - measured.at;
  const differenceSeconds = () => (now() - Date.now()) / 1000;
  report(differenceSeconds());
  let measuring = false;
  const timer = setInterval(async () => {
    if (measuring) return;
    measuring = true;
    try {
      measured = await measure(pool);
      report(differenceSeconds());
    } catch {
      // Postgres is away, and what was to be told of that is told by whoever needs it.
    } finally {
      measuring = false;
    }
  }, measureEveryMs);
  timer.unref();
  return { now, differenceSeconds, stop: () => clearInterval(timer) };
}

/** What Postgres showed at which moment of `performance.now()`. */
function measure(pool: Pick<StatementPool, 'run'>): Promise<{ shownMs: number; at: number }> {
  return pool.run(async (sql) => {
    let best = { shownMs: 0, at: 0, tookMs: Number.POSITIVE_INFINITY };
    for (let turn = 0; turn < roundTrips; turn++) {
      const sentAt = performance.now();
      const [row] = await sql<{ ms: number }[]>`
        select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms`;
      const tookMs = performance.now() - sentAt;
      if (tookMs < best.tookMs) best = { shownMs: row!.ms, at: sentAt + tookMs / 2, tookMs };
    }
    return best;
  });
}
