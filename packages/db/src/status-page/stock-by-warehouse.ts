import { isStatementTimeout, type Sql } from '@inventory/postgres/pool';
import { topTier } from '../lists/pages/way-to-page.ts';

/** The stock of a warehouse. `units` and `onHold`: decimal text; null if adding them up took too long. */
export type WarehouseStock = {
  wid: number;
  name: string;
  /** The number of items with a stock level there. */
  items: number;
  /** The number of lots in the lists, including shipped ones. */
  lots: number;
  units: string | null;
  onHold: string | null;
};

/** More would not be an overview. */
export const warehousesMax = 100;

type Counted = { wid: number; name: string; items: number; lots: number };
type Levels = { wid: number; units: string; on_hold: string };

/**
 * The stock of each warehouse: the first hundred by number. The numbers of lots and items come from the
 * counts of the lists and cost almost nothing. Units are summed from the levels, as long as the statement
 * timeout of the connection allows.
 */
export async function readStockByWarehouse(sql: Sql): Promise<WarehouseStock[]> {
  const counted = await sql<Counted[]>`
    with shown as materialized (
      select wid, name from warehouse order by wid limit ${warehousesMax}
    ), counted as (
      select wid, sum(records) as lots
      from (
        select wid, records from list_count where list = 'lots' and tier = ${topTier}
        union all
        select wid, records from list_arrival where list = 'lots'
      ) as parts
      group by wid
    ), listed as (
      select wid, sum(bit_count(used)) as items from level_set group by wid
    )
    select wid, name, coalesce(items, 0)::integer as items, coalesce(lots, 0)::integer as lots
    from shown
    left join counted using (wid)
    left join listed using (wid)
    order by wid`;
  const levels = await readLevels(sql).catch((error) => {
    if (isStatementTimeout(error)) return null;
    throw error;
  });
  const byWid = new Map(levels?.map((level) => [level.wid, level]));
  const empty = levels === null ? null : '0';
  return counted.map(({ wid, name, items, lots }) => ({
    wid,
    name,
    items,
    lots,
    units: byWid.get(wid)?.units ?? empty,
    onHold: byWid.get(wid)?.on_hold ?? empty,
  }));
}

function readLevels(sql: Sql) {
  return sql<Levels[]>`
    select wid, trim_scale(sum(in_stock))::text as units, trim_scale(sum(on_hold))::text as on_hold
    from stock_level
    where used and wid in (select wid from warehouse order by wid limit ${warehousesMax})
    group by wid`;
}
