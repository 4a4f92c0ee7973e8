import type { Sql } from './client.ts';

/** Which values of a setting are right, and the one to set. */
export type Rule = { isRight: (value: string) => boolean; wanted: string };

/** One value alone. */
export const exactly = (wanted: string): Rule => ({ isRight: (value) => value === wanted, wanted });

/** An answered transaction can be lost with these. A connection must not, or may not, set them itself. */
const lossy: Record<string, Rule> = {
  fsync: exactly('on'),
  full_page_writes: exactly('on'),
  synchronous_commit: { isRight: (value) => value !== 'off', wanted: 'on' },
};

/** The service cannot do its work with others. A connection may not, or cannot always, set them itself. */
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
type WrongSettings = { lossy: string[]; unfit: string[] };

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
