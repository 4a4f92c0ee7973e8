import type { Page } from '@inventory/paging/page';
import { type Piece, piece, raw, send } from '../../postgres/piece.ts';
import type { Sql } from '../../postgres/pool.ts';
import { recordsOnPage } from '../record-json.ts';
import type { Slice } from './slice.ts';
import { takenOfBlocks, wayToPage } from './way-to-page.ts';

/** Which lots are listed: all, those in stock (true), or those not in stock (false). */
type InStock = boolean | undefined;

/** The column that counts these lots, and their condition on `lot`. */
function countedLots(inStock: InStock): { count: Piece; condition: Piece } {
  if (inStock === undefined) return { count: piece`lots`, condition: piece`` };
  return inStock
    ? { count: piece`active`, condition: piece`and active` }
    : { count: piece`(lots - active)`, condition: piece`and not active` };
}

/**
 * Reads a page of the lots of these warehouses by (received, recNo), either all or by whether they are in
 * stock, and their exact number, as of one moment. The cost does not grow with the table. About a thousand
 * neighbouring lots form a block, blocks form chapters, chapters form volumes, and all are counted (see
 * schema/09-lot-counts.sql). The counts lead to the blocks of the page, see `wayToPage`. The lots are then
 * read from the index on (received, recNo). For example, if places 250 to 274 are wanted and 200 lots come
 * before the block, the block is read with `offset 50 limit 25`.
 *
 * `record`: the expression for a record's JSON text, based on `lot`, `item` and `warehouse`.
 */
export async function readLotPage(
  sql: Sql,
  wids: readonly number[],
  inStock: InStock,
  { offset, limit, backwards }: Slice,
  record: Piece,
): Promise<Page> {
  const direction = raw(backwards ? 'asc' : 'desc');
  const scope = piece`wid = any((select wids from asked)::integer[])`;
  const { count, condition } = countedLots(inStock);
  const [row] = await send<{ total_count: number; records: string }>(sql)`
    with asked as materialized (
      -- The parameters stand here once, because several parts use them.
      select ${wids}::integer[] as wids, ${offset.toString()}::bigint as skipped, ${limit}::integer as size
    ), arrived as materialized (
      -- Arrivals that are not folded yet, by the block they belong to.
      select volume, chapter, block, sum(${count})::bigint as count
      from lot_arrival
      cross join lateral (
        select chapter, block from lot_block where block <= received order by block desc limit 1
      ) as of_block
      cross join lateral (
        select volume from lot_volume where volume <= chapter order by volume desc limit 1
      ) as of_volume
      where ${scope} and ${count} <> 0
      group by volume, chapter, block
    ), ${wayToPage(
      { backwards },
      {
        volumes: piece`
        select volume, ${count} as count from lot_volume_count where ${scope}
        union all
        select volume, count from arrived`,
        chapters: piece`
        select chapter, count
        from volumes_of_page
        cross join lateral (
          select chapter, ${count} as count
          from lot_chapter_count
          where ${scope} and chapter >= volume
            and chapter < (select coalesce(min(next.volume), 'infinity') from lot_volume as next where next.volume > volumes_of_page.volume)
          offset 0
        ) as of_volume
        union all
        select chapter, count from arrived where volume in (select volume from volumes_of_page)`,
        blocks: piece`
        select block, count
        from chapters_of_page
        cross join lateral (
          select block, ${count} as count
          from lot_block_count
          where ${scope} and lot_block_count.chapter = chapters_of_page.chapter
          offset 0
        ) as of_chapter
        union all
        select block, count from arrived where chapter in (select chapter from chapters_of_page)`,
      },
    )}, page as materialized (
      -- The keys of the page, read from the index.
      select rec_no, received
      from blocks_of_page
      -- Block by block: there may be many blocks without matching lots between two with lots of the page.
      cross join lateral (
        select rec_no, received
        from lot
        where ${scope} and received >= block ${condition}
          and received < (select coalesce(min(next.block), 'infinity') from lot_block as next where next.block > blocks_of_page.block)
        -- Forces the index, however many blocks the planner expects.
        offset 0
      ) as of_block
      order by received desc, rec_no desc
      ${takenOfBlocks()}
    )
    select (select total from wanted) as total_count,
      ${recordsOnPage(record, {
        from: piece`lot join item using (part_no) join warehouse using (wid) where lot.rec_no = page.rec_no`,
        order: piece`page.received ${direction}, page.rec_no ${direction}`,
      })} as records`;
  return { totalCount: row!.total_count, records: row!.records };
}

/**
 * An expression for the number of the lots of these warehouses, either all or by whether they are in stock.
 */
export function countLots(wids: readonly number[], inStock: InStock): Piece {
  const scope = piece`wid = any(${wids}::integer[])`;
  const { count } = countedLots(inStock);
  return piece`
    select coalesce(sum(count), 0)::bigint
    from (
      select ${count} as count from lot_volume_count where ${scope}
      union all
      select ${count} from lot_arrival where ${scope}
    ) as counted`;
}
