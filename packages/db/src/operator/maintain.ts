import type { Sql } from '../pool.ts';

export type Removed = { keys: number; transactions: number };

// Each piece commits by itself, in milliseconds: nobody waits for what it holds.
const piecePages = 128;
const pieceRows = 5000;

/**
 * Removes what nobody can ask for any more: Idempotency-Keys first answered, or last refused, more than
 * `days` (7 and more) ago, and a day later what was refused or abandoned. Never before its key: that would
 * lead to nothing. When a key is in use right now, what was refused waits for the next time. Applied
 * transactions stay. `report` gets each step and how far it is, 0 … 1, or null.
 */
export async function removeOutdated(
  sql: Sql,
  days: number,
  report: (step: string, done: number | null) => void,
): Promise<Removed & { waits: boolean }> {
  const [start] = await sql<{ now: string; pages: number }[]>`
    select clock_timestamp()::text as now,
      (pg_relation_size('idempotency_key') / current_setting('block_size')::integer)::integer as pages`;
  const { now, pages } = start!;
  const removed = { keys: 0, transactions: 0 };
  let remaining = 0;
  for (let first = 0; first < pages; first += piecePages) {
    const [piece] = await sql<{ removed: number; remaining: number }[]>`
      select removed, remaining
      from remove_old_keys(${now}::timestamptz - ${days}::integer * interval '1 day', ${first}, ${piecePages})`;
    removed.keys += piece!.removed;
    remaining += piece!.remaining;
    report('keys', Math.min(1, (first + piecePages) / pages));
  }
  if (remaining > 0) return { ...removed, waits: true };
  for (let count = pieceRows; count === pieceRows; ) {
    const [piece] = await sql<{ count: number }[]>`
      select remove_undone_transactions(
        ${now}::timestamptz - ${days + 1}::integer * interval '1 day', ${pieceRows}) as count`;
    count = piece!.count;
    removed.transactions += count;
    report('refused and abandoned transactions', null);
  }
  return { ...removed, waits: false };
}
