import type { DatabaseAddress, Place } from '@inventory/process/settings/database-address';
import { within } from '@inventory/process/within';
import postgres from 'postgres';
import { serverOptions } from './server-options.ts';

/** A server's report about itself. */
export type Standing = {
  /** `readOnly`: it is no standby, but takes no writes. */
  role: 'primary' | 'standby' | 'readOnly';
  /** Of a primary; each promotion starts the next one. 0: not told. */
  timeline: number;
  /** Bytes of the log that a primary has on its disk, or that a standby has applied; null: not told. */
  applied: number | null;
  /** Bytes of the log that it has, applied or not. */
  received: number | null;
  /** Seconds since the last transaction that a standby has applied was committed on the primary. */
  appliedSecondsAgo: number | null;
};

/** A look at a server. `standing` null: it is away; `error` says why. */
export type Look = { place: Place; standing: Standing | null; error: unknown };

// Opening a connection takes no longer.
const askWithinMs = 3000;

/** Asks one server. Never fails. */
export async function lookAt(place: Place, ask: (place: Place) => Promise<Standing>): Promise<Look> {
  try {
    return { place, standing: await within(askWithinMs, ask(place)), error: null };
  } catch (error) {
    return { place, standing: null, error };
  }
}

/** Asks a server for its standing, on a separate connection. */
export async function askStanding(
  address: DatabaseAddress,
  place: Place,
  settings: Record<string, string>,
): Promise<Standing> {
  const sql = postgres({
    // A standby answers, too.
    ...serverOptions({ ...address, wanted: null }, place),
    max: 1,
    fetch_types: false,
    connection: settings,
  });
  try {
    const [row] = await sql.unsafe<{ role: Standing['role'] }[]>(`
      select case when pg_is_in_recovery() then 'standby'
        when current_setting('transaction_read_only') = 'off' then 'primary'
        else 'readOnly' end as role`);
    const { role } = row!;
    // Some providers' servers do not know these functions; then all servers look alike.
    const [log] = await sql
      .unsafe<Record<string, string | number | null>[]>(role === 'standby' ? ofStandby : ofPrimary)
      .catch(() => []);
    const numberOf = (name: string) => (log?.[name] == null ? null : Number(log[name]));
    return {
      role,
      timeline: Number.parseInt(String(log?.timeline ?? 0), 16),
      applied: numberOf('applied'),
      received: numberOf('received'),
      appliedSecondsAgo: numberOf('seconds_ago'),
    };
  } finally {
    void sql.end({ timeout: 1 }).catch(() => {});
  }
}

const ofPrimary = `
  select substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) as timeline,
    (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::text as applied,
    (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::text as received`;

// A standby that has not streamed yet knows only what it has applied.
const ofStandby = `
  select (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::text as applied,
    (greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn)::text as received,
    extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as seconds_ago`;
