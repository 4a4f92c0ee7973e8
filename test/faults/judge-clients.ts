import type { Sql } from '@inventory/postgres/pool';
import { readApplied } from './check.ts';
import type { ClientLine, ClientSaid } from './client-programs.ts';

export type ClientFindings = {
  /** The findings, by their kind. */
  found: Record<'LOST' | 'DOUBLE' | 'GIVEN UP THAT WAS APPLIED' | 'REFUSED ODDLY' | 'OUT OF ORDER', string[]>;
  /** How many operations each was said of. */
  told: Record<ClientSaid, number>;
};

/**
 * Compares what programs said with the ledger, operation by operation. Lost: applied otherwise than they were
 * told or, if a queue had stored it, neither applied nor refused. Refused oddly: by something else than the
 * stock. Out of order: of one item in one warehouse, in another order than the device stored them.
 */
export async function judgeClients(sql: Sql, lines: readonly ClientLine[]): Promise<ClientFindings> {
  const applied = await readApplied(sql);
  const ofKind = (kind: ClientSaid) =>
    new Map(lines.filter(({ said }) => said === kind).map((line) => [line.reference, line]));
  const told = {
    ...{ stored: ofKind('stored'), applied: ofKind('applied') },
    ...{ notApplied: ofKind('notApplied'), unknown: ofKind('unknown') },
  };
  const found: ClientFindings['found'] = {
    ...{ LOST: [], DOUBLE: [], 'GIVEN UP THAT WAS APPLIED': [], 'REFUSED ODDLY': [] },
    'OUT OF ORDER': await readOutOfOrder(sql),
  };
  for (const reference of new Set(lines.map((line) => line.reference))) {
    const transactionNos = applied.get(reference) ?? [];
    const isStored = told.stored.has(reference);
    const yes = told.applied.get(reference);
    const no = told.notApplied.get(reference);
    const what = `${reference}: told ${yes?.transactionNo ?? no?.why}, applied as ${transactionNos.join(', ')}`;
    const isGone = isStored && no === undefined && transactionNos.length === 0;
    if (isGone || (yes !== undefined && !transactionNos.includes(yes.transactionNo!))) found.LOST.push(what);
    if (transactionNos.length > 1) found.DOUBLE.push(what);
    if (no !== undefined && transactionNos.length > 0) found['GIVEN UP THAT WAS APPLIED'].push(what);
    const isOdd = told.unknown.has(reference) || (no !== undefined && !no.why!.startsWith('409'));
    if (isStored && isOdd) found['REFUSED ODDLY'].push(what);
  }
  const sizes = Object.entries(told).map(([said, each]) => [said, each.size]);
  return { found, told: Object.fromEntries(sizes) as ClientFindings['told'] };
}

async function readOutOfOrder(sql: Sql): Promise<string[]> {
  const rows = await sql<{ device_id: string; transaction_no: string; device_seq: string; before: string }[]>`
    select *
    from (
      select device_id, transaction_no, device_seq, max(device_seq) over (
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
