import type { Sql } from '@inventory/postgres/pool';

// Changes that have been open for less than this do not move the value back: a client must not see when
// others write, and nearly all transactions are shorter. It also covers a clock that is set back by less.
const marginMs = 2000;

/**
 * Returns the value for the next `modifiedSince`, by the clock of Postgres. If a client reads a list in a
 * statement that begins after this one was answered, and later asks for changes since that value, it misses
 * nothing, however late a change commits. The value only stands still while a transaction with changes is
 * open.
 */
export async function readNextModifiedSince(sql: Sql, { margin = marginMs } = {}): Promise<Date> {
  const [row] = await sql<
    { known_until: number }[]
  >`select changes_known_until(${margin}::bigint) as known_until`;
  return new Date(row!.known_until);
}
