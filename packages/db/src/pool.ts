import { readDatabaseAddress } from '@inventory/process/database-address';
import { PlainError } from '@inventory/process/plain-error';
import postgres from 'postgres';
import { type ConnectionUse, settingsOf } from './connection-settings.ts';
import { hostsOf } from './hosts/hosts.ts';
import { serverOptions } from './hosts/server-options.ts';

const types = {
  // recNo, transactionNo and counts stay far below 2^53.
  bigint: { to: 20, from: [20], parse: Number, serialize: String },
  // Of what Postgres writes, `Date` takes a year below 100 for another one, or for no date at all; not of ISO
  // 8601.
  date: {
    to: 1184,
    from: [1082, 1114, 1184],
    parse: (text: string) => new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z')),
    serialize: (value: Date | string) => (value instanceof Date ? value : new Date(value)).toISOString(),
  },
};

/** The pool. */
export type Sql = postgres.Sql<{ bigint: number }>;
/** A database transaction: work that must run inside one takes this. */
export type Tx = postgres.TransactionSql<{ bigint: number }>;
/** A piece of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** Resolves when Postgres answers. */
export async function reach(sql: Sql): Promise<void> {
  await sql`select`;
}

export type ConnectOptions = ConnectionUse & { connectionsMax?: number };

/**
 * A pool on `databaseUrl`; connections are made when first needed, to the primary where the address names
 * several servers. Answers are UTC, `numeric` arrives as text.
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
    // Back soon after an outage.
    backoff: (attempt) => Math.min(0.05 * 2 ** attempt, 0.5),
    prepare: options.pooled !== true,
    connection: settingsOf(options),
  });
  if (hosts !== null) ofSeveralHosts.add(sql);
  return sql;
}

// The function of Postgres in which a commit waits for its standbys; messages carry it in every language.
const waitForStandbys = 'SyncRepWaitForLSN';

/** A commit took effect, but its wait for the standbys was cancelled, by `pg_cancel_backend` or by us. */
class UnwaitedError extends PlainError {
  readonly code = 'COMMIT_UNWAITED';
}

/**
 * Where a warning says that a commit did not wait for the standbys, fails its statement like one whose answer
 * was lost: an error thrown here becomes the running statement's.
 */
function refuseUnwaited({ routine }: postgres.Notice): void {
  if (routine === waitForStandbys) throw new UnwaitedError('a commit did not wait for the standbys');
}

// Postgres tells a connection when it changes, before the end of the statement that meets it first.
const readOnlyByDefault = 'default_transaction_read_only';
const ofSeveralHosts = new WeakSet<Sql>();

/**
 * Whether the server of a single connection says that it takes no writes any more, while another one of the
 * address may: what it answers may be of before that.
 */
export function isDemoted(sql: Sql): boolean {
  return ofSeveralHosts.has(sql) && (sql.parameters as Record<string, unknown>)[readOnlyByDefault] === 'on';
}

/**
 * Has told when the connection of a pool that has one, and was ended, is closed by Postgres; null: it was
 * never answered there. No promise, as in `onClosed`.
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

/**
 * A connection of its own for transactions that are begun and ended by hand. It ends once, and is never
 * opened again.
 */
export type SingleConnection = {
  /** Sends statements in order, without waiting for the one before. */
  tx: Tx;
  isClosed(): boolean;
  /**
   * Has the error told when the connection closes, or has closed, for whatever reason; returns how to be told
   * no more. No promise: one that never settles keeps everything that was ever raced against it.
   */
  onClosed(tell: (error: Error) => void): () => void;
  /** Ends it when what was sent is answered, `timeout` seconds later at most. */
  end(options: { timeout: number }): Promise<void>;
};

/**
 * Opens a connection as the pool does. Made anew for each: the driver's pools put a new connection in the
 * place of one that broke, and a statement of the lost transaction would run there, outside of any.
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
        // One that is reserved would be waited for.
        if (!closed) reserved.release();
        return single.end(timing);
      },
    };
  } catch (error) {
    void single.end({ timeout: 0 });
    throw error;
  }
}

// Postgres is out of reach, as the system or the driver says it.
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
// Postgres is going, coming or full, as it says itself: 57P01–57P05 ended by an administrator, shutting down,
// starting, its database dropped, idle for too long; 08xxx connections; 53xxx out of disk, memory or
// connections; 25006 a standby, or a primary that became one; 25P04 a transaction that took longer than the
// server allows any.
const unavailable = /^(57P0[1-5]|08...|53...|25006|25P04)$/;

/**
 * Whether an error says that Postgres cannot work now: it is out of reach, going, coming or full. A list of
 * what does: anything else, an error of a statement or of ours, may come again with the same request and not
 * with others.
 */
export function isOutage(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return false;
  return error instanceof postgres.PostgresError ? unavailable.test(code) : unreachable.has(code);
}

/** Whether a statement failed because Postgres has no room for what it writes. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '53100';
}

/** Whether Postgres ended a statement because it took longer than it may. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '57014';
}

/** Whether a replica ended a statement that stood in the way of what it replays. */
export function isConflictOfRecovery(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '40001';
}

/** Whether Postgres could not say: it cannot work now, or the statement took longer than it may. */
export function isUnanswered(error: unknown): boolean {
  return isOutage(error) || isStatementTimeout(error);
}

/** Whether a statement waited longer for a lock than it may. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '55P03';
}

/** Whether somebody else may have changed the same row of a catalog just then: no code says only that. */
export function isConcurrentChange(error: unknown): boolean {
  const codes = ['XX000', '23505'];
  return error instanceof postgres.PostgresError && codes.includes(error.code);
}

/** The name of the unique constraint that refused a statement, or null for any other error. */
export function violatedUnique(error: unknown): string | null {
  return error instanceof postgres.PostgresError && error.code === '23505'
    ? (error.constraint_name ?? '')
    : null;
}

/**
 * Whether a statement was refused because what it refers to is not there; `constraint` is the foreign key's
 * name.
 */
export function violatesForeignKey(error: unknown, constraint: string): boolean {
  return (
    error instanceof postgres.PostgresError && error.code === '23503' && error.constraint_name === constraint
  );
}

/** Whether a statement failed because its table is not there: the database has no tables of ours. */
export function lacksTable(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '42P01';
}

/** Whether a statement was refused because the role of the connection has no right to it. */
export function lacksRight(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '42501';
}

/** Whether Postgres refused the password of the connection. */
export function refusesPassword(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '28P01';
}
