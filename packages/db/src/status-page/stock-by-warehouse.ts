import { isStatementTimeout, type Sql } from '../pool.ts';

/**
 * What a warehouse holds. `units` and `onHold` are decimals as texts; null when adding them up took too long.
 */
export type WarehouseStock = {
  wid: number;
  name: string;
  /** Items that have a stock level there. */
  items: number;
  /** Lots that the lists have, shipped ones too. */
  lots: number;
  units: string | null;
  onHold: string | null;
};

/** More would be no overview. */
export const warehousesMax = 100;

type Counted = { wid: number; name: string; items: number; lots: number };
type Levels = { wid: number; units: string; on_hold: string };

/**
 * The stock of each warehouse, the first hundred by their numbers. Lots and items come from the counts of the
 * lists, so they cost next to nothing however many there are; units are added up from the levels, for as long
 * as the connection lets a statement take.
 */
export async function readStockByWarehouse(sql: Sql): Promise<WarehouseStock[]> {
  const counted = await sql<Counted[]>`
    with shown as materialized (
      select wid, name from warehouse order by wid limit ${warehousesMax}
    ), counted as (
      select wid, sum(lots) as lots
      from (
        select wid, lots from lot_volume_count
        union all
        select wid, lots from lot_arrival
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
