import type { Sql } from '@inventory/postgres/pool';

export type Removed = { keys: number; transactions: number };

// Each piece commits by itself within milliseconds, so its locks delay nothing.
const piecePages = 128;
const pieceRows = 5000;

/**
 * Removes outdated rows: Idempotency-Keys first answered or last refused more than `days` (at least 7) ago,
 * and, a day later, refused or abandoned transactions. A transaction is never removed before its key, which
 * would then lead to nothing. If a key is in use at that moment, the transactions wait for the next run.
 * Applied transactions stay. `report` gets each step and its progress (0 to 1, or null).
 */
export async function removeOutdated(
  sql: Sql,
  days: number,
  report: (step: string, done: number | null) => void,
): Promise<Removed & { waits: boolean }> {
  const [start] = await sql<{ now: string; pages: number }[]>`
    select retention_now()::text as now,
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
