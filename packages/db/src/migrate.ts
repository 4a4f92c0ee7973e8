import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inventoryCommand } from '@inventory/process/called-as';
import { PlainError } from '@inventory/process/plain-error';
import Postgrator from 'postgrator';
import { findMissingRoles, parts, roleOf } from './logins.ts';
import type { Sql } from './pool.ts';
import { refusePooler } from './pooler.ts';
import { type MigrationPatience, runMigration } from './run-migration.ts';
import { findWrongSettings } from './wrong-settings.ts';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../migrations');

// How often a migration asks whether another one, or a backup, has ended.
const askEveryMs = 200;

/** Held by whoever migrates. Any number will do, as long as nobody else on this database takes it. */
export const migrationLockKey = 7_316_001;

// The migration `roles`, and the roles that it makes.
const rolesMigration = 14;
const partRoles = parts.map(roleOf);

export type MigrateOptions = {
  /** The last one that is wanted, by its number; unless given, the newest. */
  to?: number;
  /** Told when a migration waits for a table, by its file name. */
  onWait?: (name: string) => void;
  /** Told once when another migration, or a backup, is waited for. */
  onHeld?: () => void;
  patience?: MigrationPatience;
  /** Where the files are. */
  from?: string;
};

/**
 * Brings the tables up to date and reports each migration by its file name. A file and the note that it was
 * applied are one transaction, so wherever it is broken off it goes on from there. Two at once: the second
 * waits, then has nothing to do; where nothing is to be done nobody is waited for. How a file is run:
 * run-migration.ts. Refuses, before it writes anything, a database
 * that the service itself would refuse afterwards, one that holds the tables of something else, one in which
 * the migrations would end half-way, and one whose applied files were edited since. Throws
 * UnfitDatabaseError, or the driver's error.
 */
export async function migrate(
  sql: Sql,
  report: (name: string) => void = () => {},
  { to, onWait = () => {}, onHeld = () => {}, patience, from = folder }: MigrateOptions = {},
): Promise<void> {
  // Its lock would stay with a backend that nobody ends.
  await refusePooler(sql);
  const connection = await sql.reserve();
  let name = '';
  let isOpen = false;
  try {
    await lockMigrations(connection, to ?? newestMigration(from), onHeld);
    await refuseBeforeMigrating(connection, newestMigration(from));
    const postgrator = new Postgrator({
      driver: 'pg',
      database: '',
      migrationPattern: join(from, '*.sql'),
      schemaTable: 'schema_version',
      validateChecksums: true,
      newline: 'LF',
      async execQuery(query) {
        const rows = await connection.unsafe(query);
        // After a file comes the note of it, and nothing else.
        if (isOpen) await connection.unsafe('commit');
        isOpen = false;
        return { rows };
      },
      async execSqlScript(script) {
        isOpen = await runMigration(connection, script, () => onWait(name), patience);
      },
    });
    postgrator.on('migration-started', ({ filename }) => {
      name = filename.split('/').at(-1) ?? '';
    });
    postgrator.on('migration-finished', () => report(name));
    await postgrator.migrate(to?.toString());
  } finally {
    if (isOpen) await connection.unsafe('rollback').catch(() => {});
    await connection`select pg_advisory_unlock(${migrationLockKey}::bigint)`.catch(() => {});
    connection.release();
  }
}

/**
 * Waits without a statement that waits: an index that is made concurrently waits for every statement that was
 * begun before, so it would wait for that one, and that one for it. For nobody when all is applied up to
 * `wanted`.
 */
async function lockMigrations(sql: Sql, wanted: number, onHeld: () => void): Promise<void> {
  for (let tries = 1; ; tries++) {
    const [tried] = await sql<{ mine: boolean }[]>`
      select pg_try_advisory_lock(${migrationLockKey}::bigint) as mine`;
    if (tried!.mine || (await appliedVersion(sql)) === wanted) return;
    if (tries === 1) onHeld();
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
}

/** The database is not fit for the service; the message is one line for the person who starts it. */
class UnfitDatabaseError extends PlainError {}

/**
 * Refuses, for a command, a database that could lose an answered 2xx in a crash, that has no tables yet, or
 * whose tables are not those that this version of the service knows. Throws UnfitDatabaseError, or the
 * driver's error when it cannot be reached.
 */
export async function refuseOtherDatabase(sql: Sql): Promise<void> {
  refuseNewer(await refuseOlder(sql), newestMigration());
}

/**
 * The same for api and worker, which may work on tables that are newer than they are: while those say that
 * they are still good for this version. So a process of the version before can start again in the middle of
 * a deploy.
 */
export async function refuseUnsafeDatabase(sql: Sql): Promise<void> {
  const version = await refuseOlder(sql);
  const known = newestMigration();
  if (version === known) return;
  const [compatible] = await sql<{ oldest: number }[]>`select oldest from schema_compatibility`;
  if (compatible!.oldest > known) refuseNewer(version, known);
}

/** Returns the version of the tables. */
async function refuseOlder(sql: Sql): Promise<number> {
  await refuseWrongSettings(sql);
  const version = await appliedVersion(sql);
  if (version === null) {
    await refuseOthersTables(sql);
    throw new UnfitDatabaseError(
      `the database has no tables yet: run \`${inventoryCommand('migrate')}\` first`,
    );
  }
  const known = newestMigration();
  if (version < known) {
    throw new UnfitDatabaseError(
      `the database's schema is ${version}, this version needs ${known}: run \`${inventoryCommand('migrate')}\` first`,
    );
  }
  return version;
}

async function refuseBeforeMigrating(sql: Sql, known: number): Promise<void> {
  await refuseWrongSettings(sql);
  const version = (await appliedVersion(sql)) ?? 0;
  refuseNewer(version, known);
  if (version === 0) await refuseOthersTables(sql);
  if (version < rolesMigration) await refuseUnableToMakeRoles(sql, partRoles);
}

/** Refuses a login that would have to make some of these roles and may not. Throws UnfitDatabaseError. */
export async function refuseUnableToMakeRoles(sql: Sql, names: readonly string[]): Promise<void> {
  const missing = await findMissingRoles(sql, names);
  if (missing.length === 0) return;
  const [found] = await sql<{ able: boolean; role: string }[]>`
    select rolsuper or rolcreaterole as able, rolname as role
    from pg_roles
    where rolname = current_user`;
  const { able, role } = found!;
  if (able) return;
  const statements = missing.map((name) => `create role ${name} nologin;`).join(' ');
  throw new UnfitDatabaseError(
    `${role} may not create roles: have somebody who may run \`${statements}\`, then migrate again`,
  );
}

async function refuseWrongSettings(sql: Sql): Promise<void> {
  await refusePooler(sql);
  const { lossy, unfit } = await findWrongSettings(sql);
  if (lossy.length > 0) {
    throw new UnfitDatabaseError(
      `the database runs with ${lossy.join(', ')}: an answered transaction could be lost in a crash`,
    );
  }
  if (unfit.length > 0) {
    throw new UnfitDatabaseError(
      `the database runs with ${unfit.join(', ')}, with which the service cannot work: find out whether the server, the database or the role sets it`,
    );
  }
}

/** The newest migration that was applied; null: none, and there are no tables. */
export async function appliedVersion(sql: Sql): Promise<number | null> {
  const [tables] = await sql<{ there: boolean }[]>`select to_regclass('schema_version') is not null as there`;
  if (!tables!.there) return null;
  const [applied] = await sql<
    { version: number | null }[]
  >`select max(version) as version from schema_version`;
  return applied!.version || null;
}

function refuseNewer(version: number, known: number): void {
  if (version > known) {
    throw new UnfitDatabaseError(
      `the database's schema is ${version}, newer than ${known}, the last that this version knows: run the newer version`,
    );
  }
}

/** Refuses a database that holds the tables of something else, which a migration would mix with ours. */
async function refuseOthersTables(sql: Sql): Promise<void> {
  const name = await findOthersTable(sql);
  if (name === null) return;
  throw new UnfitDatabaseError(
    `the database holds tables that are not of this service (${name}): give it a database of its own`,
  );
}

/** The name of a table in a database without ours, the first of them; null: there is none. */
export async function findOthersTable(sql: Sql): Promise<string | null> {
  // Those of extensions come with the server.
  const [other] = await sql<{ name: string }[]>`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      -- All that a first migration leaves which is broken off at once.
      and relname <> 'schema_version'
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
    order by relname
    limit 1`;
  return other?.name ?? null;
}

/** The number of the newest migration file. */
export function newestMigration(from: string = folder): number {
  const names = readdirSync(from).filter((name) => name.endsWith('.sql'));
  return Math.max(...names.map((name) => Number.parseInt(name, 10)));
}
