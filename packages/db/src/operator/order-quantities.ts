import type { Sql } from '@inventory/postgres/pool';

/**
 * The quantities that the order systems set, and the minimum, as plain decimal text. A missing one does not
 * change; null removes the minimum.
 */
export type OrderQuantities = {
  onOrder?: string | undefined;
  committed?: string | undefined;
  packed?: string | undefined;
  asn?: string | undefined;
  minimum?: string | null | undefined;
};

/**
 * Sets order quantities of an item in a warehouse. `unknown_item`: no item has that shortID. Fails on
 * `stock_level_wid_fkey` (no such warehouse).
 */
export async function setOrderQuantities(
  sql: Sql,
  gate: { shortId: string; wid: number },
  quantities: OrderQuantities,
): Promise<'set' | 'unknown_item'> {
  const onOrder = quantities.onOrder ?? null;
  const committed = quantities.committed ?? null;
  const packed = quantities.packed ?? null;
  const asn = quantities.asn ?? null;
  const { minimum = null } = quantities;
  const isMinimumGiven = quantities.minimum !== undefined;
  const [item] = await sql<{ part_no: number }[]>`select part_no from item where short_id = ${gate.shortId}`;
  if (item === undefined) return 'unknown_item';
  // One statement for one row, so that it holds no other lock while it waits for a batch to release the gate.
  // The time is taken at the write: a time from before the wait could be earlier than the batch's, and
  // followers of changes would wait for it.
  await sql`
    with held as materialized (
      select part_no from stock_level where part_no = ${item.part_no} and wid = ${gate.wid} for no key update
    )
    insert into stock_level (part_no, wid, on_order, committed, packed, asn, minimum, used)
    select ${item.part_no}, ${gate.wid}, on_order, committed, packed, asn, ${minimum}::numeric,
      on_order + committed + packed + asn > 0 or ${minimum}::numeric is not null
    from (
      select coalesce(${onOrder}::numeric, 0) as on_order, coalesce(${committed}::numeric, 0) as committed,
        coalesce(${packed}::numeric, 0) as packed, coalesce(${asn}::numeric, 0) as asn
    ) as given
    cross join (select count(*) from held) as locked
    on conflict (part_no, wid) do update
    set on_order = coalesce(${onOrder}::numeric, stock_level.on_order),
      committed = coalesce(${committed}::numeric, stock_level.committed),
      packed = coalesce(${packed}::numeric, stock_level.packed),
      asn = coalesce(${asn}::numeric, stock_level.asn),
      minimum = case when ${isMinimumGiven} then excluded.minimum else stock_level.minimum end,
      used = stock_level.used or excluded.used,
      modified = change_moment()`;
  return 'set';
}
