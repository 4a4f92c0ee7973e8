import type { Sql } from '@inventory/db/client';
import type { Told } from './callers.ts';

export type Findings = {
  /** Told yes, not there (or another transaction than was told). */
  lost: string[];
  /** There more than once. */
  doubled: string[];
  /** Told no, there. */
  ghosts: string[];
  /** Told nothing or unknown, and there: proof that the faults hit in the middle. */
  appliedAfterAll: number;
};

/** Compares what callers were told, request by request, with what stands in the ledger. Sums alone cannot see doubles. */
export async function compareWithLedger(sql: Sql, log: readonly Told[]): Promise<Findings> {
  const rows = await sql<{ reference: string; transaction_no: number; entries: number }[]>`
    select body->>'reference' as reference, transaction_no,
      (select count(*) from stock_entry where stock_entry.transaction_no = stock_transaction.transaction_no) as entries
    from stock_transaction
    where status = 'applied' and kind in ('receive', 'move', 'issue')`;
  const applied = new Map<string, number[]>();
  for (const row of rows) {
    // An applied transaction without a line in the ledger is none.
    if (row.entries === 0) continue;
    applied.set(row.reference, [...(applied.get(row.reference) ?? []), row.transaction_no]);
  }
  const findings: Findings = { lost: [], doubled: [], ghosts: [], appliedAfterAll: 0 };
  for (const [reference, transactionNos] of applied) {
    if (transactionNos.length > 1) findings.doubled.push(`${reference}: ${transactionNos.join(', ')}`);
  }
  for (const { reference, told, status, text } of log) {
    const there = applied.get(reference) ?? [];
    if (told === 'yes' && !there.includes(JSON.parse(text).transactionNo))
      findings.lost.push(`${reference}: ${text}`);
    if (told === 'no' && there.length > 0) findings.ghosts.push(`${reference}: ${status} ${text}`);
    if ((told === 'lost' || told === 'unknown') && there.length > 0) findings.appliedAfterAll += 1;
  }
  return findings;
}
