import { PlainError } from '@inventory/process/plain-error';
import { readDatabaseAddress } from '@inventory/process/settings/database-address';
import type { Unwritable, UnwritableReason } from '@inventory/process/unwritable';
import postgres from 'postgres';
import { type ConnectionUse, settingsOf } from './connection-settings.ts';
import { hostsOf } from './servers/hosts.ts';
import { serverOptions } from './servers/server-options.ts';

const types = {
  // recNo, transactionNo and counts stay far below 2^53.
  bigint: { to: 20, from: [20], parse: Number, serialize: String },
  // `Date` misreads years below 100 in the format of Postgres, but not in ISO 8601.
  date: {
    to: 1184,
    from: [1082, 1114, 1184],
    parse: (text: string) => new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z')),
    serialize: (value: Date | string) => (value instanceof Date ? value : new Date(value)).toISOString(),
  },
};

/** The pool. */
export type Sql = postgres.Sql<{ bigint: number }>;
/** A database transaction. Work that must run inside one takes this type. */
export type Tx = postgres.TransactionSql<{ bigint: number }>;

/** Resolves if Postgres answers. */
export async function reach(sql: Sql): Promise<void> {
  await sql`select`;
}

export type ConnectOptions = ConnectionUse & { connectionsMax?: number };

/**
 * Makes a pool for `databaseUrl`. Connections are opened when they are needed, to the primary if the address
 * names several servers. Times are UTC; `numeric` arrives as text.
 */
export function connect(databaseUrl: string, options: ConnectOptions): Sql {
  const address = readDatabaseAddress(databaseUrl);
  const hosts =
    address.places.length === 1
      ? null
      : hostsOf(databaseUrl, address, settingsOf({ name: 'inventory-primary' }));
  const ofSeveral = hosts && {
    socket: hosts.openSocket,
    target_session_attrs: 'read-write' as const,
    onclose: hosts.doubt,
    onparameter(name: string, value: string) {
      if (name === readOnlyByDefault && value === 'on') hosts.doubt();
    },
  };
  const sql = postgres({
    ...serverOptions(address, address.places[0]!),
    ...ofSeveral,
    max: options.connectionsMax ?? 10,
    types,
    onnotice: refuseUnwaited,
    // Reconnects soon after an outage.
    backoff: (attempt) => Math.min(0.05 * 2 ** attempt, 0.5),
    prepare: options.pooled !== true,
    connection: settingsOf(options),
  });
  if (hosts !== null) ofSeveralHosts.add(sql);
  return sql;
}

// The Postgres function in which a commit waits for its standbys. Its name is in the message in every
// language.
const waitForStandbys = 'SyncRepWaitForLSN';

/**
 * A commit took effect, but its wait for the standbys was cancelled, by `pg_cancel_backend` or by this
 * service.
 */
class UnwaitedError extends PlainError {
  readonly code = 'COMMIT_UNWAITED';
}

/**
 * If a warning says that a commit did not wait for the standbys, its statement fails as if its answer were
 * lost: an error thrown here becomes that of the running statement.
 */
function refuseUnwaited({ routine }: postgres.Notice): void {
  if (routine === waitForStandbys) throw new UnwaitedError('a commit did not wait for the standbys');
}

// Postgres reports a change of this setting before the end of the first statement that it affects.
const readOnlyByDefault = 'default_transaction_read_only';
const ofSeveralHosts = new WeakSet<Sql>();

/**
 * Whether the server of a single connection says that it no longer takes writes while another server of the
 * address may. Its answers may be outdated.
 */
export function isDemoted(sql: Sql): boolean {
  return ofSeveralHosts.has(sql) && (sql.parameters as Record<string, unknown>)[readOnlyByDefault] === 'on';
}

/**
 * For a pool with one connection that was ended: calls `tell` when Postgres has closed it. null: nothing was
 * ever answered on it. Not a promise, for the reason given at `onClosed`.
 */
export function untilDone(sql: Sql): ((tell: () => void) => void) | null {
  if (Object.keys(sql.parameters).length === 0) return null;
  const options = sql.options as { onclose?: (id: number) => void };
  return (tell) => {
    const { onclose } = options;
    options.onclose = (id) => {
      onclose?.(id);
      tell();
    };
  };
}

/** A separate connection for transactions that are begun and ended by hand. It is never reopened. */
export type SingleConnection = {
  /** Sends statements in order, without waiting for the previous one. */
  tx: Tx;
  isClosed(): boolean;
  /**
   * Calls `tell` with the error when the connection closes, or has closed, for any reason. Returns a function
   * that cancels this. Not a promise: one that never settles keeps everything in memory that was ever raced
   * against it.
   */
  onClosed(tell: (error: Error) => void): () => void;
  /** Ends it when everything that was sent is answered, after at most `timeout` seconds. */
  end(options: { timeout: number }): Promise<void>;
};

/**
 * Opens a connection with the options of the pool. It is made separately because the driver's pools replace a
 * broken connection, and a statement of the lost transaction would then run outside any transaction.
 */
export async function openConnection(sql: Sql): Promise<SingleConnection> {
  let closed = false;
  const waiting = new Set<(error: Error) => void>();
  let closedBy: Error | null = null;
  const options = {
    ...sql.options,
    max: 1,
    max_lifetime: null,
    onclose(id: number) {
      (sql.options as { onclose?: (id: number) => void }).onclose?.(id);
      closed = true;
      closedBy = Object.assign(new PlainError('the connection to Postgres has closed'), {
        code: 'CONNECTION_CLOSED',
      });
      for (const tell of waiting) tell(closedBy);
      waiting.clear();
      void single.end({ timeout: 0 });
    },
  };
  const single = postgres(options as never) as unknown as Sql;
  try {
    const reserved = await single.reserve();
    return {
      tx: reserved as unknown as Tx,
      isClosed: () => closed,
      onClosed(tell) {
        if (closedBy !== null) tell(closedBy);
        else waiting.add(tell);
        return () => waiting.delete(tell);
      },
      end(timing) {
        // `end` would wait for a reserved connection.
        if (!closed) reserved.release();
        return single.end(timing);
      },
    };
  } catch (error) {
    void single.end({ timeout: 0 });
    throw error;
  }
}

// Codes of the system and the driver: Postgres is unreachable.
const unreachable = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...[
    'EHOSTDOWN',
    'ENETDOWN',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ENOENT',
    'ERR_STREAM_DESTROYED',
    'ERR_SOCKET_CLOSED',
  ],
  ...[
    'CONNECT_TIMEOUT',
    'CONNECTION_CLOSED',
    'CONNECTION_ENDED',
    'CONNECTION_DESTROYED',
    'TOO_LATE',
    'NEVER_BEGUN',
    'COMMIT_UNWAITED',
    'TLS_REFUSED',
  ],
]);
// Codes of Postgres: it is stopping, starting or full. 57P01–57P05: ended by an administrator, shutting down,
// starting, its database dropped, idle for too long; 08xxx: connections; 53xxx: out of disk, memory or
// connections; 25006: a standby, or a primary that became one; 25P04: a transaction longer than the server
// allows.
const unavailable = /^(57P0[1-5]|08...|53...|25006|25P04)$/;

/**
 * Whether an error means that Postgres cannot work now: it is unreachable, stopping, starting or full. This
 * is a list, because other errors, of a statement or of this code, may return with the same request and not
 * with others.
 */
export function isOutage(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return false;
  return error instanceof postgres.PostgresError ? unavailable.test(code) : unreachable.has(code);
}

const reasonOf: Readonly<Record<string, UnwritableReason>> = {
  '25006': 'readOnly',
  '53000': 'limit',
  '53100': 'disk',
  // Also too many locks in one transaction.
  '53200': 'memory',
  '53300': 'connections',
  '53400': 'limit',
};

/** Why Postgres, which answers, refuses the work of a statement; null for other errors. */
export function whyUnwritable(error: unknown): UnwritableReason | null {
  return error instanceof postgres.PostgresError ? (reasonOf[error.code] ?? null) : null;
}

/** Notes the reason, if an error has one. */
export function noteUnwritable(unwritable: Unwritable, error: unknown): void {
  const reason = whyUnwritable(error);
  if (reason !== null) unwritable.note(reason);
}

/** Whether Postgres ended a statement because it took too long. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '57014';
}

/** Whether a replica ended a statement because it was in the way of replay. */
export function isConflictOfRecovery(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '40001';
}

/** Whether Postgres could not answer: it cannot work now, or the statement took too long. */
export function isUnanswered(error: unknown): boolean {
  return isOutage(error) || isStatementTimeout(error);
}

/** Whether a statement waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '55P03';
}

/**
 * Whether another session may have changed the same row of a catalog at that moment. No code says only that.
 */
export function isConcurrentChange(error: unknown): boolean {
  const codes = ['XX000', '23505'];
  return error instanceof postgres.PostgresError && codes.includes(error.code);
}

/** The name of the unique constraint that refused a statement; null for other errors. */
export function violatedUnique(error: unknown): string | null {
  return error instanceof postgres.PostgresError && error.code === '23505'
    ? (error.constraint_name ?? '')
    : null;
}

/** Whether a statement was refused by this check. */
export function violatesCheck(error: unknown, constraint: string): boolean {
  return (
    error instanceof postgres.PostgresError && error.code === '23514' && error.constraint_name === constraint
  );
}

/**
 * Whether a statement was refused because it refers to a missing row. `constraint`: the foreign key's name.
 */
export function violatesForeignKey(error: unknown, constraint: string): boolean {
  return (
    error instanceof postgres.PostgresError && error.code === '23503' && error.constraint_name === constraint
  );
}

/** Whether a statement failed because its table is missing: the database has no tables of this service. */
export function lacksTable(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '42P01';
}

/** Whether a statement was refused because the role of the connection lacks the right. */
export function lacksRight(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '42501';
}

/** Whether Postgres refused the password of the connection. */
export function refusesPassword(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '28P01';
}
