import type { Original } from '@inventory/domain/stock/request';
import type { Sql } from '../postgres/pool.ts';

/**
 * Returns the facts about these transactions that a reversal needs, by number. Transactions that were not
 * applied or cannot be reversed are missing. Their lines, possibly thousands, are not read, so the cost is
 * always the same.
 */
export async function readOriginals(
  sql: Sql,
  transactionNos: readonly number[],
): Promise<Map<number, Original>> {
  const rows = await sql<
    {
      transaction_no: number;
      kind: Original['kind'];
      item_id: string;
      wid: number;
      to_wid: number | null;
      lines: number;
    }[]
  >`
    select asked.transaction_no, undone.kind, first.body->>'itemID' as item_id, (first.body->>'wid')::integer as wid,
      (first.body->>'shipToWid')::integer as to_wid,
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
    join stock_transaction as undone using (transaction_no)
    -- A reversal names its original; a reversal of a reversal leads to the first original.
    join stock_transaction as first on first.transaction_no = coalesce(undone.reverses, undone.transaction_no)
    where undone.status = 'applied' and undone.kind in ('receive', 'move', 'issue', 'count', 'reverse')`;
  return new Map(
    rows.map(({ transaction_no, kind, item_id: itemID, wid, to_wid, lines }) => [
      transaction_no,
      { kind, itemID, wids: [...new Set(to_wid === null ? [wid] : [wid, to_wid])], lines },
    ]),
  );
}
