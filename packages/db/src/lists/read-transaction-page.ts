import type { Page } from '@inventory/paging/page-envelope';
import type { Fragment, Sql } from '../client.ts';
import { recordsOnPage } from './record-json.ts';
import { type Slice, sliceText } from './slice.ts';

/**
 * A page of the transactions that touched these warehouses, by transactionNo, and their exact number, of one
 * moment, for a price that does not grow with the table. As lots, they lie in blocks, blocks in chapters, and
 * both are counted (see the migration `history`); the statement adds up counts until it has come to the page,
 * newest first, and reads the blocks that hold it from the index of each warehouse.
 *
 * A count is of one warehouse or of two that were touched together; what touched two of these warehouses is
 * in one count, and counts once.
 */
export async function readTransactionPage(
  sql: Sql,
  wids: readonly number[],
  { offset, limit, backwards }: Slice,
  record: Fragment,
): Promise<Page> {
  const direction = sql.unsafe(backwards ? 'asc' : 'desc');
  const places = sql.unsafe(sliceText({ backwards }));
  const asked = sql`(select wids from asked)::integer[]`;
  const scope = sql`(wid = any(${asked}) or other_wid = any(${asked}))`;
  const inBlock = sql`transaction_no >= block << 10 and transaction_no < (block + 1) << 10`;
  const [row] = await sql<{ total_count: number; records: string }[]>`
    with asked as materialized (
      select ${wids as number[]}::integer[] as wids, ${offset.toString()}::bigint as skipped, ${limit}::integer as size
    ), arrived as materialized (
      -- Those that came since the counts were last brought up to date.
      select block, sum(transactions)::bigint as transactions
      from transaction_arrival
      where ${scope}
      group by block
    ), chapters as materialized (
      -- Each chapter with its transactions, and the sum of these from the newest chapter through it.
      select chapter, sum(transactions)::bigint as transactions,
        (sum(sum(transactions)) over (order by chapter desc))::bigint as through
      from (
        select chapter, transactions from transaction_chapter_count where ${scope}
        union all
        select block >> 6, transactions from arrived
      ) as counted
      group by chapter
    ), wanted as materialized (
      -- The total, and the places of the page counted from the newest: the first is on it, the last is not.
      select total, ${places}
      from asked
      cross join (select coalesce(sum(transactions), 0)::bigint as total from chapters) as summed
    ), bound as materialized (
      -- The chapters in which the first and the last place lie.
      select
        (select chapter from chapters where through > first order by chapter desc limit 1) as newest,
        coalesce((select chapter from chapters where through >= last order by chapter desc limit 1), 0) as oldest
      from wanted
    ), blocks as materialized (
      -- The blocks of these chapters, summed up in the same way on top of the chapters before them.
      select block, sum(transactions)::bigint as transactions,
        (sum(sum(transactions)) over (order by block desc))::bigint
          + coalesce((select through - transactions from chapters where chapter = (select newest from bound)), 0) as through
      from (
        select block, transactions
        from transaction_block_count
        where ${scope} and chapter between (select oldest from bound) and (select newest from bound)
        union all
        select block, transactions
        from arrived
        where block >> 6 between (select oldest from bound) and (select newest from bound)
      ) as counted
      group by block
    ), range as materialized (
      -- The blocks in which the first and the last place lie, and how many of the first block come before the page.
      select block as newest, first - (through - transactions) as skipped, last - first as size,
        coalesce((select block from blocks where through >= last order by block desc limit 1), 0) as since
      from wanted
      cross join lateral (select * from blocks where through > first order by block desc limit 1) as newest
    ), page as materialized (
      select transaction_no
      from blocks
      -- Block by block: between two that hold transactions of the page may lie many that hold none.
      cross join lateral (
        select transaction_no from stock_transaction where wid = any(${asked}) and ${inBlock}
        union all
        select transaction_no from stock_transaction where to_wid = any(${asked}) and wid <> all(${asked}) and ${inBlock}
        -- Through the indexes, whatever number of blocks the planner expects.
        offset 0
      ) as of_block
      where transactions > 0 and block between (select since from range) and (select newest from range)
      order by transaction_no desc
      limit greatest((select size from range), 0) offset (select skipped from range)
    )
    select (select total from wanted) as total_count,
      ${recordsOnPage(sql, record, {
        from: sql`stock_transaction where stock_transaction.transaction_no = page.transaction_no`,
        order: sql`page.transaction_no ${direction}`,
      })} as records`;
  return { totalCount: row!.total_count, records: row!.records };
}
