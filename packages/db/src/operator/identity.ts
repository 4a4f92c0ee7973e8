import type { Sql, Tx } from '../pool.ts';
import { listBackupSequences, quoteName } from './backup-tables.ts';

/** Which database this is: see schema/01-database.sql. `restoredTo`: null when it never was restored. */
export type DatabaseIdentity = { id: string; since: Date; restoredTo: Date | null };

export async function readIdentity(sql: Sql | Tx): Promise<DatabaseIdentity> {
  const [row] = await sql<DatabaseIdentity[]>`
    select id, since, restored_to as "restoredTo"
    from database_identity`;
  return row!;
}

// More than the service has ever done in a second, for as long as it takes to restore; and at that rate
// numbers that JavaScript holds exactly last for 14,000 years, however often somebody restores.
const numbersPerSecond = 20_000;
// Of items, whose numbers end at 2^31; half of what is left is always kept.
const integersPerSecond = 100;

/**
 * Makes of a database whose rows are those of an earlier moment another one: whatever referred to what came
 * after that moment can tell. `numbers`: what its sequences had given out then, for a backup that says so;
 * else what they say themselves. Unless `exact`, they go on above what may have been given out since, which
 * nobody knows here any more. No process signs for Redis as before: what waits there is of a past that never
 * was. Returns the new identity.
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
    // Never given out at all: the first number is still to come.
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

/** The same for a database that something else has restored, pgBackRest say; as the owner of the tables. */
export function adoptRestored(sql: Sql, restoredTo: Date): Promise<string> {
  return sql.begin((tx) => beginAnotherLife(tx, restoredTo, { exact: false })) as Promise<string>;
}
