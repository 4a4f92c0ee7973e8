import { parseQuantity, type Quantity } from '@inventory/domain/quantity';
import { raw, send } from '@inventory/postgres/piece';
import type { Tx } from '@inventory/postgres/pool';
import { columns, type LotRow } from './picks/pick-statements.ts';

/** Lines of the ledger, each with the current state of its lot. */
export type LedgerLine = { row: LotRow; transactionNo: number; wid: number; spot: string; delta: Quantity };

/** Returns the lines of these transactions in order, and which of the transactions were reversed. */
export async function readLedger(
  tx: Tx,
  transactionNos: readonly number[],
): Promise<{ entries: LedgerLine[]; reversed: Set<number> }> {
  // The list comes first; see `byKeys`.
  const [lines, reversals] = await Promise.all([
    send<
      LotRow & {
        transaction_no: number;
        line: number;
        entry_wid: number;
        entry_spot: string;
        delta: string;
      }
    >(tx)`
      select 0 as pick, false as late, ${raw(columns)}, stock_entry.transaction_no, stock_entry.line,
        stock_entry.wid as entry_wid, stock_entry.spot as entry_spot, stock_entry.delta
      from unnest(${transactionNos as number[]}::bigint[]) as asked (transaction_no)
      join stock_entry on stock_entry.transaction_no = any(array[asked.transaction_no])
      join lot on lot.rec_no = any(array[stock_entry.rec_no])`,
    tx<{ reverses: number }[]>`
      select reverses
      from stock_transaction
      where reverses = any(${transactionNos as number[]}::bigint[]) and reverses is not null`,
  ]);
  const entries = [...lines]
    .sort((a, b) => a.transaction_no - b.transaction_no || a.line - b.line)
    .map((row) => ({
      row,
      transactionNo: row.transaction_no,
      wid: row.entry_wid,
      spot: row.entry_spot,
      delta: parseQuantity(row.delta),
    }));
  return { entries, reversed: new Set(reversals.map(({ reverses }) => reverses)) };
}
