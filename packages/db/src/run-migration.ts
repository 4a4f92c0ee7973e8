import { PlainError } from '@inventory/process/plain-error';
import type postgres from 'postgres';
import { isLockTimeout } from './pool.ts';

type Connection = postgres.ReservedSql<{ bigint: number }>;

export type MigrationPatience = {
  /** A statement waits so long for a lock: whoever wants the same table afterwards waits behind it. */
  lockTimeoutMs: number;
  /**
   * The same for one try in ten: longer than `deadlock_timeout`, after which Postgres ends an autovacuum that
   * is waited for, and never for whoever waits for less.
   */
  vacuumTimeoutMs: number;
  /** Between two tries, for all who waited behind the last one. */
  restMs: number;
  /** Then it is given up. */
  giveUpAfterMs: number;
};

/**
 * A batch that waits behind a migration is tried again within its callers' patience; a list takes ten seconds
 * at most, an audit some minutes.
 */
const usualPatience: MigrationPatience = {
  lockTimeoutMs: 300,
  vacuumTimeoutMs: 1300,
  restMs: 1000,
  giveUpAfterMs: 600_000,
};

export type RunOptions = {
  note: () => Promise<unknown>;
  onWait: () => void;
  patience: MigrationPatience | undefined;
};

/** The first line of a file whose statements do not share a transaction. */
export const outsideMark = '-- Runs outside a transaction.';

// What can be run again after it was cut off, and whose locks nobody who reads or writes rows waits for.
const repeatable = [
  /^create (?:unique )?index concurrently if not exists (?<index>\w+) on \w/,
  /^drop index concurrently if exists \w+$/,
  /^alter table \w+ validate constraint \w+$/,
  /^analyze \w+$/,
];

/**
 * Runs the text of a step and notes that it was applied (`note`): in one transaction, tried again while
 * somebody holds a table that it needs; or, when its first line says so, statement by statement. `onWait`:
 * told of each try that failed. Throws PlainError when the table is held for too long, or the driver's error;
 * nothing of a transaction stays then, and what runs outside one goes on from its beginning the next time.
 */
export async function runMigration(
  connection: Connection,
  script: string,
  { note, onWait, patience = usualPatience }: RunOptions,
): Promise<void> {
  if (script.startsWith(outsideMark)) {
    await runOutside(connection, statementsOf(script));
    await note();
    return;
  }
  const { lockTimeoutMs, vacuumTimeoutMs, restMs, giveUpAfterMs } = patience;
  const startedAt = performance.now();
  for (let tries = 1; ; tries++) {
    const timeoutMs = tries % 10 === 0 ? vacuumTimeoutMs : lockTimeoutMs;
    try {
      await connection.unsafe(`begin;\nset local lock_timeout = ${timeoutMs};\n${script}`);
      await note();
      await connection.unsafe('commit');
      return;
    } catch (error) {
      await connection.unsafe('rollback').catch(() => {});
      if (!isLockTimeout(error)) throw error;
      if (performance.now() - startedAt > giveUpAfterMs) throw heldError(giveUpAfterMs, error);
      onWait();
    }
    await new Promise((resolve) => setTimeout(resolve, restMs));
  }
}

function heldError(afterMs: number, cause: unknown): Error {
  return new PlainError(
    `a table was in use for ${Math.round(afterMs / 1000)} s, by a long query say, and nothing was changed: end that, and migrate again`,
    { cause },
  );
}

async function runOutside(connection: Connection, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    const found = repeatable.map((each) => each.exec(statement)).find((each) => each !== null);
    if (found === undefined) {
      throw new PlainError(`outside a transaction a migration may not run: ${statement}`);
    }
    const index = found?.groups?.index;
    if (index !== undefined) await dropInvalid(connection, index);
    await connection.unsafe(statement);
  }
}

/** An index whose making was cut off is there, costs writes, and is never read. */
async function dropInvalid(connection: Connection, index: string): Promise<void> {
  const [found] = await connection`
    select
    from pg_index
    join pg_class on pg_class.oid = indexrelid
    where relname = ${index} and relnamespace = 'public'::regnamespace and not indisvalid`;
  if (found !== undefined) await connection.unsafe(`drop index concurrently ${index}`);
}

/** The statements of a file without functions: each ends at a semicolon that ends its line. */
function statementsOf(script: string): string[] {
  return script
    .replace(/^--.*$/gm, '')
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim().replace(/\s+/g, ' '))
    .filter((statement) => statement !== '');
}
