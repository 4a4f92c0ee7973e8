import type { ConnectOptions, Sql } from './client.ts';

// What an operator of Postgres may set for a server, a database or a role holds for our connections as well,
// unless they begin with a value of their own. These are the settings on which an answer of ours depends.

/** Poolers, too, take these from a connection: Postgres tells them of each change. */
const told: Record<string, string> = {
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  standard_conforming_strings: 'on',
};

const pinned: Record<string, string> = {
  ...told,
  // Tables of the same name elsewhere are another's.
  search_path: 'public',
  bytea_output: 'hex',
  array_nulls: 'on',
  extra_float_digits: '1',
  // Each statement sees what was committed before it, which the locks of a batch are built on.
  default_transaction_isolation: 'read committed',
  // An index of texts would leave out at random what is beyond it.
  gin_fuzzy_search_limit: '0',
  // A statement that fails, as some are meant to, would end its connection.
  exit_on_error: 'off',
  // Compiling takes longer than any statement of ours that Postgres would compile.
  jit: 'off',
  // Values of a statement that fails would come into the server's log.
  log_parameter_max_length_on_error: '0',
};

/** What a connection of ours lives by; a pooler's are its own. */
const ofConnections: Record<string, string> = {
  idle_session_timeout: '0',
  // A machine that is lost says nothing: its connections would keep their places for the two hours that a
  // system waits by default.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '0',
  // By a warning Postgres says that a commit did not wait for its standbys.
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

/** The settings with which a connection begins. All are texts: the driver leaves out a zero. */
export function settingsOf(options: ConnectOptions): Record<string, string> {
  if (options.pooled === true) return told;
  return {
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

type Rule = { isRight: (value: string) => boolean; wanted: string };

const exactly = (wanted: string): Rule => ({ isRight: (value) => value === wanted, wanted });

/** What a connection through a pooler must have by its role, for lists. */
export const neededThroughPooler: Record<string, Rule> = {
  ...Object.fromEntries(Object.entries(pinned).map(([name, value]) => [name, exactly(value)])),
  search_path: { isRight: (value) => value === 'public' || value === '"$user", public', wanted: 'public' },
  max_parallel_workers_per_gather: exactly('0'),
  statement_timeout: { isRight: (value) => Number(value) > 0 && Number(value) <= 10_000, wanted: '10s' },
};

/** What can lose an answered transaction. A connection must not, or may not, set these itself. */
const lossy: Record<string, Rule> = {
  fsync: exactly('on'),
  full_page_writes: exactly('on'),
  synchronous_commit: { isRight: (value) => value !== 'off', wanted: 'on' },
};

/** With which the service cannot do its work, and which a connection may not, or cannot always, set itself. */
const unfit: Record<string, Rule> = {
  // Of triggers and references, which guard the ledger, none would act.
  session_replication_role: { isRight: (value) => value !== 'replica', wanted: 'origin' },
  // Says of a server that it takes no writes, which several hosts are told apart by.
  default_transaction_read_only: exactly('off'),
  // Only Postgres 17 and later know it. Longer than the longest answer takes; migrations take what they take.
  transaction_timeout: {
    isRight: (value) => Number(value) === 0 || Number(value) >= 60_000,
    wanted: '0',
  },
};

/** A setting as it is, `name = value`. */
export type WrongSettings = { lossy: string[]; unfit: string[] };

/** Settings of this connection with which the service must not, or cannot, run; none: it can. */
export async function findWrongSettings(sql: Sql): Promise<WrongSettings> {
  const found = await readSettings(sql, Object.keys({ ...lossy, ...unfit }));
  return { lossy: wrongOf(found, lossy), unfit: wrongOf(found, unfit) };
}

/** The values of these settings as this connection has them; one that the server does not know is missing. */
export async function readSettings(sql: Sql, names: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql<{ name: string; setting: string }[]>`
    select name, setting
    from pg_settings
    where name = any(${names as string[]}::text[])
    order by name`;
  return new Map(rows.map(({ name, setting }) => [name, setting]));
}

function wrongOf(found: Map<string, string>, rules: Record<string, Rule>): string[] {
  return [...found]
    .filter(([name, value]) => rules[name]?.isRight(value) === false)
    .map(([name, value]) => `${name} = ${value}`);
}
