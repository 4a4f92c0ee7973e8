import type { Page } from '@inventory/paging/page';
import { type Piece, piece, raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { recordsOnPage } from '../record-json.ts';
import type { Slice } from './slice.ts';
import { askedWids, takenOfRange, takenOfRanges, wayToPage } from './way-to-page.ts';

/**
 * Reads a page of the transactions that touched these warehouses, by transactionNo, and their exact number,
 * as of one moment. As with lots, counts lead to a short range of numbers, see `wayToPage`, which is read
 * from the index of each warehouse. A transaction that touched two of these warehouses is counted and shown
 * once.
 */
export async function readTransactionPage(
  sql: Sql,
  wids: readonly number[],
  slice: Slice,
  record: Piece,
): Promise<Page> {
  const direction = raw(slice.backwards ? 'asc' : 'desc');
  const inRange = piece`transaction_no >= since << 11 and transaction_no < until << 11`;
  const [row] = await send<{ total_count: number; records: string }>(sql)`
    with ${wayToPage({ list: 'transactions', count: piece`records` }, wids, slice)}, page as materialized (
      select transaction_no
      -- Range by range: there may be many numbers of other warehouses between two of the page.
      from ranges
      cross join unnest(${askedWids}) as asked_wid
      -- The limits also force the indexes, however many ranges the planner expects.
      cross join lateral (
        (
          select transaction_no
          from stock_transaction
          where wid = asked_wid and ${inRange}
          order by transaction_no desc
          ${takenOfRange}
        )
        union all
        (
          select transaction_no
          from stock_transaction
          where to_wid = asked_wid and wid <> all(${askedWids}) and ${inRange}
          order by transaction_no desc
          ${takenOfRange}
        )
      ) as in_range
      order by transaction_no desc
      ${takenOfRanges}
    )
    select (select total from wanted) as total_count,
      ${recordsOnPage(record, {
        from: piece`stock_transaction where stock_transaction.transaction_no = page.transaction_no`,
        order: piece`page.transaction_no ${direction}`,
      })} as records`;
  return { totalCount: row!.total_count, records: row!.records };
}
