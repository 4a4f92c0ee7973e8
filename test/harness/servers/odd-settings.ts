import type { Sql } from '@inventory/postgres/pool';

/** A setting of Postgres with an unexpected value. */
export type OddSetting = { name: string; value: string };

type Setting = {
  name: string;
  vartype: string;
  value: string;
  min: string | null;
  max: string | null;
  allowed: string[] | null;
};

// Texts, whose valid values no table gives. A missing setting fails the test.
const texts: Record<string, readonly string[]> = {
  DateStyle: ['SQL, DMY', 'German', 'Postgres, MDY'],
  TimeZone: ['Asia/Kathmandu', 'America/St_Johns'],
  application_name: ['theirs'],
  backtrace_functions: ['exec_simple_query'],
  client_encoding: ['latin1', 'sql_ascii'],
  createrole_self_grant: ['set, inherit'],
  default_text_search_config: ['pg_catalog.german'],
  extension_control_path: ['/nowhere'],
  lc_messages: ['POSIX'],
  lc_monetary: ['POSIX'],
  lc_numeric: ['POSIX'],
  lc_time: ['POSIX'],
  restrict_nonsystem_relation_kind: ['view, foreign-table'],
  search_path: ['nowhere', 'pg_catalog', '"$user"'],
  timezone_abbreviations: ['Australia', 'India'],
  wal_consistency_checking: ['all'],
};

const leftOut: { names: RegExp; why: string }[] = [
  { names: /^(log_|debug_print_|trace_)/, why: 'writes lines into the log of the server, nothing else' },
  { names: /^icu_validation_level$/, why: 'is the level of a message to somebody who makes a collation' },
  { names: /^transaction_(isolation|read_only|deferrable)$/, why: 'is of a transaction' },
  {
    names: /_preload_libraries$|^dynamic_library_path$/,
    why: 'without its libraries Postgres refuses everybody, by the name of the library',
  },
  { names: /^(temp_file_limit|max_stack_depth)$/, why: 'a statement that meets this limit names it' },
  { names: /tablespaces?$|^default_table_access_method$/, why: 'names something that somebody must make' },
];

/** Values with which the service must not run, so that it refuses them by name. */
export const refused: readonly OddSetting[] = [
  { name: 'synchronous_commit', value: 'off' },
  { name: 'session_replication_role', value: 'replica' },
  { name: 'default_transaction_read_only', value: 'on' },
  { name: 'transaction_timeout', value: '2000' },
];

/**
 * Rounds of settings that a database or a role can have, all of a round at once: each setting takes every odd
 * value in one of them. Refused values are left out.
 */
export async function oddRounds(sql: Sql): Promise<OddSetting[][]> {
  const settings = await sql<Setting[]>`
    select name, vartype, reset_val as value, min_val as min, max_val as max, enumvals as allowed
    from pg_settings
    where context in ('user', 'superuser')
    order by name`;
  const odd = settings
    .filter(({ name }) => !leftOut.some(({ names }) => names.test(name)))
    .map((setting) => ({ name: setting.name, values: oddValuesOf(setting) }))
    .filter(({ values }) => values.length > 0);
  const count = Math.max(...odd.map(({ values }) => values.length));
  return Array.from({ length: count }, (_, round) =>
    odd.map(({ name, values }) => ({ name, value: values[round % values.length]! })),
  );
}

function oddValuesOf(setting: Setting): readonly string[] {
  const values = candidatesOf(setting).filter((value) => value !== setting.value);
  // The smallest values of a time limit are refused as well, or end the start itself.
  const isRefused = (value: string) =>
    refused.some(
      (each) => each.name === setting.name && (setting.vartype === 'integer' || each.value === value),
    );
  return values.filter((value) => !isRefused(value));
}

function candidatesOf({ name, vartype, min, max, allowed }: Setting): readonly string[] {
  if (vartype === 'bool') return ['on', 'off'];
  // One of six ways to log more is enough.
  if (vartype === 'enum') return allowed!.filter((value) => !/^(?:debug[2-5]|log)$/.test(value));
  if (vartype === 'string') {
    const values = texts[name];
    if (values === undefined) throw new Error(`${name}: nobody has thought of an odd value`);
    return values;
  }
  // If the smallest value of a limit means no limit, the next one is the narrowest.
  if (vartype === 'integer') return [min!, String(Number(min) + 1), max!];
  // With costs near the largest double every plan costs the same, and one may take for ever.
  return [min!, String(Math.min(Number(max), 1e6))];
}
