import type { Page } from '@inventory/paging/page';
import { type Piece, piece, raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { recordsOnPage } from '../record-json.ts';
import { type Slice, sliceText } from './slice.ts';

/**
 * Reads a page of the active items, or of all items, by shortID, and their exact number, as of one moment.
 * Like `readLotPage`: counts lead to the block where the page begins (see schema/07-item-counts.sql), and the
 * index leads on from there.
 *
 * `record`: the expression for a record's JSON text, based on `item`.
 */
export async function readItemPage(
  sql: Sql,
  { discontinuedToo }: { discontinuedToo: boolean },
  { offset, limit, backwards }: Slice,
  record: Piece,
): Promise<Page> {
  const count = raw(discontinuedToo ? 'items' : 'active');
  const listed = raw(discontinuedToo ? 'true' : 'not discontinued');
  const direction = raw(backwards ? 'desc' : 'asc');
  const places = raw(sliceText({ backwards }));
  const [row] = await send<{ total_count: number; records: string }>(sql)`
    with asked as materialized (
      select ${offset.toString()}::bigint as skipped, ${limit}::integer as size
    ), blocks as materialized (
      select block, sum(count)::bigint as count, (sum(sum(count)) over (order by block))::bigint as through
      from (
        select block, ${count} as count from item_block
        union all
        select (select block from item_block where block <= short_id order by block desc limit 1), ${count}
        from item_arrival
      ) as counted
      group by block
    ), wanted as materialized (
      select total, ${places}
      from asked
      cross join (select coalesce(sum(count), 0)::bigint as total from blocks) as summed
    ), range as materialized (
      select block as since, first - (through - count) as skipped, last - first as size
      from wanted
      cross join lateral (select * from blocks where through > first order by block limit 1) as nearest
    ), page as materialized (
      select short_id
      from item
      where short_id >= (select since from range) and ${listed}
      order by short_id
      limit greatest((select size from range), 0) offset (select skipped from range)
    )
    select (select total from wanted) as total_count,
      ${recordsOnPage(record, {
        from: piece`item where item.short_id = page.short_id`,
        order: piece`page.short_id ${direction}`,
      })} as records`;
  return { totalCount: row!.total_count, records: row!.records };
}

/** An expression for the number of active items, or of all items. */
export function countItems({ discontinuedToo }: { discontinuedToo: boolean }): Piece {
  const count = raw(discontinuedToo ? 'items' : 'active');
  return piece`
    select coalesce(sum(count), 0)::bigint
    from (
      select ${count} as count from item_block
      union all
      select ${count} from item_arrival
    ) as counted`;
}
