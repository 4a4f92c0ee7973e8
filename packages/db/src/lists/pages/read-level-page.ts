import type { Page } from '@inventory/paging/page';
import { type Piece, piece, raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { recordsOnPage } from '../record-json.ts';
import { type Slice, sliceText } from './slice.ts';

/**
 * Reads a page of stock levels over these warehouses by partNo, one record for each item that is used in any
 * of them, and their exact number, as of one moment. Sets of items, united over the warehouses, show which
 * items are on the page (see schema/08-level-sets.sql), and only their levels are read. Items in arrivals are
 * looked up.
 *
 * `record`: the expression for a record's JSON text, based on aggregates of `stock_level`.
 */
export async function readLevelPage(
  sql: Sql,
  wids: readonly number[],
  { offset, limit, backwards }: Slice,
  record: Piece,
): Promise<Page> {
  const scope = piece`wid = any((select wids from asked)::integer[])`;
  const direction = raw(backwards ? 'desc' : 'asc');
  const places = raw(sliceText({ backwards }));
  const [row] = await send<{ total_count: number; records: string }>(sql)`
    with asked as materialized (
      select ${wids}::integer[] as wids, ${offset.toString()}::bigint as skipped, ${limit}::integer as size
    ), sets as materialized (
      select block, bit_or(used) as used
      from (
        select block, used from level_set where ${scope}
        union all
        select part_no / 8192, set_bit(b'0'::bit(8192), part_no % 8192, 1)
        from level_arrival
        join stock_level using (wid, part_no)
        where ${scope} and stock_level.used
      ) as collected
      group by block
    ), blocks as materialized (
      select block, used, items, (sum(items) over (order by block))::bigint as through
      from (select block, used, bit_count(used) as items from sets) as counted
    ), wanted as materialized (
      select total, ${places}
      from asked
      cross join (select coalesce(sum(items), 0)::bigint as total from blocks) as summed
    ), pieces as materialized (
      select block * 8192 + piece * 256 as first_part_no, bits, bit_count(bits) as items,
        before + (sum(bit_count(bits)) over (order by block, piece))::bigint as through
      from (
        select block, used, min(through - items) over () as before
        from blocks, wanted
        where through > first and through - items < last
      ) as near
      cross join generate_series(0, 31) as piece
      cross join substring(used from piece * 256 + 1 for 256) as bits
    ), page as materialized (
      select first_part_no + bit as part_no
      from (
        select first_part_no, bits, min(through - items) over () as before
        from pieces, wanted
        where through > first and through - items < last
      ) as near
      cross join generate_series(0, 255) as bit
      where get_bit(bits, bit) = 1
      order by part_no
      limit greatest((select last - first from wanted), 0)
      offset (
        select first - (select min(through - items) from pieces where through > first)
        from wanted
      )
    )
    select (select total from wanted) as total_count,
      ${recordsOnPage(record, {
        from: piece`
          stock_level where stock_level.part_no = page.part_no and ${scope} and used
          group by stock_level.part_no`,
        order: piece`page.part_no ${direction}`,
      })} as records`;
  return { totalCount: row!.total_count, records: row!.records };
}
