import type { Sql } from '@inventory/postgres/pool';

// Removal is final, and Postgres' clock may be wrong: for a moment, for hours, or since before this
// process began. So a worker believes only the time that it saw pass itself.

// Removal is about days.
const moveEveryMs = 60_000;
// The most for one move, however long ago the last one was.
const moveMaxMs = 3_600_000;
// If no worker ran for a time, that time is caught up: this much with each move, so a month takes half a day.
const catchUpMs = 3_600_000;
// A time that was stored while the clock was ahead is ahead itself. The clock is believed after this long.
const lowersAfterMs = 3_600_000;
const aheadMs = 60_000;

type Looked = { reached: number; believed: number; at: number };

/**
 * Moves the time of retention on (`retention_now()` in Postgres). It is no later than the lowest reading of
 * Postgres' clock so far plus the time since then, and no later than the value of the last look plus the time
 * since then and what is caught up. So it moves no faster when several workers move it, and not at all when
 * the clock jumps. `now`: of a clock that nobody can set, in milliseconds.
 */
export function createRetentionClock(
  now: () => number = () => performance.now(),
): (sql: Sql) => Promise<void> {
  let last: Looked | null = null;
  let aheadSince: number | null = null;

  return async (sql) => {
    const at = now();
    const passedMs = last === null ? 0 : at - last.at;
    if (last !== null && passedMs < moveEveryMs) return;
    const seen =
      last === null
        ? null
        : Math.min(last.believed + passedMs, last.reached + Math.min(passedMs, moveMaxMs) + catchUpMs);
    const lowers = aheadSince !== null && at - aheadSince > lowersAfterMs;
    const [row] = await sql<{ reached: number; clock: number }[]>`
      select (extract(epoch from reached) * 1000)::float8 as reached, (extract(epoch from clock) * 1000)::float8 as clock
      from move_retention(to_timestamp(${seen}::float8 / 1000), ${lowers})`;
    const { reached, clock } = row!;
    aheadSince = reached > clock + aheadMs ? (aheadSince ?? at) : null;
    last = { reached, believed: Math.min(clock, (last?.believed ?? clock) + passedMs), at };
  };
}
