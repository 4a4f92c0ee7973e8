import type { Sql } from '@inventory/postgres/pool';

/** The level of an item in a warehouse. Quantities are text, digit for digit. */
export type ListedLevel = {
  wid: number;
  warehouse: string;
  inStock: string;
  onHold: string;
  onOrder: string;
  committed: string;
  packed: string;
  aSN: string;
  available: string;
  /** null: none is set. */
  minimum: string | null;
  modified: Date;
};

/**
 * The levels of an item that ever had stock or an order quantity, by warehouse; null if there is no such
 * item.
 */
export async function listLevels(sql: Sql, shortId: string): Promise<ListedLevel[] | null> {
  const [item] = await sql<{ part_no: number }[]>`select part_no from item where short_id = ${shortId}`;
  if (item === undefined) return null;
  const rows = await sql<ListedLevel[]>`
    select wid, name as warehouse, trim_scale(in_stock)::text as "inStock", trim_scale(on_hold)::text as "onHold",
      trim_scale(on_order)::text as "onOrder", trim_scale(committed)::text as committed, trim_scale(packed)::text as packed,
      trim_scale(asn)::text as "aSN", trim_scale(in_stock - on_hold - committed - packed)::text as available,
      trim_scale(minimum)::text as minimum, modified
    from stock_level
    join warehouse using (wid)
    where part_no = ${item.part_no} and used
    order by wid`;
  return [...rows];
}
