import type { Sql } from '../pool.ts';

// What is under way elsewhere can be told only from a change that is open for longer than this: a client must
// not see when others write, and nearly every transaction is over sooner. A clock that is set back by less
// costs nobody a change.
const marginMs = 2000;

/**
 * The moment to ask for next time by `modifiedSince`: whoever reads a list now, in a statement that begins
 * after this one was answered, and later what was modified since then, misses nothing, whatever is committed
 * late. By the clock of Postgres. It stands still only while a transaction that has changed something is
 * open.
 */
export async function readNextModifiedSince(sql: Sql, { margin = marginMs } = {}): Promise<Date> {
  const [row] = await sql<
    { known_until: number }[]
  >`select changes_known_until(${margin}::bigint) as known_until`;
  return new Date(row!.known_until);
}
