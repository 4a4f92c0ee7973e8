import { PlainError } from '@inventory/process/plain-error';
import { pinned } from './connection-settings.ts';
import { connect, type Sql } from './pool.ts';
import { exactly, type Rule, readSettings } from './wrong-settings.ts';

/** What stands at an address is not what is needed there; the message is one line for whoever starts. */
export class PoolerError extends PlainError {}

/**
 * Whether a pooler such as PgBouncer answers in the place of Postgres: it gives each connection a number of
 * its own, and the servers' backends have others.
 */
export async function isPooled(sql: Sql): Promise<boolean> {
  try {
    const rows = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return rows[0]!.pid !== (rows as unknown as { state: { pid: number } }).state.pid;
  } catch (error) {
    if (isStartRefused(error)) return true;
    throw error;
  }
}

/** A pooler that does not know the settings with which a connection begins refuses it. */
function isStartRefused(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === '08P01' && /unsupported startup parameter/.test(message ?? '');
}

/**
 * Refuses a pooler before the database that everything is written to. In transaction mode two statements of
 * one connection go to two backends: locks of a session, settings of a connection and what it has prepared
 * would be another's. Throws PoolerError.
 */
export async function refusePooler(sql: Sql): Promise<void> {
  if (!(await isPooled(sql))) return;
  throw new PoolerError(
    'DATABASE_URL leads through a pooler, where locks, settings and prepared statements of a connection do not hold: ' +
      'give it the address of Postgres itself (a pooler may stand before DATABASE_READ_URL)',
  );
}

// Through a pooler a connection begins with the settings of its role.
const neededThroughPooler: Record<string, Rule> = {
  ...Object.fromEntries(Object.entries(pinned).map(([name, value]) => [name, exactly(value)])),
  search_path: { isRight: (value) => value === 'public' || value === '"$user", public', wanted: 'public' },
  max_parallel_workers_per_gather: exactly('0'),
  statement_timeout: { isRight: (value) => Number(value) > 0 && Number(value) <= 10_000, wanted: '10s' },
};

/**
 * Refuses a pooler whose connections have other settings than lists need, and says by which statements the
 * role gets them. Throws PoolerError.
 */
export async function refuseRoleWithoutSettings(databaseUrl: string): Promise<void> {
  const sql = connect(databaseUrl, { name: 'inventory-start', connectionsMax: 1, pooled: true });
  try {
    const found = await readSettings(sql, Object.keys(neededThroughPooler));
    const wrong = [...found].filter(([name, value]) => !neededThroughPooler[name]!.isRight(value));
    if (wrong.length === 0) return;
    const [row] = await sql<{ role: string }[]>`select quote_ident(current_user) as role`;
    const statements = wrong.map(
      ([name]) => `alter role ${row!.role} set ${name} = '${neededThroughPooler[name]!.wanted}';`,
    );
    throw new PoolerError(
      `DATABASE_READ_URL leads through a pooler, where settings of a connection do not hold: run \`${statements.join(' ')}\` on the primary and let the pooler connect anew`,
    );
  } finally {
    await sql.end({ timeout: 1 });
  }
}
