import { PlainError } from '@inventory/process/plain-error';
import { pinned } from '../connection-settings.ts';
import { connect, type Sql } from '../pool.ts';
import { exactly, type Rule, readSettings } from '../wrong-settings.ts';

/** The server at an address is of the wrong kind. The message is one line for the operator. */
export class PoolerError extends PlainError {}

/**
 * Whether a pooler such as PgBouncer answers in place of Postgres: it numbers its connections itself, so the
 * number differs from the backend's.
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

/** A pooler refuses a connection whose settings it does not know. */
function isStartRefused(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === '08P01' && /unsupported startup parameter/.test(message ?? '');
}

/**
 * Refuses a pooler in front of the database for writes. In transaction mode, two statements of a connection
 * go to two backends, so session locks, settings and prepared statements would be mixed up. Throws
 * PoolerError.
 */
export async function refusePooler(sql: Sql): Promise<void> {
  if (!(await isPooled(sql))) return;
  throw new PoolerError(
    'DATABASE_URL leads through a pooler, where locks, settings and prepared statements of a connection are lost: ' +
      'give it the address of Postgres itself (a pooler is allowed for DATABASE_READ_URL)',
  );
}

// Through a pooler, a connection begins with the settings of its role.
const neededThroughPooler: Record<string, Rule> = {
  ...Object.fromEntries(Object.entries(pinned).map(([name, value]) => [name, exactly(value)])),
  search_path: { isRight: (value) => value === 'public' || value === '"$user", public', wanted: 'public' },
  max_parallel_workers_per_gather: exactly('0'),
  statement_timeout: { isRight: (value) => Number(value) > 0 && Number(value) <= 10_000, wanted: '10s' },
};

/**
 * Refuses a pooler whose connections lack settings that lists need, and names the statements that set them
 * for the role. Throws PoolerError.
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
      `DATABASE_READ_URL leads through a pooler, where settings of a connection are lost: run \`${statements.join(' ')}\` on the primary, then make the pooler reconnect`,
    );
  } finally {
    await sql.end({ timeout: 1 });
  }
}
