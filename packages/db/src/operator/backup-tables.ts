import type { Sql, Tx } from '../pool.ts';

/** A table as a backup has it: all columns but generated ones, in the order of the table. */
export type BackupTable = { name: string; columns: string[] };

// Everything else is in a backup, so that a table which a later migration adds is in it, too.
const left = [
  // What makes the tables writes it.
  'schema_version',
  'schema_compatibility',
  // What whoever has a backup could act in the service's name with. A restored database has keys of its own.
  'signing_key',
  'verifying_key',
  'envelope_key',
  // A restored database is another one.
  'database_identity',
  // It has no backup but the one that it comes from.
  'backup_record',
  // How far workers are with removing old rows of this very database.
  'retention',
  // What was found in the database that the backup is of; a restored one is audited anew.
  'audit_drift',
  'audit_progress',
];

// Counts of what the other tables hold: they begin with a row each.
const begunWithRow = [
  'item_block',
  'lot_block',
  'lot_block_count',
  'lot_chapter_count',
  'lot_volume',
  'lot_volume_count',
];

/** The tables that a backup holds, by name. */
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
 * The tables of a database that nobody has worked with yet have no rows: those that do, none when it is
 * empty.
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

export type BackupSequence = { name: string; isInteger: boolean };

/** The sequences whose numbers a backup must not let be given out again. */
export async function listBackupSequences(sql: Sql | Tx): Promise<BackupSequence[]> {
  const rows = await sql<BackupSequence[]>`
    select sequence.relname as name, seqtypid = 'integer'::regtype as "isInteger"
    from pg_sequence
    join pg_class as sequence on sequence.oid = seqrelid
    left join pg_depend on classid = 'pg_class'::regclass and objid = seqrelid and deptype in ('a', 'i')
    left join pg_class as owner on refclassid = 'pg_class'::regclass and owner.oid = refobjid
    where sequence.relnamespace = 'public'::regnamespace and coalesce(owner.relname, '') <> all(${left}::text[])
    order by sequence.relname collate "C"`;
  return [...rows];
}

/** A name as it stands in a statement. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
