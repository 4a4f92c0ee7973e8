import { TooLateError, within } from '@inventory/process/within';
import { cancellable } from '../cancellable.ts';
import type { Sql } from '../pool.ts';

/** How a primary is replicated. */
export type Replication = {
  /** The number of servers that copy from this one now. */
  attached: number;
  /** The value of `synchronous_standby_names`; empty: no commit waits for a standby. */
  synchronousNames: string;
  synchronousCommit: string;
};

/** Reads the settings. Any role may do this. */
export async function readReplication(sql: Sql): Promise<Replication> {
  const [row] = await sql<{ attached: number; names: string; synchronous_commit: string }[]>`
    select (select count(*) from pg_stat_replication)::integer as attached,
      current_setting('synchronous_standby_names') as names,
      current_setting('synchronous_commit') as synchronous_commit`;
  const { attached, names, synchronous_commit } = row!;
  return { attached, synchronousNames: names.trim(), synchronousCommit: synchronous_commit };
}

/** Whether `synchronous_commit` lets a commit be answered without an acknowledgement of a standby. */
const isUnwaiting = ({ synchronousCommit }: Replication) => ['local', 'off'].includes(synchronousCommit);

/** Whether commits wait for a standby, judged by this connection's settings. */
export function waitsForStandby(replication: Replication): boolean {
  return replication.synchronousNames !== '' && !isUnwaiting(replication);
}

/**
 * Why an answered transaction can be lost together with the primary although there are standbys; null: it
 * cannot be lost, or there are none. `hostCount`: the number of servers in DATABASE_URL.
 */
export function whyLossy(replication: Replication, hostCount: number): string | null {
  const { attached, synchronousNames, synchronousCommit } = replication;
  if (attached === 0 && hostCount < 2) return null;
  const loss = 'if the primary is lost, the last answered transactions are lost, too';
  if (synchronousNames === '')
    return `no standby is synchronous (synchronous_standby_names is empty): ${loss}`;
  return isUnwaiting(replication) ? `synchronous_commit is ${synchronousCommit}: ${loss}` : null;
}

/**
 * The number of this role's commits that have waited for a standby for more than two seconds. Such a wait has
 * no time limit. `name`: of its connections; default: all.
 */
export async function countHangingCommits(sql: Sql, name = ''): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from pg_stat_activity
    where usename = current_user and wait_event = 'SyncRep' and ${name} in ('', application_name)
      and state_change < clock_timestamp() - interval '2 seconds'`;
  return row!.count;
}

// A standby in another zone answers within milliseconds.
const commitWithinMs = 2000;

/**
 * Whether a commit is answered within two seconds. The commit only writes a note into the log of Postgres. It
 * is a real commit because few roles may see which standbys acknowledge.
 */
export async function isCommitAnswered(sql: Sql): Promise<boolean> {
  const { sql: own, cancel } = cancellable(sql);
  try {
    await within(commitWithinMs, own`select pg_logical_emit_message(true, 'inventory', 'doctor')`);
    return true;
  } catch (error) {
    if (!(error instanceof TooLateError)) throw error;
    // Otherwise it would wait in Postgres as long as the standby is away.
    cancel();
    return false;
  }
}

/** The result of `whyLossy` for a connection of the service, as a line for the log. */
export async function findLossyReplication(sql: Sql, hostCount: number): Promise<string | null> {
  return whyLossy(await readReplication(sql), hostCount);
}
