// What is set for a server, a database or a role holds for our connections, too, unless they begin with a
// value of their own. Our answers depend on these settings.

/** These reach Postgres through a pooler as well: it reports each change of them. */
const told: Record<string, string> = {
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  standard_conforming_strings: 'on',
};

/** Settings that each of our connections sets itself, whatever Postgres has. */
export const pinned: Record<string, string> = {
  ...told,
  // A table of the same name in another schema is not ours.
  search_path: 'public',
  bytea_output: 'hex',
  array_nulls: 'on',
  extra_float_digits: '1',
  // The locks of a batch rely on each statement seeing what was committed before it.
  default_transaction_isolation: 'read committed',
  // Beyond such a limit an index of texts would leave out rows at random.
  gin_fuzzy_search_limit: '0',
  // Otherwise a failed statement, and some are expected to fail, would end its connection.
  exit_on_error: 'off',
  // Compiling takes longer than any statement of ours that Postgres would compile.
  jit: 'off',
  // Otherwise the values of a failed statement would go into the server's log.
  log_parameter_max_length_on_error: '0',
};

/** Settings that keep a connection usable. A pooler has its own. */
const ofConnections: Record<string, string> = {
  idle_session_timeout: '0',
  // A machine that is lost says nothing: its connections would keep their places for the two hours that a
  // system waits by default.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '0',
  // Postgres reports by a warning that a commit did not wait for its standbys.
  client_min_messages: 'warning',
};

const byKeysSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
};

const byIndexSettings = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' };

/** The use of a connection, which decides its settings. */
export type ConnectionUse = {
  /** Shown by Postgres beside each connection. */
  name: string;
  /** A statement that takes longer is ended by Postgres. */
  statementTimeoutMs?: number;
  /** A statement that waits longer for a lock fails. */
  lockTimeoutMs?: number;
  /** A transaction left open, by a frozen process say, is ended by Postgres and its locks are free. */
  idleInTransactionMs?: number;
  /**
   * Every statement goes by index, one row after the other, and is planned once, not for the values of each
   * call. For statements that touch as many rows as they are given keys: a plan made while a table was small,
   * which would read it whole, stays when it has grown; and one made for items with a few lots, which would
   * read all of an item's and sort them, is used for the item that has thousands.
   */
  byKeys?: boolean;
  /** A statement keeps one processor busy, not several: it must leave some to others. */
  oneProcess?: boolean;
  /** Statements that look for a few rows by an index, whatever the planner thinks there is. */
  byIndex?: boolean;
  /** Through a pooler in transaction mode: nothing is prepared, and most settings are those of the role. */
  pooled?: boolean;
};

/** The settings with which a connection begins. All are texts, because the driver drops a zero. */
export function settingsOf(options: ConnectionUse): Record<string, string> {
  const name = { application_name: options.name };
  if (options.pooled === true) return { ...name, ...told };
  return {
    ...name,
    ...pinned,
    ...ofConnections,
    statement_timeout: String(options.statementTimeoutMs ?? 0),
    lock_timeout: String(options.lockTimeoutMs ?? 0),
    idle_in_transaction_session_timeout: String(options.idleInTransactionMs ?? 0),
    ...(options.byKeys === true ? byKeysSettings : {}),
    ...(options.byIndex === true ? byIndexSettings : {}),
    ...(options.oneProcess === true ? { max_parallel_workers_per_gather: '0' } : {}),
  };
}
