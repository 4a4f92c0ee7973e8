import type { Sql } from '@inventory/postgres/pool';

/**
 * Gives this database a clock that can be set: functions under the names of Postgres' own, which all later
 * connections find first. The returned function sets how far it is ahead; it runs on from there.
 */
export async function makeClockSettable(sql: Sql): Promise<(ahead: string) => Promise<void>> {
  await sql`create schema steps`;
  await sql`create table steps.ahead as select interval '0' as by`;
  await sql`grant usage on schema steps to public`;
  await sql`grant select on steps.ahead to public`;
  for (const name of ['clock_timestamp', 'statement_timestamp', 'now']) {
    await sql.unsafe(`alter function pg_catalog.${name}() rename to right_${name}`);
    await sql.unsafe(`
      create function pg_catalog.${name}() returns timestamptz language sql volatile as $$
        select pg_catalog.right_${name}() + by from steps.ahead
      $$`);
    await sql.unsafe(`grant execute on function pg_catalog.${name}() to public`);
  }
  return async (ahead) => {
    await sql`update steps.ahead set by = ${ahead}::text::interval`;
  };
}
