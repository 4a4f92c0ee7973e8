import type { Sql } from '@inventory/postgres/pool';

/**
 * Stored times of one column that were later than their own rule allows: `place` is the table and the column,
 * `count` the number of rows, `latest` the latest of them.
 */
export type AheadTime = { place: string; count: number; latest: Date };

/** Such times that were set to `corrected`, the moment of the last correction. */
export type CorrectedTime = AheadTime;

/**
 * Sets stored times that are later than their rule allows to now, for the worker. Returns which they were.
 */
export async function correctTimes(sql: Sql): Promise<CorrectedTime[]> {
  return sql<CorrectedTime[]>`select place, count, latest from correct_times()`;
}

/** The stored times that are later than their rule allows, and those that were corrected in the last day. */
export async function readAheadTimes(sql: Sql): Promise<{ ahead: AheadTime[]; corrected: CorrectedTime[] }> {
  const ahead = await sql<AheadTime[]>`select place, count, latest from times_ahead() order by place`;
  const corrected = await sql<CorrectedTime[]>`
    select place, count, latest
    from corrected_time
    where corrected > clock_timestamp() - interval '1 day'
    order by place`;
  return { ahead: [...ahead], corrected: [...corrected] };
}

/**
 * The time that changes have at least, if it is later than Postgres' clock; otherwise null. Times of changes
 * never run backwards, so all changes have that time once the clock was ahead and was set back.
 */
export async function readTimesAhead(sql: Sql): Promise<Date | null> {
  const [row] = await sql<[{ least: number; now: number }]>`
    select pg_sequence_last_value('change_floor_seq')::float8 as least,
      extract(epoch from clock_timestamp())::float8 * 1000 as now`;
  return row!.least > row!.now ? new Date(row!.least) : null;
}
