import type { Sql } from '@inventory/db/postgres/pool';
import { readApplied } from './check.ts';
import type { ClientLine } from './client-programs.ts';

/** What the programs that use the client were told wrongly, by what is wrong about it. */
export type ClientFindings = {
  /** Operations that were stored and are neither applied nor refused, or were not applied as they were told. */
  lost: string[];
  doubled: string[];
  givenUpButApplied: string[];
  /** Refused by a queue with another reason than the stock. */
  refusedOddly: string[];
  /** Of one item in one warehouse, in another order than their device stored them. */
  outOfOrder: string[];
  /** How often each was said. */
  told: Record<ClientLine['said'], number>;
};

/** Compares what programs were told with the ledger, operation by operation. */
export async function judgeClients(sql: Sql, lines: readonly ClientLine[]): Promise<ClientFindings> {
  const applied = await readApplied(sql);
  const told = { stored: new Map(), applied: new Map(), notApplied: new Map(), unknown: new Map() };
  for (const line of lines) told[line.said].set(line.reference, line);
  const findings: ClientFindings = {
    ...{ lost: [], doubled: [], givenUpButApplied: [], refusedOddly: [] },
    outOfOrder: await readOutOfOrder(sql),
    told: Object.fromEntries(Object.entries(told).map(([said, each]) => [said, each.size])) as never,
  };
  for (const reference of new Set(lines.map((line) => line.reference))) {
    const transactionNos = applied.get(reference) ?? [];
    const isStored = told.stored.has(reference);
    const yes: ClientLine | undefined = told.applied.get(reference);
    const no: ClientLine | undefined = told.notApplied.get(reference);
    const what = `${reference}: ${no?.why ?? `told ${yes?.transactionNo}`}, applied as ${transactionNos}`;
    if (transactionNos.length > 1) findings.doubled.push(what);
    if (yes !== undefined && !transactionNos.includes(yes.transactionNo!)) findings.lost.push(what);
    if (isStored && no === undefined && transactionNos.length === 0) findings.lost.push(what);
    if (no !== undefined && transactionNos.length > 0) findings.givenUpButApplied.push(what);
    const isOdd = told.unknown.has(reference) || (no !== undefined && !no.why!.startsWith('409'));
    if (isStored && isOdd) findings.refusedOddly.push(what);
  }
  return findings;
}

async function readOutOfOrder(sql: Sql): Promise<string[]> {
  const rows = await sql<{ device_id: string; transaction_no: string; device_seq: string; before: string }[]>`
    select *
    from (
      select device_id, transaction_no, device_seq, gate, kind, max(device_seq) over (
        partition by device_id, part_no, gate
        order by transaction_no
        rows between unbounded preceding and 1 preceding
      ) as before
      from stock_transaction, unnest(array[wid, to_wid]) as gate
      where device_id like 'scanner-%' and status = 'applied' and gate is not null
    ) as applied
    where device_seq < before`;
  return rows.map(
    (row) =>
      `${row.device_id}: ${JSON.stringify(row)} its ${row.device_seq} is ${row.transaction_no}, behind its ${row.before}`,
  );
}
