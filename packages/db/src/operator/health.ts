import { readDatabaseClock } from '@inventory/postgres/database-clock';
import { piece, send } from '@inventory/postgres/piece';
import { type Sql, whyUnwritable } from '@inventory/postgres/pool';
import type { UnwritableReason } from '@inventory/process/unwritable';
import { excessRightsOf, findMissingRoles, parts, roleOf } from '../access/logins.ts';
import { folded } from '../lists/fold-arrivals.ts';
import { countItems } from '../lists/pages/read-item-page.ts';
import { countListed } from '../lists/pages/way-to-page.ts';

// The questions of `doctor` and `status` to Postgres, one function each, so that a failing one does not
// affect the others. The operator's rights are enough, and nothing is written that stays.

/** The server's version as text and as a comparable number: 180004 is 18.4. */
export async function readServerVersion(sql: Sql): Promise<{ text: string; number: number }> {
  const [row] = await sql<{ text: string; number: number }[]>`
    select current_setting('server_version') as text, current_setting('server_version_num')::integer as number`;
  return row!;
}

/**
 * The service's roles that are missing, and the logins with more rights than their part needs: this
 * connection's, and those of running processes.
 */
export async function readRoles(sql: Sql): Promise<{ missing: string[]; excess: string[] }> {
  const running = await sql<{ name: string; login: string }[]>`
    select distinct application_name as name, rolname as login
    from pg_stat_activity
    join pg_roles on pg_roles.oid = usesysid
    where datname = current_database() and application_name in ('inventory-api', 'inventory-worker', 'inventory-counts')
      and (rolsuper
        or pg_has_role(usesysid, (select relowner from pg_class where oid = 'stock_entry'::regclass), 'usage'))
    order by 1`;
  const own = await excessRightsOf(sql);
  return {
    missing: await findMissingRoles(sql, parts.map(roleOf)),
    excess: [
      ...(own === null ? [] : [`this command connects as ${own}`]),
      ...running.map(({ name, login }) => `${name} connects as ${login}, who may do everything`),
    ],
  };
}

/** Connections to the server: all, the most that it allows, and the service's on this database. */
export async function readConnections(sql: Sql): Promise<{ used: number; max: number; ours: number }> {
  const [row] = await sql<{ used: number; max: number; ours: number }[]>`
    select count(*)::integer as used, current_setting('max_connections')::integer as max,
      (count(*) filter (where datname = current_database() and application_name like 'inventory-%'))::integer as ours
    from pg_stat_activity
    where datid is not null`;
  return row!;
}

// Names of connections from the command line, and of those that only look for the primary.
const notOfService = ['inventory-admin', 'inventory-doctor', 'inventory-primary'];

/** The names under which apis and workers are connected to this database now. */
export async function listServiceConnections(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct application_name as name
    from pg_stat_activity
    where datname = current_database() and application_name like 'inventory-%'
      and application_name <> all(${notOfService}::text[])
    order by 1`;
  return rows.map(({ name }) => name);
}

/**
 * How far the clock of Postgres is ahead of this process's clock, and the possible error (half the time of
 * the answer), in milliseconds.
 */
export async function readClockDifference(sql: Sql): Promise<{ aheadMs: number; errorMs: number }> {
  const { shownMs, at, errorMs } = await readDatabaseClock(sql, 3);
  return { aheadMs: shownMs - (Date.now() - (performance.now() - at)), errorMs };
}

/**
 * The keys that sign tokens now or later, the age in days of the one that signs, and the keys of envelopes.
 */
export async function readKeys(
  sql: Sql,
): Promise<{ signing: number; waiting: number; ageDays: number | null; envelope: number }> {
  const [row] = await sql<{ signing: number; waiting: number; age_days: number | null; envelope: number }[]>`
    select (count(*) filter (where signs))::integer as signing, (count(*) filter (where signs_from > clock_timestamp()))::integer as waiting,
      floor(extract(epoch from clock_timestamp() - min(signs_from) filter (where signs)) / 86400)::integer as age_days,
      (select count(kid) from envelope_key)::integer as envelope
    from (
      select signs_from,
        signs_from <= clock_timestamp() and (retired is null or retired > clock_timestamp())
          -- Without its private key, it cannot sign.
          and exists (select from signing_key where signing_key.kid = verifying_key.kid) as signs
      from verifying_key
      where withdrawn is null
    ) as live`;
  return {
    signing: row!.signing,
    waiting: row!.waiting,
    ageDays: row!.age_days,
    envelope: row!.envelope,
  };
}

/** The number of unfolded arrivals of each kind, up to `most`. It grows while no worker folds. */
export async function countUnfolded(sql: Sql, most: number): Promise<Record<string, number>> {
  const counts = folded.map(
    ({ what, arrivals }) =>
      `(select count(*) from (select from ${arrivals} limit ${most}) as waiting)::integer as "${what}"`,
  );
  const [row] = await sql.unsafe<Record<string, number>[]>(`select ${counts.join(', ')}`);
  return row!;
}

/** The size of this database on the server's disk, in bytes. */
export async function readDatabaseSize(sql: Sql): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`select pg_database_size(current_database()) as bytes`;
  return row!.bytes;
}

class TakenBackError extends Error {}

/**
 * Why Postgres refuses to write; null: it took what was tried. Tries a megabyte, since a full disk still has
 * room within the pages of small tables, and takes it back.
 */
export async function tryToWrite(sql: Sql): Promise<UnwritableReason | null> {
  try {
    await sql.begin(async (tx) => {
      await tx`
        insert into backup_record (taken_at, server, bytes, made_by)
        select clock_timestamp(), '', null, string_agg(md5(n::text), '') from generate_series(1, 32768) as n`;
      throw new TakenBackError();
    });
  } catch (error) {
    if (error instanceof TakenBackError) return null;
    const reason = whyUnwritable(error);
    if (reason === null) throw error;
    return reason;
  }
  return null;
}

/** The amounts of data. `transactions`: those that were applied. */
export type Holdings = {
  items: number;
  lots: number;
  transactions: number;
  clients: number;
  warehouses: number;
  lastTransaction: { transactionNo: number; at: Date } | null;
};

/** Reads the amounts of data from the counts of the lists, so the cost does not depend on them. */
export async function readHoldings(sql: Sql): Promise<Holdings> {
  const count = piece`records`;
  const [row] = await send<Omit<Holdings, 'lastTransaction'>>(sql)`
    select (${countItems({ discontinuedToo: true })}) as items, (${countListed({ list: 'lots', count })}) as lots,
      (${countListed({ list: 'transactions', count })}) as transactions,
      (select count(*) from client)::integer as clients,
      (select count(*) from warehouse)::integer as warehouses`;
  const [last] = await sql<{ transaction_no: number; at: Date }[]>`
    select transaction_no, at
    from stock_transaction
    where status = 'applied'
    order by transaction_no desc
    limit 1`;
  return {
    ...row!,
    lastTransaction: last === undefined ? null : { transactionNo: last.transaction_no, at: last.at },
  };
}
