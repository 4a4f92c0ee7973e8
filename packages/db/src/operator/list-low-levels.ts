import type { Sql } from '@inventory/postgres/pool';

/** A level with fewer available units than its minimum. Quantities are text, digit for digit. */
export type LowLevel = {
  wid: number;
  warehouse: string;
  shortID: string;
  description: string;
  available: string;
  minimum: string;
  onOrder: string;
};

/** The levels below their minimum, by warehouse and item. `wid`: those of one warehouse; null: all. */
export async function listLowLevels(
  sql: Sql,
  { wid, limit }: { wid: number | null; limit: number },
): Promise<LowLevel[]> {
  const rows = await sql<LowLevel[]>`
    select wid, warehouse.name as warehouse, short_id as "shortID", description,
      trim_scale(in_stock - on_hold - committed - packed)::text as available, trim_scale(minimum)::text as minimum,
      trim_scale(on_order)::text as "onOrder"
    from low_level
    join stock_level using (wid, part_no)
    join item using (part_no)
    join warehouse using (wid)
    where ${wid}::integer is null or wid = ${wid}
    order by wid, short_id
    limit ${limit}`;
  return [...rows];
}
