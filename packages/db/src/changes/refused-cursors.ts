import type { Sql } from '@inventory/postgres/pool';

/** When the database moved to where it is now, and when a cursor of before was first refused here. */
export type RefusedCursors = { moved: Date; refused: Date };

/**
 * Returns null if the database has told nothing elsewhere that may be lost, or if that was found more than a
 * day ago.
 */
export async function readRefusedCursors(sql: Sql): Promise<RefusedCursors | null> {
  const [row] = await sql<RefusedCursors[]>`
    select since as moved, refused
    from feed_place
    where place_no = (select max(place_no) from feed_place) and refused > clock_timestamp() - interval '1 day'`;
  return row ?? null;
}
