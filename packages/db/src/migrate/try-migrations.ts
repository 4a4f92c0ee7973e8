import { endWithClient } from '@inventory/postgres/end-with-client';
import { isLockTimeout, isStatementTimeout, type Sql } from '@inventory/postgres/pool';
import { refusePooler } from '@inventory/postgres/servers/pooler';
import { migrationLockKey, readOldest, readSchemaVersion, refuseBeforeMigrating } from './migrate.ts';
import { beginStep, type Connection, explainStep, isOutside, repeatablesOf } from './run-migration.ts';
import { readSteps, type SchemaStep } from './schema-steps.ts';

/** A table that others have to wait for until the step ends. */
export type HeldTable = { table: string; waiting: 'writes' | 'reads and writes' };

/**
 * The outcome of a step. `works`: it ran to its end. `outside`: it runs outside a transaction, where it
 * cannot be taken back, and was not tried. `long`: it was stopped while others waited. `busy`: a table was in
 * use. `wrong`: it would fail, for this reason.
 */
export type TriedStep = {
  name: string;
  outcome: 'works' | 'outside' | 'long' | 'busy' | 'wrong';
  ms: number;
  held: HeldTable[];
  error: unknown;
};

export type Trial = {
  /** The version of the tables; null: there are none. */
  found: number | null;
  /** The steps that would run, up to the first that did not run to its end. */
  tried: TriedStep[];
  /** The steps after that one. */
  left: string[];
  /** Whether the version that runs now could go on; null: nothing can run yet, or this is not known. */
  serves: boolean | null;
};

export type TryOptions = {
  /** How long tables may be held, by all steps together; nobody waits for a database without tables. */
  holdMs: number;
  /** The folder of later migrations. */
  from?: string;
};

// As a migration waits, so that nobody waits longer behind the trial.
const lockMs = 300;
const restMs = 1000;
const triesMax = 10;

/**
 * Runs the steps that `migrate` would run, one after the other in one transaction, which is rolled back.
 * Tells of each how long it took and which tables it holds until its end: measured by Postgres on these very
 * rows. Refuses what `migrate` refuses. Fails with `null` if a migration or a backup is under way.
 */
export async function tryMigrations(sql: Sql, { holdMs, from }: TryOptions): Promise<Trial | null> {
  await refusePooler(sql);
  const connection = await sql.reserve();
  try {
    await endWithClient(connection);
    const [lock] = await connection<{ mine: boolean }[]>`
      select pg_try_advisory_lock(${migrationLockKey}::bigint) as mine`;
    if (!lock!.mine) return null;
    const steps = readSteps(from);
    await refuseBeforeMigrating(connection, steps);
    const { found } = await readSchemaVersion(connection, steps);
    const pending = steps.filter(({ version }) => version > (found ?? 0));
    for (let tries = 1; ; tries++) {
      const trial = await tryAll(connection, { found, pending, holdMs });
      const isBusy = trial.tried.at(-1)?.outcome === 'busy';
      if (!isBusy || tries === triesMax) return trial;
      await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  } finally {
    await connection`select pg_advisory_unlock(${migrationLockKey}::bigint)`.catch(() => {});
    connection.release();
  }
}

async function tryAll(
  connection: Connection,
  { found, pending, holdMs }: { found: number | null; pending: readonly SchemaStep[]; holdMs: number },
): Promise<Trial> {
  const [there] = await connection<{ tables: number[] }[]>`
    select array(
      select oid::bigint from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    ) as tables`;
  const startedAt = performance.now();
  const leftMs = () =>
    found === null ? 0 : Math.max(1, Math.round(holdMs - (performance.now() - startedAt)));
  const tried: TriedStep[] = [];
  const left = pending.map(({ name }) => name);
  let serves: boolean | null = null;
  try {
    for (const step of pending) {
      left.shift();
      const known = tried.flatMap(({ held }) => held);
      const each = await tryStep(connection, step, { tables: there!.tables, known, statementMs: leftMs() });
      tried.push(each);
      if (each.outcome !== 'works' && each.outcome !== 'outside') return { found, tried, left, serves };
    }
    serves = found === null ? null : (await readOldest(connection)) <= found;
  } finally {
    await connection.unsafe('rollback').catch(() => {});
  }
  return { found, tried, left, serves };
}

async function tryStep(
  connection: Connection,
  step: SchemaStep,
  {
    tables,
    known,
    statementMs,
  }: { tables: readonly number[]; known: readonly HeldTable[]; statementMs: number },
): Promise<TriedStep> {
  const startedAt = performance.now();
  const to = (outcome: TriedStep['outcome'], held: HeldTable[] = [], error: unknown = null) => ({
    name: step.name,
    outcome,
    ms: Math.round(performance.now() - startedAt),
    held,
    error,
  });
  try {
    if (isOutside(step)) {
      // Throws if one of them may not run.
      for (const _ of repeatablesOf(step));
      return to('outside');
    }
    // A second `begin` only warns: the steps share one transaction.
    const running = beginStep(connection, step, { lockMs, statementMs });
    // The step may be many short statements. If this is late and ends the next one, the time is up, too.
    const stop = statementMs === 0 ? undefined : setTimeout(() => running.cancel(), statementMs);
    await running.finally(() => clearTimeout(stop));
    const done = to('works');
    const held = await readHeldTables(connection, tables);
    const isNew = (each: HeldTable) =>
      !known.some(({ table, waiting }) => table === each.table && waiting === each.waiting);
    return { ...done, held: held.filter(isNew) };
  } catch (error) {
    if (isLockTimeout(error)) return to('busy');
    if (isStatementTimeout(error)) return to('long');
    return to('wrong', [], explainStep(error, step, 'nothing was changed'));
  }
}

/** The tables among those that were there before for which others wait now. */
async function readHeldTables(connection: Connection, tables: readonly number[]): Promise<HeldTable[]> {
  const rows = await connection<HeldTable[]>`
    select relname as table,
      case when bool_or(mode = 'AccessExclusiveLock') then 'reads and writes' else 'writes' end as waiting
    from pg_locks
    join pg_class on pg_class.oid = relation
    where pid = pg_backend_pid() and granted and relation::bigint = any(${tables as number[]}::bigint[])
      and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    group by relname
    order by relname`;
  return [...rows];
}
