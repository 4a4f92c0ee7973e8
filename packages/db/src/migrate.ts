import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlainError } from '@inventory/process/plain-error';
import Postgrator from 'postgrator';
import type { Sql } from './client.ts';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../migrations');

/** Held by whoever migrates. Any number will do, as long as nobody else on this database takes it. */
export const migrationLockKey = 7_316_001;

/**
 * Brings the tables up to date and reports each migration by its file name. Two at once: the second waits,
 * then has nothing to do. Each file runs in a transaction of its own. Refuses, before it writes anything, a
 * database that could lose an answered transaction, that is newer than this version or holds the tables of
 * something else (UnfitDatabaseError), and one whose applied files were edited since. `to`: the last one that is
 * wanted, by its number; unless given, the newest.
 */
export async function migrate(
  sql: Sql,
  report: (name: string) => void = () => {},
  to?: number,
): Promise<void> {
  await refuseUndurable(sql);
  await refuseOthersTables(sql);
  const connection = await sql.reserve();
  try {
    await connection`select pg_advisory_lock(${migrationLockKey}::bigint)`;
    const postgrator = new Postgrator({
      driver: 'pg',
      database: '',
      migrationPattern: join(folder, '*.sql'),
      schemaTable: 'schema_version',
      validateChecksums: true,
      newline: 'LF',
      execQuery: async (query) => ({ rows: await connection.unsafe(query) }),
      execSqlScript: async (script) => {
        await connection.unsafe(`begin;\n${script}\ncommit;`).catch(async (error) => {
          await connection.unsafe('rollback');
          throw error;
        });
      },
    });
    postgrator.on('migration-finished', (migration) => report(migration.filename.split('/').at(-1) ?? ''));
    await postgrator.migrate(to?.toString());
  } finally {
    await connection`select pg_advisory_unlock(${migrationLockKey}::bigint)`.catch(() => {});
    connection.release();
  }
}

/** The database is not fit for the service; the message is one line for the person who starts it. */
class UnfitDatabaseError extends PlainError {}

/**
 * Refuses a database that could lose an answered 2xx in a crash, that has no tables yet, or whose tables are
 * not those that this version of the service knows. Throws UnfitDatabaseError, or the driver's error when it
 * cannot be reached.
 */
export async function refuseUnsafeDatabase(sql: Sql): Promise<void> {
  await refuseUndurable(sql);
  await refuseOtherSchema(sql);
}

async function refuseUndurable(sql: Sql): Promise<void> {
  const off = await sql<{ name: string }[]>`
    select name
    from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
    order by name`;
  if (off.length === 0) return;
  const names = off.map((row) => row.name).join(', ');
  throw new UnfitDatabaseError(
    `the database runs with ${names} off: an answered transaction could be lost in a crash`,
  );
}

/** Refuses a database without tables, or with those of another version. Throws UnfitDatabaseError. */
export async function refuseOtherSchema(sql: Sql): Promise<void> {
  const [tables] = await sql<{ there: boolean }[]>`select to_regclass('stock_entry') is not null as there`;
  if (!tables?.there)
    throw new UnfitDatabaseError('the database has no tables yet: run `pnpm inventory migrate` first');
  const [applied] = await sql<{ version: number }[]>`select max(version) as version from schema_version`;
  const version = applied?.version ?? 0;
  const known = newestMigration();
  if (version < known) {
    throw new UnfitDatabaseError(
      `the database's schema is ${version}, this version needs ${known}: run \`pnpm inventory migrate\` first`,
    );
  }
  refuseNewer(version, known);
}

/**
 * What a migration would change without being asked: tables of something else, and those of a newer version.
 */
async function refuseOthersTables(sql: Sql): Promise<void> {
  const [ours] = await sql<{ there: boolean }[]>`select to_regclass('schema_version') is not null as there`;
  if (ours!.there) {
    const [applied] = await sql<{ version: number | null }[]>`
      select max(version)::integer as version from schema_version`;
    return refuseNewer(applied!.version ?? 0, newestMigration());
  }
  // Those of extensions come with the server.
  const [other] = await sql<{ name: string }[]>`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
    order by relname
    limit 1`;
  if (other === undefined) return;
  throw new UnfitDatabaseError(
    `the database holds tables that are not of this service (${other.name}): give it a database of its own`,
  );
}

function refuseNewer(version: number, known: number): void {
  if (version <= known) return;
  throw new UnfitDatabaseError(
    `the database's schema is ${version}, newer than ${known}, the last that this version knows: run the newer version`,
  );
}

/** The number of the newest migration file. */
export function newestMigration(): number {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return Math.max(...names.map((name) => Number.parseInt(name, 10)));
}
