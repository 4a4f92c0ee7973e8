import type { Subject } from '@inventory/domain/kinds/kind';
import { kindNames } from '@inventory/domain/kinds/kinds';
import { send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';

/**
 * Returns the facts about these transactions that a reversal needs, by number. Transactions that were not
 * applied, or are in no list of transactions, are missing. Their lines, possibly thousands, are not read, so
 * the cost is always the same.
 */
export async function readOriginals(
  sql: Sql,
  transactionNos: readonly number[],
): Promise<Map<number, Subject>> {
  // The list comes first; see `byKeys`.
  type Row = { no: number; wid: number | null; to_wid: number | null } & Omit<Subject, 'wids'>;
  const rows = await send<Row>(sql)`
    select asked.transaction_no as no, undone.kind, undone.wid, undone.to_wid,
      (select short_id from item where item.part_no = undone.part_no) as "itemID",
      -- Lines are numbered from 1, so the last number is their count: a single index look-up.
      coalesce(
        (
          select line
          from stock_entry
          where stock_entry.transaction_no = asked.transaction_no
          order by line desc
          limit 1
        ),
        0
      ) as lines
    from unnest(${[...new Set(transactionNos)]}::bigint[]) as asked (transaction_no)
    join stock_transaction as undone on undone.transaction_no = any(array[asked.transaction_no])
    where undone.status = 'applied' and undone.kind = any(${kindNames}::text[])`;
  // A hold by the command line has no warehouse, and is in no list.
  const listed = rows.flatMap(({ no, wid, to_wid: toWid, ...subject }) =>
    wid === null ? [] : [[no, { ...subject, wids: toWid === null ? [wid] : [wid, toWid] }] as const],
  );
  return new Map(listed);
}

/** Returns the item and the warehouse of these lots, by number. */
export async function readLotSubjects(
  sql: Sql,
  recNos: readonly number[],
): Promise<Map<number, Pick<Subject, 'itemID' | 'wids'>>> {
  const rows = await send<{ no: number; itemID: string; wid: number }>(sql)`
    select asked.rec_no as no, lot.wid, (select short_id from item where item.part_no = lot.part_no) as "itemID"
    from unnest(${[...new Set(recNos)]}::bigint[]) as asked (rec_no)
    join lot on lot.rec_no = any(array[asked.rec_no])`;
  return new Map(rows.map(({ no, itemID, wid }) => [no, { itemID, wids: [wid] }]));
}
