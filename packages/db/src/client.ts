import postgres from 'postgres';

const types = {
  // recNo, transactionNo and counts stay far below 2^53.
  bigint: { to: 20, from: [20], parse: Number, serialize: String },
};

/** The pool. */
export type Sql = postgres.Sql<{ bigint: number }>;
/** A database transaction: what must run inside one takes this. */
export type Tx = postgres.TransactionSql<{ bigint: number }>;

export type ConnectOptions = {
  /** Shown by Postgres beside each connection. */
  name: string;
  connectionsMax?: number;
  /** A statement that takes longer is ended by Postgres. */
  statementTimeoutMs?: number;
  /** A transaction left open, by a frozen process say, is ended by Postgres and its locks are free. */
  idleInTransactionMs?: number;
  /**
   * Every statement goes by index, one row after the other, and is planned once, not for the values of each call. For
   * statements that touch as many rows as they are given keys: a plan made while a table was small, which would read it
   * whole, stays when it has grown; and one made for items with a few lots, which would read all of an item's and sort them,
   * is used for the item that has thousands.
   */
  byKeys?: boolean;
};

const byKeysSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
};

/** A pool on `databaseUrl`; connections are made when first needed. Answers are UTC, `numeric` arrives as text. */
export function connect(databaseUrl: string, options: ConnectOptions): Sql {
  return postgres(databaseUrl, {
    max: options.connectionsMax ?? 10,
    types,
    onnotice: () => {},
    connect_timeout: 3,
    // Back soon after an outage.
    backoff: (attempt) => Math.min(0.05 * 2 ** attempt, 0.5),
    ...(process.env.DATABASE_PASSWORD === undefined ? {} : { password: process.env.DATABASE_PASSWORD }),
    connection: {
      application_name: options.name,
      TimeZone: 'UTC',
      // Compiling takes longer than any statement of ours that Postgres would compile.
      jit: 'off',
      statement_timeout: options.statementTimeoutMs ?? 0,
      idle_in_transaction_session_timeout: options.idleInTransactionMs ?? 0,
      ...(options.byKeys === true ? byKeysSettings : {}),
    },
  });
}

/**
 * Whether an error says that Postgres cannot work now: it is away, going, coming, out of resources or too late. Anything else, an error
 * of a statement or of ours, will come again with the same request.
 */
export function isOutage(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return false;
  if (!(error instanceof postgres.PostgresError)) return true;
  // 57Pxx: shutting down or starting; 53xxx: out of resources; 25P03: a transaction of ours was left open too long;
  // 08xxx: connections; 40xxx: rolled back through no fault of the statement.
  return /^(57P|53|25P03|08|40)/.test(code);
}

/** The name of the unique constraint that refused a statement, or null for any other error. */
export function violatedUnique(error: unknown): string | null {
  return error instanceof postgres.PostgresError && error.code === '23505'
    ? (error.constraint_name ?? '')
    : null;
}

/** Whether a statement was refused because what it refers to is not there; `constraint` is the foreign key's name. */
export function violatesForeignKey(error: unknown, constraint: string): boolean {
  return (
    error instanceof postgres.PostgresError && error.code === '23503' && error.constraint_name === constraint
  );
}

/** Whether a statement failed because its table is not there: the database was never migrated. */
export function lacksTable(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '42P01';
}
