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
