import type { Sql } from '@inventory/postgres/pool';

/**
 * Changes of `low` that say what the one before of the same gate said, and last ones that say otherwise than
 * the stock.
 */
export async function findWrongLows(sql: Sql): Promise<string[]> {
  const rows = await sql<{ wrong: string }[]>`
    with told as (
      select change_no, wid, part_no, coalesce(available < minimum, false) as is_low,
        lag(coalesce(available < minimum, false), 1, false) over gates as was_low,
        lead(change_no) over gates is null as is_last
      from change
      where kind = 'low'
      window gates as (partition by wid, part_no order by change_no)
    ), levels as (
      select wid, part_no, coalesce(in_stock - on_hold - committed - packed < minimum, false) as is_low
      from stock_level
    )
    select 'change ' || change_no || ' repeats what ' || part_no || ' in ' || wid || ' was' as wrong
    from told
    where is_low = was_low
    union all
    select part_no || ' in ' || wid || ' is' || case when levels.is_low then '' else ' not' end || ' low, told otherwise'
    from levels
    left join (select wid, part_no, is_low from told where is_last) as last using (wid, part_no)
    where levels.is_low <> coalesce(last.is_low, false)
      or levels.is_low <> exists (
        select from low_level where low_level.wid = levels.wid and low_level.part_no = levels.part_no
      )`;
  return rows.map(({ wrong }) => wrong);
}
