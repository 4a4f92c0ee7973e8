import type { Page } from '@inventory/paging/page';
import type { Fragment, Sql } from '../../postgres/pool.ts';
import { recordsOnPage } from '../record-json.ts';
import type { Slice } from './slice.ts';
import { takenOfBlocks, wayToPage } from './way-to-page.ts';

/**
 * Reads a page of the transactions that touched these warehouses, by transactionNo, and their exact number,
 * as of one moment. The cost does not grow with the table. As with lots, there are blocks, chapters and
 * volumes, and all are counted (see schema/10-transaction-counts.sql). The counts lead to the blocks of the
 * page, see `wayToPage`. These are read from the index of each warehouse.
 *
 * A count is for one warehouse, or for two that were touched together. So a transaction that touched two of
 * these warehouses is counted once.
 */
export async function readTransactionPage(
  sql: Sql,
  wids: readonly number[],
  { offset, limit, backwards }: Slice,
  record: Fragment,
): Promise<Page> {
  const direction = sql.unsafe(backwards ? 'asc' : 'desc');
  const asked = sql`(select wids from asked)::integer[]`;
  const scope = sql`(wid = any(${asked}) or other_wid = any(${asked}))`;
  const inBlock = sql`transaction_no >= block << 10 and transaction_no < (block + 1) << 10`;
  const [row] = await sql<{ total_count: number; records: string }[]>`
    with asked as materialized (
      select ${wids as number[]}::integer[] as wids, ${offset.toString()}::bigint as skipped, ${limit}::integer as size
    ), arrived as materialized (
      -- Arrivals that are not folded yet.
      select block, sum(transactions)::bigint as count
      from transaction_arrival
      where ${scope}
      group by block
    ), ${wayToPage(
      sql,
      { backwards },
      {
        volumes: sql`
        select volume, transactions as count from transaction_volume_count where ${scope}
        union all
        select block >> 12, count from arrived`,
        chapters: sql`
        select chapter, count
        from volumes_of_page
        cross join lateral (
          select chapter, transactions as count
          from transaction_chapter_count
          where ${scope} and chapter >= volume << 6 and chapter < (volume + 1) << 6
          offset 0
        ) as of_volume
        union all
        select block >> 6, count from arrived where block >> 12 in (select volume from volumes_of_page)`,
        blocks: sql`
        select block, count
        from chapters_of_page
        cross join lateral (
          select block, transactions as count
          from transaction_block_count
          where ${scope} and transaction_block_count.chapter = chapters_of_page.chapter
          offset 0
        ) as of_chapter
        union all
        select block, count from arrived where block >> 6 in (select chapter from chapters_of_page)`,
      },
    )}, page as materialized (
      select transaction_no
      from blocks_of_page
      -- Block by block: there may be many blocks without matches between two with transactions of the page.
      cross join lateral (
        select transaction_no from stock_transaction where wid = any(${asked}) and ${inBlock}
        union all
        select transaction_no from stock_transaction where to_wid = any(${asked}) and wid <> all(${asked}) and ${inBlock}
        -- Forces the indexes, however many blocks the planner expects.
        offset 0
      ) as of_block
      order by transaction_no desc
      ${takenOfBlocks(sql)}
    )
    select (select total from wanted) as total_count,
      ${recordsOnPage(sql, record, {
        from: sql`stock_transaction where stock_transaction.transaction_no = page.transaction_no`,
        order: sql`page.transaction_no ${direction}`,
      })} as records`;
  return { totalCount: row!.total_count, records: row!.records };
}
