import type { Warehouse } from '@inventory/domain/contract/warehouse';
import { raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { onStandbys } from '@inventory/postgres/servers/on-standbys';
import { type Columns, columnList, recordText } from '../lists/record-json.ts';

/** Adds a warehouse. Fails on `warehouse_pkey` if the id is taken. */
export async function addWarehouse(sql: Sql, warehouse: { wid: number; name: string }): Promise<void> {
  await sql`insert into warehouse (wid, name) values (${warehouse.wid}, ${warehouse.name})`;
}

/** Those of these ids that no warehouse has. */
export async function findUnknownWarehouses(sql: Sql, wids: readonly number[]): Promise<number[]> {
  const rows = await sql<{ wid: number }[]>`
    select distinct wid
    from unnest(${wids as number[]}::integer[]) as asked (wid)
    where not exists (select from warehouse where warehouse.wid = asked.wid)
    order by wid`;
  return rows.map((row) => row.wid);
}

/** A warehouse for operators. `clients`: the number of clients that have it in scope. */
type ListedWarehouse = { wid: number; name: string; created: Date; clients: number };

/** All warehouses, by id. */
export async function listWarehouses(sql: Sql): Promise<ListedWarehouse[]> {
  const rows = await sql<ListedWarehouse[]>`
    select wid, name, created,
      (select count(*) from client_warehouse where client_warehouse.wid = warehouse.wid)::integer as clients
    from warehouse
    order by wid`;
  return [...rows];
}

// The columns of a warehouse that callers see.
const columns: Columns<keyof Warehouse> = { wID: 'warehouse.wid', name: 'warehouse.name' };
const shown = raw(columnList(columns));

/** The expression for a warehouse's JSON text. */
export const warehouseRecord = recordText(columns);

/** These warehouses, by id. */
export function readWarehouses(sql: Sql, wids: readonly number[]): Promise<Warehouse[]> {
  return send<Warehouse>(sql)`
    select ${shown}
    from warehouse
    where wid = any(${wids}::integer[])
    order by wid`;
}

/** The same for a reader of the feed: with synchronous standbys, these have the names and the scope. */
export async function readScope(sql: Sql, wids: readonly number[]): Promise<Warehouse[]> {
  const rows = await send<Warehouse & { on_standbys: unknown }>(sql)`
    select ${shown}, ${onStandbys} as on_standbys
    from warehouse
    where wid = any(${wids}::integer[])
    order by wid`;
  return rows.map(({ on_standbys: _, ...warehouse }) => warehouse);
}
