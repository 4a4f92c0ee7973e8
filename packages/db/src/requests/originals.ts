import type { Original } from '@inventory/domain/stock/request';
import type { Sql } from '../client.ts';

/**
 * What these transactions were, by number; one that is missing was never applied, or is none that could be
 * undone.
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
      wid: number | null;
      to_wid: number | null;
      entered: number[] | null;
      lines: number;
    }[]
  >`
    select asked.transaction_no, undone.kind, first.body->>'itemID' as item_id, (first.body->>'wid')::integer as wid,
      (first.body->>'shipToWid')::integer as to_wid, entries.wids as entered, entries.lines
    from unnest(${[...new Set(transactionNos)]}::bigint[]) as asked (transaction_no)
    join stock_transaction as undone using (transaction_no)
    -- A reversal says what it undid, and that of what it was.
    join stock_transaction as first on first.transaction_no = coalesce(undone.reverses, undone.transaction_no)
    cross join lateral (
      select array_agg(distinct wid) as wids, count(*) as lines
      from stock_entry
      where stock_entry.transaction_no = asked.transaction_no
    ) as entries
    where undone.status = 'applied' and undone.kind in ('receive', 'move', 'issue', 'count', 'reverse')`;
  return new Map(
    rows.map(({ transaction_no, kind, item_id: itemID, wid, to_wid, entered, lines }) => {
      const named = [wid, to_wid].filter((each) => each !== null);
      return [transaction_no, { kind, itemID, wids: [...new Set([...named, ...(entered ?? [])])], lines }];
    }),
  );
}
