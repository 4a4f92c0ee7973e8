import type { Page } from '@inventory/paging/page';
import { type Piece, piece, raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { recordsOnPage } from '../record-json.ts';
import type { Slice } from './slice.ts';
import {
  askedWids,
  type Counted,
  countListed,
  takenOfRange,
  takenOfRanges,
  wayToPage,
} from './way-to-page.ts';

/** Which lots are listed: all, those in stock (true), or those not in stock (false). */
type InStock = boolean | undefined;

/** How these lots are counted, and their condition on `lot`. */
function listedLots(inStock: InStock): { counted: Counted; condition: Piece } {
  const counted = (count: Piece): Counted => ({ list: 'lots', count });
  if (inStock === undefined) return { counted: counted(piece`records`), condition: piece`` };
  return inStock
    ? { counted: counted(piece`active`), condition: piece`and active` }
    : { counted: counted(piece`(records - active)`), condition: piece`and not active` };
}

/** The time at which a bucket of tier 0 begins. Exact: a product of so few digits is not rounded. */
const startOf = (bucket: string) => piece`timestamptz 'epoch' + ${raw(bucket)} * interval '2.048 seconds'`;

/**
 * Reads a page of the lots of these warehouses by (received, recNo), either all or by whether they are in
 * stock, and their exact number, as of one moment. The cost does not grow with the table: counts lead to a
 * short range of times, see `wayToPage`, which is read from the index on (received, recNo).
 *
 * `record`: the expression for a record's JSON text, based on `lot`, `item` and `warehouse`.
 */
export async function readLotPage(
  sql: Sql,
  wids: readonly number[],
  inStock: InStock,
  slice: Slice,
  record: Piece,
): Promise<Page> {
  const direction = raw(slice.backwards ? 'asc' : 'desc');
  const { counted, condition } = listedLots(inStock);
  const [row] = await send<{ total_count: number; records: string }>(sql)`
    with ${wayToPage(counted, wids, slice)}, page as materialized (
      -- The keys of the page, read from the index.
      select rec_no, received
      -- Range by range: there may be long times without matching lots between two with lots of the page.
      from ranges
      cross join unnest(${askedWids}) as asked_wid
      -- The limit also forces the index, however many ranges the planner expects.
      cross join lateral (
        select rec_no, received
        from lot
        where wid = asked_wid and received >= ${startOf('since')} and received < ${startOf('until')} ${condition}
        order by received desc, rec_no desc
        ${takenOfRange}
      ) as in_range
      order by received desc, rec_no desc
      ${takenOfRanges}
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
  return countListed(listedLots(inStock).counted, wids);
}
