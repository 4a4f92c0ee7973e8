import type { Sql, Tx } from '@inventory/postgres/pool';

/** A table in a backup: all columns except generated ones, in the order of the table. */
export type BackupTable = { name: string; columns: string[] };

// Tables that are not in a backup. All others are, including tables of later migrations.
const left = [
  // Written when the tables are created.
  'schema_version',
  'schema_compatibility',
  // Secrets with which the holder of a backup could act as the service. A restored database gets its own
  // keys.
  'signing_key',
  'verifying_key',
  'envelope_key',
  'webhook_secret',
  // Messages under way from the original database, and its past deliveries.
  'webhook_message',
  'webhook_delivery',
  // A restored database has a new identity.
  'database_identity',
  // The servers and timelines of the original database.
  'feed_place',
  // The only backup of a restored database is the one that it comes from.
  'backup_record',
  // The progress of workers that remove old rows of this very database, and what they found here.
  'retention',
  'retention_clock',
  'corrected_time',
  // Findings about the original database. A restored one is audited again.
  'audit_drift',
  'audit_progress',
];

// The counts of items. They have one row from the start.
const begunWithRow = ['item_block'];

/** The tables of a backup, by name. */
export async function listBackupTables(sql: Sql | Tx): Promise<BackupTable[]> {
  const rows = await sql<BackupTable[]>`
    select relname as name, array_agg(attname::text order by attnum) as columns
    from pg_class
    join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> all(${left}::text[])
    group by relname
    order by relname collate "C"`;
  return [...rows];
}

/**
 * The tables that have rows although they are empty in an unused database. Empty if the database is unused.
 */
export async function findTablesInUse(sql: Sql | Tx, tables: readonly BackupTable[]): Promise<string[]> {
  const asked = tables.filter(({ name }) => !begunWithRow.includes(name));
  if (asked.length === 0) return [];
  const [row] = await sql.unsafe<{ used: string[] }[]>(
    `select array_remove(array[${asked
      .map(({ name }) => `case when exists (select from ${quoteName(name)}) then '${name}' end`)
      .join(', ')}], null) as used`,
  );
  return row!.used;
}

// Its numbers are times. A restored database takes later ones from its clock.
const times = 'change_floor_seq';

export type BackupSequence = { name: string; isInteger: boolean };

/** The sequences whose numbers must not be given out again after a restore. */
export async function listBackupSequences(sql: Sql | Tx): Promise<BackupSequence[]> {
  const rows = await sql<BackupSequence[]>`
    select sequence.relname as name, seqtypid = 'integer'::regtype as "isInteger"
    from pg_sequence
    join pg_class as sequence on sequence.oid = seqrelid
    left join pg_depend on classid = 'pg_class'::regclass and objid = seqrelid and deptype in ('a', 'i')
    left join pg_class as owner on refclassid = 'pg_class'::regclass and owner.oid = refobjid
    where sequence.relnamespace = 'public'::regnamespace and coalesce(owner.relname, '') <> all(${left}::text[])
      and sequence.relname <> ${times}
    order by sequence.relname collate "C"`;
  return [...rows];
}

/** A name, quoted for a statement. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
