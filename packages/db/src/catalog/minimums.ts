import type { Minimum } from '@inventory/domain/contract/stock-level';
import type { Decimal } from '@inventory/domain/quantity';
import { send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { onStandbys } from '@inventory/postgres/servers/on-standbys';
import { type Columns, recordText } from '../lists/record-json.ts';

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

const lockTimeoutMs = '300';

const textOf = (minimum: Decimal | null) => (minimum === null ? null : String(minimum));

/**
 * Sets a minimum in one statement and returns its JSON text; null: there is no such item. The database tells
 * whether the item is below it. Setting what is set changes nothing. Fails on `stock_level_wid_fkey` (no such
 * warehouse), and with a lock timeout if the level is held for long: it must not keep a connection that other
 * writes wait for.
 */
export async function setMinimum(sql: Sql, { partNo, wid, minimum }: MinimumToSet): Promise<string | null> {
  const [row] = await send<{ record: string }>(sql)`
    with held as materialized (
      select part_no
      from (select set_config('lock_timeout', ${lockTimeoutMs}::text, true) as lock_timeout) as limited
      join stock_level on part_no = ${partNo}::integer and wid = ${wid}::integer and lock_timeout is not null
      for no key update of stock_level
    ), level as (
      insert into stock_level (part_no, wid, minimum, used)
      select item.part_no, ${wid}::integer, minimum, minimum is not null
      from item
      cross join (select ${textOf(minimum)}::text::numeric as minimum) as given
      -- The wait for a batch ends before the time of the change is taken, which followers of changes wait for.
      cross join (select count(*) from held) as locked
      where item.part_no = ${partNo}::integer
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
