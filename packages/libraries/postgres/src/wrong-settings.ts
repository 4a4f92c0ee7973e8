import type { Sql } from './pool.ts';

/** The allowed values of a setting, and the one to recommend. */
export type Rule = { isRight: (value: string) => boolean; wanted: string };

/** A rule with a single allowed value. */
export const exactly = (wanted: string): Rule => ({ isRight: (value) => value === wanted, wanted });

/**
 * With other values an answered transaction can be lost. A connection must not, or may not, set these itself.
 */
const lossy: Record<string, Rule> = {
  fsync: exactly('on'),
  full_page_writes: exactly('on'),
  synchronous_commit: { isRight: (value) => value !== 'off', wanted: 'on' },
};

/** With other values the service cannot work. A connection cannot, or cannot always, set these itself. */
const unfit: Record<string, Rule> = {
  // Otherwise triggers and foreign keys, which protect the ledger, would not run.
  session_replication_role: { isRight: (value) => value !== 'replica', wanted: 'origin' },
  // If it is on, the server refuses writes; with several hosts it distinguishes them.
  default_transaction_read_only: exactly('off'),
  // Postgres 17 and later. It must exceed the longest answer, and migrations have no limit.
  transaction_timeout: {
    isRight: (value) => Number(value) === 0 || Number(value) >= 60_000,
    wanted: '0',
  },
};

/** The settings found, each as `name = value`. */
type WrongSettings = { lossy: string[]; unfit: string[] };

/** The settings of this connection with which the service must not, or cannot, run. */
export async function findWrongSettings(sql: Sql): Promise<WrongSettings> {
  const found = await readSettings(sql, Object.keys({ ...lossy, ...unfit }));
  return { lossy: wrongOf(found, lossy), unfit: wrongOf(found, unfit) };
}

/** The values of these settings on this connection, without those unknown to the server. */
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
