import type { Page } from '@inventory/paging/page-envelope';
import type { Fragment, Sql } from '../client.ts';
import { type RecordExpression, recordsOnPage } from './record-json.ts';
import { type Slice, sliceText } from './slice.ts';

/** Which lots are listed: all, those in stock, or those that are not. */
type InStock = boolean | undefined;

/** The column that counts these lots, and the condition on `lot` for them. */
function countedLots(sql: Sql, inStock: InStock): { count: Fragment; condition: Fragment } {
  if (inStock === undefined) return { count: sql`lots`, condition: sql`` };
  return inStock
    ? { count: sql`active`, condition: sql`and active` }
    : { count: sql`(lots - active)`, condition: sql`and not active` };
}

/**
 * A page of the lots of these warehouses by (received, recNo), all or only those that are in stock or are
 * not, and their exact number, of one moment, for a price that does not grow with the table. Lots lie in
 * blocks of a few thousand neighbours, blocks in chapters, and both are counted (see the migrations
 * `lot-counts` and `lots-in-stock`). The statement adds up counts until it has come to the page, newest
 * first:
 *
 *     places 250 to 274 of 900 are wanted; chapters hold 500 (C), 300 (B), 100 (A) lots
 *     chapters  C through 500, B through 800, A through 900      -> first and last place lie in C
 *     blocks    of C: c3 with 200, c2 with 180, c1 with 120
 *               c3 through 200, c2 through 380, c1 through 500   -> both lie in c2
 *     range     c2 begins at place 200: skip 50 of its lots, take 25
 *     page      the index on (received, recNo) from c2 on, offset 50 limit 25
 *
 * `record` is the expression of one record's JSON text, of `lot`, `item` and `warehouse`.
 */
export async function readLotPage(
  sql: Sql,
  wids: readonly number[],
  inStock: InStock,
  { offset, limit, backwards }: Slice,
  record: RecordExpression,
): Promise<Page> {
  const direction = sql.unsafe(backwards ? 'asc' : 'desc');
  const places = sql.unsafe(sliceText({ backwards }));
  const scope = sql`wid = any((select wids from asked)::integer[])`;
  const { count, condition } = countedLots(sql, inStock);
  const [row] = await sql<{ total_count: number; records: string }[]>`
    with asked as materialized (
      -- The parameters, once: several parts use them.
      select ${wids as number[]}::integer[] as wids, ${offset.toString()}::bigint as skipped, ${limit}::integer as size
    ), arrived as materialized (
      -- Lots that came or went since the counts were last brought up to date, by the block they belong to.
      select chapter, block, sum(${count})::bigint as lots
      from lot_arrival
      cross join lateral (
        select chapter, block from lot_block where block <= received order by block desc limit 1
      ) as of_block
      where ${scope} and ${count} <> 0
      group by chapter, block
    ), chapters as materialized (
      -- Each chapter with its lots, and the sum of these from the newest chapter through it.
      select chapter, sum(lots)::bigint as lots, (sum(sum(lots)) over (order by chapter desc))::bigint as through
      from (
        select chapter, ${count}::bigint as lots from lot_chapter_count where ${scope}
        union all
        select chapter, lots from arrived
      ) as counted
      group by chapter
    ), wanted as materialized (
      -- The total, and the places of the page counted from the newest: the first is on it, the last is not.
      select total, ${places}
      from asked
      cross join (select coalesce(sum(lots), 0)::bigint as total from chapters) as summed
    ), bound as materialized (
      -- The chapters in which the first and the last place lie.
      select
        (select chapter from chapters where through > first order by chapter desc limit 1) as newest,
        coalesce((select chapter from chapters where through >= last order by chapter desc limit 1), '-infinity') as oldest
      from wanted
    ), blocks as materialized (
      -- The blocks of these chapters, summed up in the same way on top of the chapters before them.
      select block, sum(lots)::bigint as lots,
        (sum(sum(lots)) over (order by block desc))::bigint
          + coalesce((select through - lots from chapters where chapter = (select newest from bound)), 0) as through
      from (
        select block, ${count}::bigint as lots
        from lot_block_count
        where ${scope} and chapter between (select oldest from bound) and (select newest from bound)
        union all
        select block, lots
        from arrived
        where chapter between (select oldest from bound) and (select newest from bound)
      ) as counted
      group by block
    ), range as materialized (
      -- The blocks in which the first and the last place lie, and how many lots of the first block come before the page.
      select block as newest, first - (through - lots) as skipped, last - first as size,
        coalesce((select block from blocks where through >= last order by block desc limit 1), '-infinity') as since
      from wanted
      cross join lateral (select * from blocks where through > first order by block desc limit 1) as newest
    ), page as materialized (
      -- The keys of the page, read from the index.
      select rec_no, received
      from blocks
      -- Block by block: between two that hold lots of the page may lie many that hold none.
      cross join lateral (
        select rec_no, received
        from lot
        where ${scope} and received >= block ${condition}
          and received < (select coalesce(min(next.block), 'infinity') from lot_block as next where next.block > blocks.block)
        -- Through the index, whatever number of blocks the planner expects.
        offset 0
      ) as of_block
      where lots > 0 and block between (select since from range) and (select newest from range)
      order by received desc, rec_no desc
      limit greatest((select size from range), 0) offset (select skipped from range)
    )
    select (select total from wanted) as total_count,
      ${recordsOnPage(sql, record, {
        from: sql`lot join item using (part_no) join warehouse using (wid) where lot.rec_no = page.rec_no`,
        order: sql`page.received ${direction}, page.rec_no ${direction}`,
      })} as records`;
  return { totalCount: row!.total_count, records: row!.records };
}

/**
 * The number of the lots of these warehouses, all or only those that are in stock or are not, as an
 * expression.
 */
export function countLots(sql: Sql, wids: readonly number[], inStock: InStock): Fragment {
  const scope = sql`wid = any(${wids as number[]}::integer[])`;
  const { count } = countedLots(sql, inStock);
  return sql`
    select coalesce(sum(count), 0)::bigint
    from (
      select ${count} as count from lot_chapter_count where ${scope}
      union all
      select ${count} from lot_arrival where ${scope}
    ) as counted`;
}
