import { finished } from 'node:stream/promises';
import { inventoryCommand } from '@inventory/domain/operating/called-as';
import { endWithClient } from '@inventory/postgres/end-with-client';
import { isLockTimeout, openConnection, type Sql, type Tx } from '@inventory/postgres/pool';
import { messageOf } from '@inventory/process/log/describe-error';
import { PlainError } from '@inventory/process/plain-error';
import { dropKeysAndIndexes, makeAgain } from '../audit/rebuild.ts';
import { appliedVersion, migrate } from '../migrate/migrate.ts';
import { knownVersion } from '../migrate/schema-steps.ts';
import { type BackupBlock, DamagedBackupError, type OpenBackup } from './backup-file.ts';
import { noteBackup } from './backup-records.ts';
import { type BackupTable, findTablesInUse, listBackupTables, quoteName } from './backup-tables.ts';
import { beginAnotherLife } from './identity.ts';

/**
 * The backup cannot be restored into this database; nothing was changed. The message is one line for the
 * operator.
 */
class RestoreRefusedError extends PlainError {}

/** The rows are there, but a later step failed. */
class RestoredInPartError extends PlainError {}

export type RestoreOptions = {
  /** Gets each step and its progress (0 to 1, or null if unknown). */
  report: (step: string, done: number | null) => void;
  /** Whether nothing was done after the backup, so that no numbers need to be skipped. */
  exactNumbers: boolean;
  /** Aborts the work, which then fails with the signal's reason and has changed nothing. */
  signal: AbortSignal;
};

export type Restored = { rows: Record<string, number>; identity: string };

const lockWaitMs = 10_000;

/**
 * Restores a backup into an empty database, as the owner of its tables. If there are no tables, those of the
 * backup are created first; existing tables must be unused. The rows come in one transaction, all or none.
 * Then the tables are migrated to this version. Fails with RestoreRefusedError or DamagedBackupError, or with
 * RestoredInPartError if only a step after the rows failed.
 */
export async function restoreBackup(
  sql: Sql,
  backup: OpenBackup,
  options: RestoreOptions,
): Promise<Restored> {
  const { schema } = backup.header;
  if (schema > knownVersion()) {
    throw new RestoreRefusedError(
      `the backup's schema is ${schema}, newer than ${knownVersion()}, the last that this version knows: restore it with the newer version`,
    );
  }
  await makeTables(sql, schema, options);
  const restored = await loadAll(sql, backup, options);
  await bringUpToDate(sql, backup.header, options).catch((error) => {
    throw new RestoredInPartError(
      `all rows were restored, but a later step failed (${messageOf(error)}): run \`${inventoryCommand('migrate')}\`, then \`${inventoryCommand('audit')}\``,
    );
  });
  return restored;
}

/** The steps after the rows. */
async function bringUpToDate(
  sql: Sql,
  { takenAt, database }: OpenBackup['header'],
  { report }: RestoreOptions,
): Promise<void> {
  report('newer migrations', null);
  await migrate(sql);
  const source = {
    takenAt: new Date(takenAt),
    server: `database ${database}`,
    bytes: null,
    madeBy: 'restore',
  };
  await noteBackup(sql, source);
  report('statistics', null);
  const tables = (await listBackupTables(sql)).map(({ name }) => quoteName(name));
  await sql.unsafe(`vacuum (analyze) ${tables.join(', ')}`);
}

/** Creates the tables in the backup's version. */
async function makeTables(sql: Sql, schema: number, { report }: RestoreOptions): Promise<void> {
  const applied = await appliedVersion(sql);
  // An older version without rows: a restore was interrupted while it created the tables.
  const isBegun = async () =>
    applied! < schema && (await findTablesInUse(sql, await listBackupTables(sql))).length === 0;
  if (applied !== null && applied !== schema && !(await isBegun())) {
    throw new RestoreRefusedError(
      `the database's schema is ${applied} and the backup's ${schema}: restore into a new database, without tables`,
    );
  }
  report('tables', null);
  await migrate(sql, () => {}, { to: schema });
}

async function loadAll(sql: Sql, backup: OpenBackup, options: RestoreOptions): Promise<Restored> {
  options.signal.throwIfAborted();
  const connection = await openConnection(sql);
  const { tx } = connection;
  const end = () => void connection.end({ timeout: 0 });
  options.signal.addEventListener('abort', end, { once: true });
  try {
    await endWithClient(tx);
    await tx.unsafe('begin isolation level read committed');
    const restored = await load(tx, backup, options);
    options.signal.throwIfAborted();
    await tx.unsafe('commit');
    return restored;
  } catch (error) {
    throw options.signal.aborted ? options.signal.reason : error;
  } finally {
    options.signal.removeEventListener('abort', end);
    // An open transaction ends with its connection and changes nothing.
    await connection.end({ timeout: 0 });
  }
}

async function load(tx: Tx, backup: OpenBackup, { report, exactNumbers }: RestoreOptions): Promise<Restored> {
  await tx`
    select set_config(name, '0', true)
    from pg_settings
    where name in ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`;
  await tx`set local maintenance_work_mem = '256MB'`;
  const tables = await listBackupTables(tx);
  const names = tables.map(({ name }) => quoteName(name));
  await lockAll(tx, names);
  const used = await findTablesInUse(tx, tables);
  if (used.length > 0) {
    throw new RestoreRefusedError(
      `the database is not empty (${used.join(', ')}): restore into a new one, then point the service at it`,
    );
  }
  for (const name of names) await tx.unsafe(`alter table ${name} disable trigger user`);
  const dropped = await dropKeysAndIndexes(tx, names, { keptUnique: false });
  // Truncated in this transaction, so rows can be stored frozen and a vacuum need not write them again.
  await tx.unsafe(`truncate ${names.join(', ')}`);
  const rows = await copyBlocks(tx, backup, tables, report);
  await makeAgain(tx, dropped, report);
  for (const name of names) await tx.unsafe(`alter table ${name} enable trigger user`);
  const { sequences, numbersAt } = backup.end();
  const identity = await beginAnotherLife(tx, new Date(backup.header.takenAt), {
    numbers: { last: sequences, at: new Date(numbersAt) },
    exact: exactNumbers,
  });
  return { rows, identity };
}

async function lockAll(tx: Tx, names: readonly string[]): Promise<void> {
  try {
    await tx.unsafe(`set local lock_timeout = ${lockWaitMs}`);
    await tx.unsafe(`lock table ${names.join(', ')} in access exclusive mode`);
    await tx.unsafe('set local lock_timeout = 0');
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new RestoreRefusedError('the database is in use: stop the processes that use it first');
  }
}

async function copyBlocks(
  tx: Tx,
  backup: OpenBackup,
  tables: readonly BackupTable[],
  report: RestoreOptions['report'],
): Promise<Record<string, number>> {
  const rows: Record<string, number> = Object.fromEntries(tables.map(({ name }) => [name, 0]));
  for await (const block of backup.blocks) {
    rows[block.table]! += await copyBlock(tx, block, tables);
    report(`rows (${block.table})`, null);
  }
  const expected = backup.end().rows;
  for (const { name } of tables)
    if (rows[name] !== expected[name])
      throw new DamagedBackupError(
        `the backup is damaged: it has ${rows[name]} rows of ${name}, not ${expected[name]}`,
      );
  return rows;
}

/** Returns the number of rows. */
async function copyBlock(tx: Tx, block: BackupBlock, tables: readonly BackupTable[]): Promise<number> {
  const table = tables.find(({ name }) => name === block.table);
  if (table === undefined || table.columns.join() !== block.columns.join())
    throw new DamagedBackupError(
      `the backup is damaged: there is no table ${block.table} with these columns`,
    );
  const columns = table.columns.map(quoteName).join(', ');
  const stream = await tx
    .unsafe(`copy ${quoteName(table.name)} (${columns}) from stdin with (freeze)`)
    .writable();
  stream.end(block.rows);
  await finished(stream, { readable: false });
  return countLines(block.rows);
}

function countLines(text: Buffer): number {
  let count = 0;
  for (let at = text.indexOf(10); at !== -1; at = text.indexOf(10, at + 1)) count += 1;
  return count;
}
