import type { Sql } from '@inventory/postgres/pool';
import { type ItemKind, isTransaction, type Told } from './told.ts';

export type Findings = {
  /** Answered yes but missing, or stored as another transaction. */
  lost: string[];
  /** Applied more than once. */
  doubled: string[];
  /** Answered no but applied. */
  ghosts: string[];
  /** Atomic batches that were applied in part. */
  torn: string[];
  /**
   * Unanswered or unknown but applied, or found applied when sent again: proof that faults hit requests
   * midway.
   */
  appliedAfterAll: number;
  /** The same for requests whose caller hung up. */
  appliedAfterCut: number;
};

/** Compares the callers' answers with the tables, request by request. Sums alone would not show doubles. */
export async function compareWithTables(
  sql: Sql,
  log: readonly Told[],
  wholes: readonly string[][],
): Promise<Findings> {
  const findings: Findings = {
    ...{ lost: [], doubled: [], ghosts: [], torn: [] },
    ...{ appliedAfterAll: 0, appliedAfterCut: 0 },
  };
  const applied = await readApplied(sql);
  findings.doubled.push(...(await readReversedTwice(sql)));
  for (const references of wholes) {
    const there = references.filter((reference) => applied.has(reference));
    if (there.length === 0 || there.length === references.length) continue;
    findings.torn.push(`${there.length} of ${references.length} are there: ${references.join(', ')}`);
  }
  const isItemWriteThere = await readItemWrites(sql);
  for (const [reference, transactionNos] of applied) {
    if (transactionNos.length > 1) findings.doubled.push(`${reference}: ${transactionNos.join(', ')}`);
  }
  for (const each of log) {
    const { reference, told, status, text, transactionNo } = each;
    const what = `${each.kind} ${reference}: ${status} ${transactionNo ?? ''}${text}`;
    const there = isItemWrite(each) ? [] : (applied.get(reference) ?? []);
    const isThere = isItemWrite(each) ? isItemWriteThere(each.kind, each.itemId) : there.length > 0;
    const isAsTold = isItemWrite(each) ? isThere : there.includes(transactionNo ?? 0);
    if (told === 'yes' && !isAsTold) findings.lost.push(what);
    if (told === 'no' && isThere) findings.ghosts.push(what);
    const isUnclear = told === 'lost' || told === 'unknown' || told === 'cut';
    if (each.isReplayed || (isUnclear && isThere)) {
      if (each.wasCut) findings.appliedAfterCut += 1;
      else findings.appliedAfterAll += 1;
    }
  }
  return findings;
}

/** The applied transactions, by the reference of their request. */
export async function readApplied(sql: Sql): Promise<Map<string, number[]>> {
  const rows = await sql<
    { reference: string; transaction_no: number; entries: number; may_be_empty: boolean }[]
  >`
    select body->>'reference' as reference, transaction_no, kind in ('count', 'reverse', 'hold') as may_be_empty,
      (select count(*) from stock_entry where stock_entry.transaction_no = stock_transaction.transaction_no) as entries
    from stock_transaction
    where status = 'applied' and kind in ('receive', 'move', 'issue', 'count', 'reverse', 'hold')`;
  const applied = new Map<string, number[]>();
  for (const row of rows) {
    // Without ledger lines it does not count, unless it is a hold, a count that found no difference, or the
    // reversal of that.
    if (row.entries === 0 && !row.may_be_empty) continue;
    applied.set(row.reference, [...(applied.get(row.reference) ?? []), row.transaction_no]);
  }
  return applied;
}

/** Transactions that were reversed more than once, whatever the service answered. */
async function readReversedTwice(sql: Sql): Promise<string[]> {
  const rows = await sql<{ reversed: string; reversals: string[] }[]>`
    select body->>'transactionNo' as reversed, array_agg(transaction_no::text) as reversals
    from stock_transaction
    where kind = 'reverse' and status = 'applied'
    group by 1
    having count(*) > 1`;
  return rows.map(({ reversed, reversals }) => `${reversed} was reversed by ${reversals.join(', ')}`);
}

function isItemWrite(each: Told): each is Told & { kind: ItemKind } {
  return !isTransaction(each);
}

/** Returns whether a write of an item left its mark. */
async function readItemWrites(sql: Sql): Promise<(kind: ItemKind, shortId: string) => boolean> {
  const rows = await sql<{ short_id: string; description: string; discontinued: boolean }[]>`
    select short_id, description, discontinued
    from item
    where short_id like 'NEW-%'`;
  const items = new Map(rows.map((row) => [row.short_id, row]));
  return (kind, shortId) => {
    const item = items.get(shortId);
    if (item === undefined) return false;
    if (kind === 'create item') return true;
    return kind === 'change item' ? item.description === `changed as ${shortId}` : item.discontinued;
  };
}
