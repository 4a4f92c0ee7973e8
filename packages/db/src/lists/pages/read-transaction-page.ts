import type { Page } from '@inventory/paging/page';
import { type Piece, piece, raw, send } from '../../postgres/piece.ts';
import type { Sql } from '../../postgres/pool.ts';
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
  record: Piece,
): Promise<Page> {
  const direction = raw(backwards ? 'asc' : 'desc');
  const asked = piece`(select wids from asked)::integer[]`;
  const scope = piece`(wid = any(${asked}) or other_wid = any(${asked}))`;
  const inBlock = piece`transaction_no >= block << 10 and transaction_no < (block + 1) << 10`;
  const [row] = await send<{ total_count: number; records: string }>(sql)`
    with asked as materialized (
      select ${wids}::integer[] as wids, ${offset.toString()}::bigint as skipped, ${limit}::integer as size
    ), arrived as materialized (
      -- Arrivals that are not folded yet.
      select block, sum(transactions)::bigint as count
      from transaction_arrival
      where ${scope}
      group by block
    ), ${wayToPage(
      { backwards },
      {
        volumes: piece`
        select volume, transactions as count from transaction_volume_count where ${scope}
        union all
        select block >> 12, count from arrived`,
        chapters: piece`
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
        blocks: piece`
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
      ${takenOfBlocks()}
    )
    select (select total from wanted) as total_count,
      ${recordsOnPage(record, {
        from: piece`stock_transaction where stock_transaction.transaction_no = page.transaction_no`,
        order: piece`page.transaction_no ${direction}`,
      })} as records`;
  return { totalCount: row!.total_count, records: row!.records };
}
