import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from '@inventory/postgres/pool';
import type { Fault } from './fault.ts';
import type { Read } from './told.ts';

/**
 * The standby is away, so commits wait for it. The primary is killed and comes back, and everybody sees
 * writes that no standby has. Callers resend. Then the standby is promoted, and everything that callers were
 * told must be there.
 */
const promotion: Fault = {
  name: 'standby away, primary killed, promotion',
  hurts: true,
  hurtsReads: true,
  hidesDatabase: true,
  hindersStart: true,
  async strike({ cluster, callers, random, now, report }) {
    const { primary, standby, changeRoles } = cluster.pair!;
    await standby.kill();
    await untilCommitsWait(primary.sql);
    await pause(random() * 2000);
    await primary.kill();
    await primary.startAgain();
    await untilRead(callers.reads, now);
    // Long enough for callers to look up, wait for a verdict, and send again.
    await pause(2000 + random() * 3000);
    const alone = await readRequestIds(primary.sql);
    await primary.kill();
    await standby.startAgain();
    await standby.promote();
    const there = await readRequestIds(standby.sql);
    const lost = [...alone].filter((id) => !there.has(id)).length;
    console.log(`        ${lost} decided requests were on the primary alone`);
    if (lost === 0) report('standby away: whatever the primary had was on the standby, too');
    await changeRoles();
  },
};

const waitWithinMs = 10_000;

/** Without a waiting commit, a restart would prove nothing. */
async function untilCommitsWait(sql: Sql): Promise<void> {
  for (const until = performance.now() + waitWithinMs; performance.now() < until; await pause(50)) {
    const rows = await sql`select from pg_stat_activity where wait_event = 'SyncRep'`;
    if (rows.length > 0) return;
  }
}

/** Waits until the service has found the primary again; until then it answers nobody. */
async function untilRead(reads: readonly Read[], now: () => number): Promise<void> {
  const from = now();
  while (now() < from + waitWithinMs && !reads.some(({ at, failed }) => at > from && !failed))
    await pause(50);
}

async function readRequestIds(sql: Sql): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`select request_id as id from stock_transaction`;
  return new Set(rows.map(({ id }) => id));
}

/** The faults that need a synchronous standby. */
export const standbyFaults: readonly Fault[] = [promotion];
