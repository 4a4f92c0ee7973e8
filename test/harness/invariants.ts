import { findImbalances } from '@inventory/db/operator/audit';
import type { Sql } from '@inventory/db/pool';
import { expect } from 'vitest';

/**
 * The invariants after every test: levels, lots and entries agree everywhere, and nothing ever deadlocked.
 */
export async function expectInvariants(sql: Sql): Promise<void> {
  expect(await findImbalances(sql)).toEqual([]);
  const [row] = await sql<{ deadlocks: number }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`;
  expect(row?.deadlocks, 'deadlocks').toBe(0);
}

/**
 * That no transaction of these connections was ever rolled back, by a deadlock or to be tried again. They
 * must be closed: only then has Postgres surely counted what they did.
 */
export async function expectNoRollbacks(sql: Sql, connections: string): Promise<void> {
  expect(await countWhenClosed(sql, connections)).toEqual({ deadlocks: 0, rollbacks: 0 });
}

/** That none of these connections, closed as above, was ever in a deadlock. */
export async function expectNoDeadlocks(sql: Sql, connections: string): Promise<void> {
  expect(await countWhenClosed(sql, connections)).toMatchObject({ deadlocks: 0 });
}

async function countWhenClosed(sql: Sql, connections: string) {
  for (const until = performance.now() + 60_000; performance.now() < until; ) {
    const open = await sql`
      select pid
      from pg_stat_activity
      where datname = current_database() and application_name like ${connections}`;
    if (open.length === 0) break;
  }
  const [row] = await sql<{ deadlocks: number; rollbacks: number }[]>`
    select deadlocks, xact_rollback as rollbacks
    from pg_stat_database
    where datname = current_database()`;
  return row!;
}
