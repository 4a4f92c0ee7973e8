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
