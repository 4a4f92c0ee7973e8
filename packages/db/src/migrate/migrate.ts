import { inventoryCommand } from '@inventory/process/called-as';
import { PlainError } from '@inventory/process/plain-error';
import { findMissingRoles, parts, roleOf } from '../access/logins.ts';
import type { Sql } from '../postgres/pool.ts';
import { refusePooler } from '../postgres/servers/pooler.ts';
import { findWrongSettings } from '../postgres/wrong-settings.ts';
import { type MigrationPatience, runMigration } from './run-migration.ts';
import { readSteps, type SchemaStep } from './schema-steps.ts';

// How often a migration checks whether another one, or a backup, has ended.
const askEveryMs = 200;

/** The number of the lock that a migration holds. Any number that nothing else on this database uses. */
export const migrationLockKey = 7_316_001;

export type MigrateOptions = {
  /** The number of the last step to run. Default: the newest. */
  to?: number;
  /** Called with the name of a step that waits for a table. */
  onWait?: (name: string) => void;
  /** Called once if another migration or a backup is in the way. */
  onHeld?: () => void;
  patience?: MigrationPatience;
  /** The folder of later migrations. */
  from?: string;
};

/**
 * Creates the tables or brings them up to date, and reports each step by name (schema-steps.ts). A step and
 * the record that it was applied are one transaction, so an interrupted migration can be resumed. Of two at
 * the same time, the second waits and then has nothing to do. If there is nothing to do, it does not wait.
 * run-migration.ts runs a step.
 *
 * Before it writes anything, it refuses a database that the service would refuse later, that contains tables
 * of something else, in which the steps would stop half-way, or that was created from other files. Throws
 * UnfitDatabaseError, or the driver's error.
 */
export async function migrate(
  sql: Sql,
  report: (name: string) => void = () => {},
  {
    to = Number.POSITIVE_INFINITY,
    onWait = () => {},
    onHeld = () => {},
    patience,
    from,
  }: MigrateOptions = {},
): Promise<void> {
  // Its lock would stay with a backend of the pooler that nothing ends.
  await refusePooler(sql);
  const steps = readSteps(from);
  const wanted = steps.filter(({ version }) => version <= to);
  const connection = await sql.reserve();
  try {
    await lockMigrations(connection, wanted.at(-1)!.version, onHeld);
    await refuseBeforeMigrating(connection, steps);
    const applied = (await appliedVersion(connection)) ?? 0;
    for (const { version, name, script, checksum } of wanted) {
      if (version <= applied) continue;
      await runMigration(connection, script, {
        note: () => connection`
          insert into schema_version (version, name, checksum) values (${version}, ${name}, ${checksum})`,
        onWait: () => onWait(name),
        patience,
      });
      report(name);
    }
  } finally {
    await connection`select pg_advisory_unlock(${migrationLockKey}::bigint)`.catch(() => {});
    connection.release();
  }
}

/**
 * Polls instead of waiting in a statement. Creating an index concurrently waits for all earlier statements,
 * so it would wait for that one, which waits for it. Does not wait if all steps up to `wanted` are applied.
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

/** The database is not fit for the service. The message is one line for the operator. */
class UnfitDatabaseError extends PlainError {}

/**
 * For a command: refuses a database that could lose an answered 2xx in a crash, has no tables yet, or has
 * tables of another version than this code knows. Throws UnfitDatabaseError, or the driver's error if the
 * database is unreachable.
 */
export async function refuseOtherDatabase(sql: Sql): Promise<void> {
  const steps = readSteps();
  refuseNewer(await refuseOlder(sql, steps), lastOf(steps));
}

/**
 * The same for api and worker. They accept newer tables that are marked as compatible with this version, so a
 * process of the previous version can restart during a deploy.
 */
export async function refuseUnsafeDatabase(sql: Sql): Promise<void> {
  const steps = readSteps();
  const version = await refuseOlder(sql, steps);
  const known = lastOf(steps);
  if (version === known) return;
  const [compatible] = await sql<{ oldest: number }[]>`select oldest from schema_compatibility`;
  if (compatible!.oldest > known) refuseNewer(version, known);
}

/** Returns the version of the tables. */
async function refuseOlder(sql: Sql, steps: readonly SchemaStep[]): Promise<number> {
  await refuseWrongSettings(sql);
  const version = await refuseOtherSteps(sql, steps);
  if (version === null) {
    await refuseOthersTables(sql);
    throw new UnfitDatabaseError(
      `the database has no tables yet: run \`${inventoryCommand('migrate')}\` first`,
    );
  }
  const known = lastOf(steps);
  if (version < known) {
    throw new UnfitDatabaseError(
      `the database's schema is ${version}, this version needs ${known}: run \`${inventoryCommand('migrate')}\` first`,
    );
  }
  return version;
}

async function refuseBeforeMigrating(sql: Sql, steps: readonly SchemaStep[]): Promise<void> {
  await refuseWrongSettings(sql);
  const version = await refuseOtherSteps(sql, steps);
  if (version !== null) return refuseNewer(version, lastOf(steps));
  await refuseOthersTables(sql);
  await refuseUnfitTexts(sql);
  // The schema creates them.
  await refuseUnableToMakeRoles(sql, parts.map(roleOf));
}

function lastOf(steps: readonly SchemaStep[]): number {
  return steps.at(-1)!.version;
}

/** Refuses tables that were created from other files. Returns their version; null: there are none. */
async function refuseOtherSteps(sql: Sql, steps: readonly SchemaStep[]): Promise<number | null> {
  const { found, other } = await readSchemaVersion(sql, steps);
  if (other === null) return found;
  throw new UnfitDatabaseError(
    `the database's tables were made from other files than this version's (${other}), and there is no way from those to these: ` +
      `start again with an empty database (\`${inventoryCommand('reset')}\` empties the one of \`start\`), or run the version that made them`,
  );
}

/**
 * The version of the tables (null without tables), the version that this code knows, and the name of an
 * applied step whose text differs from this code's (null if there is none).
 */
export async function readSchemaVersion(
  sql: Sql,
  steps: readonly SchemaStep[] = readSteps(),
): Promise<{ found: number | null; known: number; other: string | null }> {
  const applied = await readApplied(sql);
  const other = steps.find((step) =>
    applied.some(({ version, checksum }) => version === step.version && checksum !== step.checksum),
  );
  return {
    found: applied.at(-1)?.version ?? null,
    known: lastOf(steps),
    other: other?.name ?? null,
  };
}

/** Refuses a login that would have to create some of these roles but may not. Throws UnfitDatabaseError. */
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
    `${role} may not create roles: let a role that may do so run \`${statements}\`, then migrate again`,
  );
}

/** Refuses a database in which texts cannot be compared by the rules of Unicode: searches need that. */
async function refuseUnfitTexts(sql: Sql): Promise<void> {
  const [found] = await sql<{ encoding: string; has_icu: boolean }[]>`
    select getdatabaseencoding() as encoding, to_regcollation('"und-x-icu"') is not null as has_icu`;
  const { encoding, has_icu: hasIcu } = found!;
  if (encoding !== 'UTF8') {
    throw new UnfitDatabaseError(`the database's encoding is ${encoding}: create one with the encoding UTF8`);
  }
  if (!hasIcu) {
    throw new UnfitDatabaseError(
      'the database has no collation und-x-icu, by which items are searched: use a Postgres that was built with ICU, as the usual packages are',
    );
  }
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
      `the database runs with ${unfit.join(', ')}, with which the service cannot work: check whether the server, the database or the role sets it`,
    );
  }
}

/** The version of the tables: the number of the last applied step; null: there are none. */
export async function appliedVersion(sql: Sql): Promise<number | null> {
  return (await readApplied(sql)).at(-1)?.version ?? null;
}

/** The applied steps, in order. */
async function readApplied(sql: Sql): Promise<{ version: number; checksum: string | null }[]> {
  const [tables] = await sql<{ there: boolean }[]>`select to_regclass('schema_version') is not null as there`;
  if (!tables!.there) return [];
  // The first versions had a table with this name but without checksums. Those databases are refused, too.
  return sql`
    select version, to_jsonb(schema_version)->>'checksum' as checksum
    from schema_version
    order by version`;
}

function refuseNewer(version: number, known: number): void {
  if (version > known) {
    throw new UnfitDatabaseError(
      `the database's schema is ${version}, newer than ${known}, the last that this version knows: run the newer version`,
    );
  }
}

/** Refuses a database that contains tables of something else, so that ours are not mixed with them. */
async function refuseOthersTables(sql: Sql): Promise<void> {
  const name = await findOthersTable(sql);
  if (name === null) return;
  throw new UnfitDatabaseError(
    `the database holds tables of something else (${name}): give the service its own database`,
  );
}

/** The name of the first table in a database without our tables; null: there is none. */
export async function findOthersTable(sql: Sql): Promise<string | null> {
  // Tables of extensions come with the server.
  const [other] = await sql<{ name: string }[]>`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
    order by relname
    limit 1`;
  return other?.name ?? null;
}
