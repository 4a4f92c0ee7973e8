import { PlainError } from '@inventory/process/plain-error';
import type postgres from 'postgres';
import { isLockTimeout } from '../postgres/pool.ts';

type Connection = postgres.ReservedSql<{ bigint: number }>;

export type MigrationPatience = {
  /** How long a statement waits for a lock. Later statements on the table wait behind it. */
  lockTimeoutMs: number;
  /**
   * The same for every tenth try. Longer than `deadlock_timeout`, because only then does Postgres end an
   * autovacuum that is in the way.
   */
  vacuumTimeoutMs: number;
  /** The pause between tries, for statements that waited behind the last one. */
  restMs: number;
  /** After this time, the migration gives up. */
  giveUpAfterMs: number;
};

/**
 * A batch behind a migration can be tried again while its callers still wait. A list takes ten seconds at
 * most, an audit some minutes.
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

// Statements that can be repeated after an interruption, and whose locks block neither reads nor writes of
// rows.
const repeatable = [
  /^create (?:unique )?index concurrently if not exists (?<index>\w+) on \w/,
  /^drop index concurrently if exists \w+$/,
  /^alter table \w+ validate constraint \w+$/,
  /^analyze \w+$/,
];

/**
 * Runs the text of a step and records that it was applied (`note`). Usually this is one transaction, tried
 * again while a table that it needs is locked. If the first line says so, the statements run one by one
 * instead. `onWait` is called after each failed try. Throws PlainError if a table is locked for too long, or
 * the driver's error. A failed transaction leaves nothing behind; a file without a transaction starts from
 * the beginning the next time.
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
    `a table was in use for ${Math.round(afterMs / 1000)} s, for example by a long query; nothing was changed: end the query and migrate again`,
    { cause },
  );
}

async function runOutside(connection: Connection, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    const found = repeatable.map((each) => each.exec(statement)).find((each) => each !== null);
    if (found === undefined) {
      throw new PlainError(`a migration outside a transaction must not run: ${statement}`);
    }
    const index = found?.groups?.index;
    if (index !== undefined) await dropInvalid(connection, index);
    await connection.unsafe(statement);
  }
}

/** Drops an index whose creation was interrupted: it slows down writes and is never read. */
async function dropInvalid(connection: Connection, index: string): Promise<void> {
  const [found] = await connection`
    select
    from pg_index
    join pg_class on pg_class.oid = indexrelid
    where relname = ${index} and relnamespace = 'public'::regnamespace and not indisvalid`;
  if (found !== undefined) await connection.unsafe(`drop index concurrently ${index}`);
}

/** The statements of a file without functions. Each ends at a semicolon at the end of a line. */
function statementsOf(script: string): string[] {
  return script
    .replace(/^--.*$/gm, '')
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim().replace(/\s+/g, ' '))
    .filter((statement) => statement !== '');
}
