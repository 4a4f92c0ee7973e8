import { findImbalances } from '@inventory/db/audit/audit';
import type { Sql } from '@inventory/postgres/pool';
import { afterEach, expect } from 'vitest';

/**
 * The invariants of a database: levels, lots and entries agree everywhere, and there was never a deadlock.
 * The harness checks them once after the tests of a file, because what does not agree stays so, and after
 * each test that failed.
 */
export async function expectInvariants(sql: Sql): Promise<void> {
  expect(await findImbalances(sql)).toEqual([]);
  const [row] = await sql<{ deadlocks: number }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`;
  expect(row?.deadlocks, 'deadlocks').toBe(0);
}

/** Checks the invariants after each test that failed, for what they say about its cause. */
export function auditFailedTests(sql: () => Sql): void {
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await expectInvariants(sql());
  });
}

/**
 * Expects that no transaction of these connections was ever rolled back, after a deadlock or for a retry.
 * They must be closed, because only then has Postgres counted all their work.
 */
export async function expectNoRollbacks(sql: Sql, connections: string): Promise<void> {
  expect(await countWhenClosed(sql, connections)).toEqual({ deadlocks: 0, rollbacks: 0 });
}

/** Expects that none of these connections, closed as above, was ever in a deadlock. */
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
