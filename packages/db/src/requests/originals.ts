import type { Original } from '@inventory/domain/stock/request';
import type { Sql } from '../pool.ts';

/**
 * What these transactions were, by number; one that is missing was never applied, or is none that could be
 * undone. Costs the same whatever they are: their lines, of which each may have thousands, are not read.
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
      -- They are numbered from 1, so the last one counts them: one look at an index, however many there are.
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
    -- A reversal says what it undid, and that of what it was.
    join stock_transaction as first on first.transaction_no = coalesce(undone.reverses, undone.transaction_no)
    where undone.status = 'applied' and undone.kind in ('receive', 'move', 'issue', 'count', 'reverse')`;
  return new Map(
    rows.map(({ transaction_no, kind, item_id: itemID, wid, to_wid, lines }) => [
      transaction_no,
      { kind, itemID, wids: [...new Set(to_wid === null ? [wid] : [wid, to_wid])], lines },
    ]),
  );
}
