import type { Original } from '@inventory/domain/kinds/kind';
import { itemIdOf, kindNames, type SingleRequest, warehousesOf } from '@inventory/domain/kinds/kinds';
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
  // The list comes first; see `byKeys`.
  const rows = await sql<
    {
      transaction_no: number;
      kind: string;
      first: { kind: string; body: object };
      lines: number;
    }[]
  >`
    select asked.transaction_no, undone.kind, json_build_object('kind', first.kind, 'body', first.body) as first,
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
    -- A reversal names its original; a reversal of a reversal leads to the first original.
    join stock_transaction as first on first.transaction_no = any(array[coalesce(undone.reverses, undone.transaction_no)])
    where undone.status = 'applied' and undone.kind = any(${kindNames}::text[])`;
  return new Map(
    rows.map(({ transaction_no, kind, first, lines }) => {
      const request = first as SingleRequest;
      const wids = [...new Set(warehousesOf(request))];
      return [transaction_no, { kind, itemID: itemIdOf(request), wids, lines }];
    }),
  );
}
