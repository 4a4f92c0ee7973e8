import type { Sql } from '@inventory/postgres/pool';

/** A recorded backup. `bytes`: null if another tool made it. */
export type BackupRecord = { takenAt: Date; server: string; bytes: number | null; madeBy: string };

/**
 * Why a backup could not be recorded: the database is read-only, or its clock has not reached the moment of
 * the backup.
 */
export type NotNoted = 'standby' | 'future';

/**
 * Records a backup, so that its age is known. `takenAt`: null for now. A backup that is already recorded does
 * not change. Returns the moment by the clock of Postgres, or why it was not recorded.
 */
export async function noteBackup(
  sql: Sql,
  { takenAt, server, bytes, madeBy }: Omit<BackupRecord, 'takenAt'> & { takenAt: Date | null },
): Promise<Date | NotNoted> {
  const [found] = await sql<{ standby: boolean; moment: Date; future: boolean }[]>`
    select pg_is_in_recovery() as standby, moment, moment > clock_timestamp() + interval '1 minute' as future
    from (select date_trunc('milliseconds', coalesce(${takenAt}::timestamptz, clock_timestamp())) as moment) as given`;
  const { standby, moment, future } = found!;
  if (standby) return 'standby';
  // A date in the future would hide that no later backup is made.
  if (future) return 'future';
  await sql`
    insert into backup_record (taken_at, server, bytes, made_by)
    values (${moment}, ${server}, ${bytes}, ${madeBy})
    on conflict (taken_at, server) do nothing`;
  return moment;
}

/** The latest backup and its age by the clock of Postgres; null if none was ever recorded. */
export async function readLastBackup(sql: Sql): Promise<(BackupRecord & { ageSeconds: number }) | null> {
  const [row] = await sql<(BackupRecord & { ageSeconds: number })[]>`
    select taken_at as "takenAt", server, bytes::double precision as bytes, made_by as "madeBy",
      greatest(extract(epoch from clock_timestamp() - taken_at), 0)::double precision as "ageSeconds"
    from backup_record
    order by taken_at desc
    limit 1`;
  return row ?? null;
}
