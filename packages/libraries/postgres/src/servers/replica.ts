import { setTimeout as pause } from 'node:timers/promises';
import { within } from '@inventory/process/within';
import type { Sql } from '../pool.ts';

/** The log position and the timeline of a primary, as Postgres writes them. */
export type Position = { timeline: number; lsn: string };

/**
 * The position up to which the primary has everything that it has answered. The flushed position, not the
 * inserted one: a commit is answered once it is flushed, and replicas get nothing before that.
 */
export async function readPosition(sql: Sql): Promise<Position> {
  const [row] = await sql<{ lsn: string; timeline: string }[]>`
    select pg_current_wal_flush_lsn()::text as lsn,
      substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8) as timeline`;
  return { lsn: row!.lsn, timeline: Number.parseInt(row!.timeline, 16) };
}

// The pause between two checks of a replica that has not caught up.
const lookEveryMs = 4;
// A replica that has not answered by then is away.
const answerWithinMs = 1000;

/**
 * Runs `read` on a replica that has replayed up to `position`; null: it has not within `waitMs`. Everything
 * is one transaction, so that a pooler sends it to one server, with a snapshot for each statement.
 */
export async function readAsOf<T>(
  sql: Sql,
  position: Position,
  read: (sql: Sql) => Promise<T>,
  waitMs: number,
): Promise<T | null> {
  let reached: (isReached: boolean) => void = () => {};
  const looked = new Promise<boolean>((resolve) => {
    reached = resolve;
  });
  const done = sql.begin('isolation level read committed read only', async (tx) => {
    const own = tx as unknown as Sql;
    const startedAt = performance.now();
    for (;;) {
      if (await hasReached(own, position)) break;
      if (performance.now() - startedAt >= waitMs) {
        reached(false);
        return null;
      }
      await pause(lookEveryMs);
    }
    reached(true);
    return await read(own);
  });
  // The first error is the answer. The other promise has no listener.
  done.catch(() => {});
  await within(answerWithinMs + waitMs, Promise.race([looked, done]));
  return done as Promise<T | null>;
}

/**
 * Whether this server has caught up. A server that was left behind by a promotion has another timeline, and
 * its log positions mean nothing. A replica learns its timeline at a checkpoint, so it is trusted only some
 * time after a promotion.
 */
async function hasReached(sql: Sql, { timeline, lsn }: Position): Promise<boolean> {
  const [row] = await sql<{ reached: boolean }[]>`
    select case
      when pg_is_in_recovery() then pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn
        and (select timeline_id from pg_control_checkpoint()) = ${timeline}::integer
      else pg_current_wal_flush_lsn() >= ${lsn}::pg_lsn
        and substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8) = lpad(upper(to_hex(${timeline}::integer)), 8, '0')
    end as reached`;
  return row!.reached === true;
}

/** The system identifier, as text. Only a primary and its replicas share it. */
export async function readClusterId(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select system_identifier::text as id from pg_control_system()`;
  return row!.id;
}
