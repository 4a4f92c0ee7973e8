import type { Sql } from '@inventory/postgres/pool';

/**
 * How long the oldest change has been open that is not committed, in seconds; 0: none is open. The change
 * feed and `X-Next-Modified-Since` stand still behind it.
 */
export async function readOldestChange(sql: Sql): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select coalesce(greatest(extract(epoch from clock_timestamp()) - min(key & (1::bigint << 42) - 1) / 1000.0, 0), 0)::double precision
      as seconds
    from held_numbers() as key
    where key >> 42 = 7316`;
  return row!.seconds;
}
