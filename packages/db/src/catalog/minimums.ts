import type { Minimum } from '@inventory/domain/contract/stock-level';
import type { Decimal } from '@inventory/domain/quantity';
import { type Columns, recordText } from '../lists/record-json.ts';
import { send } from '../postgres/piece.ts';
import type { Sql } from '../postgres/pool.ts';
import { onStandbys } from '../postgres/servers/on-standbys.ts';

/** The minimum of an item in a warehouse. `minimum`: null for none. */
export type MinimumToSet = { partNo: number; wid: number; minimum: Decimal | null };

const available = 'level.in_stock - level.on_hold - level.committed - level.packed';

const minimumRecord = recordText({
  partNo: 'level.part_no',
  shortID: '(select short_id from item where item.part_no = level.part_no)',
  wID: 'level.wid',
  minimum: 'trim_scale(level.minimum)',
  available: `trim_scale(${available})`,
  low: `coalesce(${available} < level.minimum, false)`,
} satisfies Columns<keyof Minimum>);

const textOf = (minimum: Decimal | null) => (minimum === null ? null : String(minimum));

/**
 * Sets a minimum in one statement and returns its JSON text; null: there is no such item. The database tells
 * whether the item is below it. Setting what is set changes nothing. Fails on `stock_level_wid_fkey` (no such
 * warehouse).
 */
export async function setMinimum(sql: Sql, { partNo, wid, minimum }: MinimumToSet): Promise<string | null> {
  const [row] = await send<{ record: string }>(sql)`
    with level as (
      insert into stock_level (part_no, wid, minimum, used)
      select part_no, ${wid}::integer, minimum, minimum is not null
      from item
      cross join (select ${textOf(minimum)}::text::numeric as minimum) as given
      where part_no = ${partNo}::integer
      -- The time is taken at the write: one from before the wait for a batch could be earlier than the batch's.
      on conflict (part_no, wid) do update
      set minimum = excluded.minimum,
        used = stock_level.used or excluded.used,
        modified = case
          when stock_level.minimum is distinct from excluded.minimum then change_moment()
          else stock_level.modified
        end
      returning *
    )
    select ${minimumRecord} as record from level`;
  return row?.record ?? null;
}

/**
 * Returns the JSON text of a minimum if it is set so; else null. Answers once the standbys have what was
 * read.
 */
export async function readMinimum(sql: Sql, { partNo, wid, minimum }: MinimumToSet): Promise<string | null> {
  const [row] = await send<{ record: string | null }>(sql)`
    select (
        select ${minimumRecord}
        from stock_level as level
        where part_no = ${partNo} and wid = ${wid} and minimum is not distinct from ${textOf(minimum)}::text::numeric
      ) as record,
      ${onStandbys} as on_standbys`;
  return row!.record;
}
