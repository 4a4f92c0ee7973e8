import { findImbalances } from '@inventory/db/audit';
import type { Sql } from '@inventory/db/client';
import { expect } from 'vitest';

/** What must hold after every test: levels, lots and entries agree everywhere, and nothing ever deadlocked. */
export async function expectInvariants(sql: Sql): Promise<void> {
  expect(await findImbalances(sql)).toEqual([]);
  const [row] = await sql<{ deadlocks: number }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`;
  expect(row?.deadlocks, 'deadlocks').toBe(0);
}

/**
 * That no transaction of these connections was ever rolled back, by a deadlock or to be tried again. They must be closed: only then has
 * Postgres surely counted what they did.
 */
export async function expectNoRollbacks(sql: Sql, connectionName: string): Promise<void> {
  await expect
    .poll(
      () =>
        sql`select pid from pg_stat_activity where datname = current_database() and application_name = ${connectionName}`,
      { interval: 20, timeout: 5000 },
    )
    .toHaveLength(0);
  const [row] = await sql`
    select deadlocks, xact_rollback as rollbacks
    from pg_stat_database
    where datname = current_database()`;
  expect(row).toEqual({ deadlocks: 0, rollbacks: 0 });
}
