import { inventoryCommand } from '@inventory/domain/operating/called-as';
import { endWithClient } from '@inventory/postgres/end-with-client';
import type { Sql } from '@inventory/postgres/pool';
import { refusePooler } from '@inventory/postgres/servers/pooler';
import { findWrongSettings } from '@inventory/postgres/wrong-settings';
import { PlainError } from '@inventory/process/plain-error';
import { findMissingRoles, parts, roleOf } from '../access/logins.ts';
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
 * That holds for newer tables, too, if they serve this version. Returns the version of the tables.
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
): Promise<number> {
  // Its lock would stay with a backend of the pooler that nothing ends.
  await refusePooler(sql);
  const steps = readSteps(from);
  const wanted = steps.filter(({ version }) => version <= to);
  const connection = await sql.reserve();
  try {
    await endWithClient(connection);
    await lockMigrations(connection, wanted.at(-1)!.version, onHeld);
    await refuseBeforeMigrating(connection, steps);
    const applied = (await appliedVersion(connection)) ?? 0;
    for (const { version, name, script, checksum } of wanted) {
      if (version <= applied) continue;
      await runMigration(
        connection,
        { name, script },
        {
          note: () => connection`
          insert into schema_version (version, name, checksum) values (${version}, ${name}, ${checksum})`,
          onWait: () => onWait(name),
          patience,
        },
      );
      report(name);
    }
    return Math.max(applied, wanted.at(-1)!.version);
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
    if (tried!.mine || ((await appliedVersion(sql)) ?? 0) >= wanted) return;
    if (tries === 1) onHeld();
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
}

/** The database is not fit for the service. The message is one line for the operator. */
class UnfitDatabaseError extends PlainError {}

/**
 * Refuses a database that could lose an answered 2xx in a crash, has no tables yet, or has tables that do not
 * serve this version. Newer tables that say so serve it too: a process of the previous version can restart
 * during a deploy, and a service that went back to it can be administered. Throws UnfitDatabaseError, or the
 * driver's error if the database is unreachable.
 */
export async function refuseUnsafeDatabase(sql: Sql): Promise<void> {
  await refuseWrongSettings(sql);
  const { found, known, oldest } = await refuseFaultyTables(sql, readSteps());
  if (found === null) {
    await refuseOthersTables(sql);
    throw new UnfitDatabaseError(
      `the database has no tables yet: run \`${inventoryCommand('migrate')}\` first`,
    );
  }
  if (found < known) {
    throw new UnfitDatabaseError(
      `the database's schema is ${found}, this version needs ${known}: run \`${inventoryCommand('migrate')}\` first`,
    );
  }
  refuseNewer(found, known, oldest);
}

/** Refuses a database on which a migration would stop half-way, or that the service would refuse later. */
export async function refuseBeforeMigrating(sql: Sql, steps: readonly SchemaStep[]): Promise<void> {
  await refuseWrongSettings(sql);
  const { found, known, oldest } = await refuseFaultyTables(sql, steps);
  if (found !== null) return refuseNewer(found, known, oldest);
  await refuseOthersTables(sql);
  await refuseUnfitTexts(sql);
  // The schema creates them.
  await refuseUnableToMakeRoles(sql, parts.map(roleOf));
}

function refuseNewer(found: number, known: number, oldest: number): void {
  if (oldest <= known) return;
  throw new UnfitDatabaseError(
    `the database's schema is ${found}, newer than ${known}, the last that this version knows: run the newer version`,
  );
}

async function refuseFaultyTables(sql: Sql, steps: readonly SchemaStep[]): Promise<SchemaVersion> {
  const version = await readSchemaVersion(sql, steps);
  if (version.fault === null) return version;
  throw new UnfitDatabaseError(`${version.fault.found}: ${version.fault.remedy}`);
}

export type SchemaVersion = {
  /** The version of the tables; null: there are none. */
  found: number | null;
  /** The version that this code knows. */
  known: number;
  /** The version that code must know to use these tables. */
  oldest: number;
  /** Why no version of this code can use these tables, and how to mend that; null: it can. */
  fault: { found: string; remedy: string } | null;
};

/** The version of the tables, compared with the steps of this code. */
export async function readSchemaVersion(
  sql: Sql,
  steps: readonly SchemaStep[] = readSteps(),
): Promise<SchemaVersion> {
  const applied = await readApplied(sql);
  const found = applied.at(-1)?.version ?? null;
  const known = steps.at(-1)!.version;
  const fault = findFault(applied, steps);
  if (found === null || fault !== null) return { found, known, oldest: 1, fault };
  return { found, known, oldest: await readOldest(sql), fault };
}

/** The version that code must know to use the tables. */
export async function readOldest(sql: Sql): Promise<number> {
  const [compatible] = await sql<{ oldest: number }[]>`select oldest from schema_compatibility`;
  return compatible!.oldest;
}

function findFault(applied: readonly AppliedStep[], steps: readonly SchemaStep[]): SchemaVersion['fault'] {
  const last = applied.at(-1);
  if (last === undefined) return null;
  for (const { version, name, checksum } of steps) {
    const there = applied.find((each) => each.version === version);
    if (there?.checksum === checksum || version > last.version) continue;
    if (version === 1) {
      if (there === undefined) continue;
      return {
        found: `the database's tables were made from other files than this version's (${name})`,
        remedy:
          'if a file in packages/db/schema was edited, undo that; if a version before 0.1.0 made them, run that version. ' +
          `There is no way from those tables to these; only if you need nothing in them, start again with an empty database (\`${inventoryCommand('reset')}\` empties the one of \`start\`)`,
      };
    }
    if (there === undefined) {
      return {
        found: `${name} was not applied to this database, although ${last.name} was, which comes later`,
        remedy: 'give that file the next number; the database needs no change',
      };
    }
    return there.name === name
      ? {
          found: `${name} was edited after it was applied to this database`,
          remedy: 'undo the edit, and make the change in a new file; the database needs no change',
        }
      : {
          found: `${name} has the number of ${there.name}, which was applied to this database`,
          remedy: `run a version that contains ${there.name}; if ${name} is new or renamed, give it the next number, or its old name`,
        };
  }
  return null;
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

type AppliedStep = { version: number; name: string; checksum: string | null };

/** The applied steps, in order. */
async function readApplied(sql: Sql): Promise<AppliedStep[]> {
  const [tables] = await sql<{ there: boolean }[]>`select to_regclass('schema_version') is not null as there`;
  if (!tables!.there) return [];
  // The first versions had a table with this name but without checksums. Those databases are refused, too.
  return sql`
    select version, coalesce(to_jsonb(schema_version)->>'name', 'schema') as name,
      to_jsonb(schema_version)->>'checksum' as checksum
    from schema_version
    order by version`;
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
