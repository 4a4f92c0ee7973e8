// Settings of the server, database or role also apply to our connections, unless a connection sets its own
// values when it begins. Our answers depend on the following ones.

/** A pooler passes these on, because Postgres reports each change of them. */
const told: Record<string, string> = {
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  standard_conforming_strings: 'on',
};

/** Settings that each connection sets itself, whatever is configured in Postgres. */
export const pinned: Record<string, string> = {
  ...told,
  // A table with the same name in another schema must not be used.
  search_path: 'public',
  bytea_output: 'hex',
  array_nulls: 'on',
  extra_float_digits: '1',
  // The locks of a batch rely on each statement seeing everything that was committed before it.
  default_transaction_isolation: 'read committed',
  // With a limit, an index of texts would randomly leave out rows.
  gin_fuzzy_search_limit: '0',
  // Otherwise a failed statement would end its connection, and some statements are expected to fail.
  exit_on_error: 'off',
  // Compiling takes longer than any of our statements that Postgres would compile.
  jit: 'off',
  // Otherwise the values of a failed statement would be written to the server's log.
  log_parameter_max_length_on_error: '0',
};

/** Settings that keep a connection usable. A pooler has its own. */
const ofConnections: Record<string, string> = {
  idle_session_timeout: '0',
  // A machine that is lost does not say so. By default, its connections would keep their places for two
  // hours.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '0',
  // Postgres reports with a warning that a commit did not wait for its standbys.
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
  /** Postgres shows this name for the connection. */
  name: string;
  /** Postgres ends a statement that takes longer. */
  statementTimeoutMs?: number;
  /** A statement that waits longer for a lock fails. */
  lockTimeoutMs?: number;
  /** If a transaction is left open, for example by a frozen process, Postgres ends it and frees its locks. */
  idleInTransactionMs?: number;
  /**
   * Plans use indexes, read rows one by one, and are made once rather than for the values of each call. For
   * statements that touch as many rows as they are given keys. Otherwise a plan that was made while a table
   * was small and reads it whole would stay when it has grown. Or a plan for items with few lots, which reads
   * and sorts all of an item's lots, would be used for an item with thousands.
   *
   * A join with a list of keys is written `column = any(array[list.key])`, so that the list comes first. With
   * `column = list.key` Postgres may also read the whole table in the order of its index, and the list again
   * for each row. While the table has few rows, that looks cheaper, and the plan is kept when it has grown.
   */
  byKeys?: boolean;
  /** A statement uses only one core, to leave others free. */
  oneProcess?: boolean;
  /** For statements that look up a few rows by an index, whatever the planner estimates. */
  byIndex?: boolean;
  /** Through a pooler in transaction mode: nothing is prepared, and most settings come from the role. */
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
