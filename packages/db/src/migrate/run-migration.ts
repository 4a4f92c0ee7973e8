import { isLockTimeout, isOutage, lacksRight } from '@inventory/postgres/pool';
import { messageOf } from '@inventory/process/log/describe-error';
import { PlainError } from '@inventory/process/plain-error';
import type postgres from 'postgres';
import type { SchemaStep } from './schema-steps.ts';

/** The one connection of a migration. */
export type Connection = postgres.ReservedSql<{ bigint: number }>;

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
// A large index takes longer than this, too.
const tellOfOutsideMs = 10_000;

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
 * instead. `onWait` is called after each failed try. Throws PlainError if a table is locked for too long or
 * the step is wrong, or the driver's error if Postgres cannot work. A failed transaction leaves nothing
 * behind; a file without a transaction starts from the beginning the next time.
 */
export async function runMigration(
  connection: Connection,
  step: Pick<SchemaStep, 'name' | 'script'>,
  { note, onWait, patience = usualPatience }: RunOptions,
): Promise<void> {
  if (isOutside(step)) {
    // It waits for transactions that are older, and has no limit.
    const waiting = setTimeout(onWait, tellOfOutsideMs);
    await runOutside(connection, step)
      .finally(() => clearTimeout(waiting))
      .catch((error) => {
        throw explainStep(error, step, 'what it has built stays, and it begins again the next time');
      });
    await note();
    return;
  }
  const { lockTimeoutMs, vacuumTimeoutMs, restMs, giveUpAfterMs } = patience;
  const startedAt = performance.now();
  for (let tries = 1; ; tries++) {
    const timeoutMs = tries % 10 === 0 ? vacuumTimeoutMs : lockTimeoutMs;
    try {
      await beginStep(connection, step, { lockMs: timeoutMs, statementMs: 0 });
      await note();
      await connection.unsafe('commit');
      return;
    } catch (error) {
      await connection.unsafe('rollback').catch(() => {});
      if (!isLockTimeout(error)) throw explainStep(error, step, 'nothing was changed');
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

// Before the text of a step, which begins in the third line: its errors name their line of the file.
const opening = (lockMs: number, statementMs: number) =>
  `begin;\nset local lock_timeout = ${lockMs}; set local statement_timeout = ${statementMs};\n`;

/**
 * Begins a transaction and runs a step in it, once this is awaited. `statementMs`: how long each statement
 * may take; 0: any time.
 */
export function beginStep(
  connection: Connection,
  { script }: Pick<SchemaStep, 'script'>,
  { lockMs, statementMs }: { lockMs: number; statementMs: number },
): postgres.PendingQuery<postgres.Row[]> {
  return connection.unsafe(`${opening(lockMs, statementMs)}${script}`);
}

/** Whether a step runs outside a transaction. */
export function isOutside({ script }: Pick<SchemaStep, 'script'>): boolean {
  return script.startsWith(outsideMark);
}

/** The error of a step with its name, its line and its reason, in words; another error as it is. */
export function explainStep(error: unknown, { name }: Pick<SchemaStep, 'name'>, left: string): unknown {
  if (error instanceof PlainError) return new PlainError(`${name}: ${error.message}`, { cause: error });
  const { code, position, table_name: table, constraint_name: constraint } = error as Record<string, string>;
  const isOfStep = (error as Error).name === 'PostgresError';
  if (!isOfStep || isOutage(error) || lacksRight(error)) return error;
  const query = (error as { query?: string }).query ?? '';
  const line =
    position === undefined || !query.startsWith('begin;\n')
      ? ''
      : ` in line ${query.slice(0, Number(position)).split('\n').length - 2}`;
  // Postgres quotes the text of the file there, and nothing from rows.
  const words = code!.startsWith('42') ? (error as Error).message : messageOf(error);
  const rows = constraint === undefined ? '' : `; rows of ${table} break ${constraint}`;
  return new PlainError(`${name} failed${line}: ${words}${rows} (${code}); ${left}`, { cause: error });
}

async function runOutside(connection: Connection, step: Pick<SchemaStep, 'script'>): Promise<void> {
  for (const { statement, index } of repeatablesOf(step)) {
    if (index !== undefined) await dropInvalid(connection, index);
    await connection.unsafe(statement);
  }
}

/** The statements of a step outside a transaction. Throws PlainError if one of them cannot be repeated. */
export function* repeatablesOf({
  script,
}: Pick<SchemaStep, 'script'>): Generator<{ statement: string; index: string | undefined }> {
  for (const statement of statementsOf(script)) {
    const found = repeatable.map((each) => each.exec(statement)).find((each) => each !== null);
    if (found === undefined) {
      throw new PlainError(`a migration outside a transaction must not run: ${statement}`);
    }
    yield { statement, index: found?.groups?.index };
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
