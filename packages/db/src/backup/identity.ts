import type { Sql, Tx } from '@inventory/postgres/pool';
import { listBackupSequences, quoteName } from './backup-tables.ts';

/** The identity of a database; see schema/01-database.sql. `restoredTo`: null if it was never restored. */
export type DatabaseIdentity = { id: string; since: Date; restoredTo: Date | null };

export async function readIdentity(sql: Sql | Tx): Promise<DatabaseIdentity> {
  const [row] = await sql<DatabaseIdentity[]>`
    select id, since, restored_to as "restoredTo"
    from database_identity`;
  return row!;
}

// More numbers than the service has ever used in a second. Even at that rate, the numbers that JavaScript can
// hold exactly last 14,000 years, however many restores there are.
const numbersPerSecond = 20_000;
// For items, whose numbers end at 2^31. Half of the remaining numbers are always kept.
const integersPerSecond = 100;

/**
 * Gives a new identity to a database whose rows are from an earlier moment, so that readers notice that later
 * data is gone. `numbers`: the last numbers of the sequences at that moment, if the backup contains them;
 * otherwise the sequences' own values are used. Unless `exact`, numbering continues above all numbers that
 * may have been given out since. The keys for Redis are replaced, so work that still waits there is refused.
 * Returns the new identity.
 */
export async function beginAnotherLife(
  tx: Tx,
  restoredTo: Date,
  { numbers, exact }: { numbers?: { last: Record<string, string>; at: Date }; exact: boolean },
): Promise<string> {
  const since = numbers?.at ?? restoredTo;
  const [clock] = await tx<{ seconds: number }[]>`
    select ceil(greatest(extract(epoch from clock_timestamp() - ${since}), 0))::double precision as seconds`;
  const seconds = exact ? 0 : clock!.seconds;
  for (const { name, isInteger } of await listBackupSequences(tx)) {
    const own = `(select last_value from ${quoteName(name)})`;
    const last = numbers?.last[name];
    const from = last === undefined ? own : `greatest(${own}, ${BigInt(last)})`;
    // Never given out: the first number is still to come.
    const next = isInteger
      ? `least(${from} + ${seconds * integersPerSecond}, (${from} + 2147483647) / 2)`
      : `${from} + ${seconds * numbersPerSecond}`;
    await tx.unsafe(`select setval('${quoteName(name)}', greatest(${from}, ${next}))`);
  }
  await tx`delete from envelope_key`;
  await tx`insert into envelope_key default values`;
  const [identity] = await tx<{ id: string }[]>`
    update database_identity
    set id = gen_random_uuid(), since = clock_timestamp(), restored_to = ${restoredTo}
    returning id`;
  return identity!.id;
}

/**
 * The same for a database that was restored by another tool, such as pgBackRest. Needs the owner of the
 * tables.
 */
export function adoptRestored(sql: Sql, restoredTo: Date): Promise<string> {
  return sql.begin((tx) => beginAnotherLife(tx, restoredTo, { exact: false })) as Promise<string>;
}
