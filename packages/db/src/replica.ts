import { setTimeout as pause } from 'node:timers/promises';
import { within } from '@inventory/process/within';
import type { Sql } from './pool.ts';

/** How far the log of a primary goes, and of which promotion it is; as Postgres writes them. */
export type Position = { timeline: number; lsn: string };

/**
 * Up to where everything is that this server, the primary, has answered. What is flushed, not what is
 * inserted: a commit is answered when it is flushed, and no replica is given anything before.
 */
export async function readPosition(sql: Sql): Promise<Position> {
  const [row] = await sql<{ lsn: string; timeline: string }[]>`
    select pg_current_wal_flush_lsn()::text as lsn,
      substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8) as timeline`;
  return { lsn: row!.lsn, timeline: Number.parseInt(row!.timeline, 16) };
}

// Between two looks at a replica that is not as far yet.
const lookEveryMs = 4;
// A replica that has not answered by then is away.
const answerWithinMs = 1000;

/**
 * What `read` reads on a replica that has replayed up to `position`; null: it has not within `waitMs`. All in
 * one transaction, so that a pooler sends all of it to one server, with a snapshot for each statement.
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
  // Its first error is the answer; the other is nobody's.
  done.catch(() => {});
  await within(answerWithinMs + waitMs, Promise.race([looked, done]));
  return done as Promise<T | null>;
}

/**
 * Whether this server is as far. One that was left behind by a promotion is of another timeline, and its
 * places in the log say nothing. A replica knows its timeline by its last checkpoint, so after a promotion it
 * is believed a little later.
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

/** The number that a primary and all of its replicas have, and nobody else; as text. */
export async function readClusterId(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select system_identifier::text as id from pg_control_system()`;
  return row!.id;
}
