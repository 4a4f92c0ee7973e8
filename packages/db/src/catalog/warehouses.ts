import { send } from '../postgres/piece.ts';
import type { Sql } from '../postgres/pool.ts';
import { onStandbys } from '../postgres/servers/on-standbys.ts';

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

/** A warehouse. `clients`: the number of clients that have it in scope. */
export type Warehouse = { wid: number; name: string; created: Date; clients: number };

/** All warehouses, by id. */
export async function listWarehouses(sql: Sql): Promise<Warehouse[]> {
  const rows = await sql<Warehouse[]>`
    select wid, name, created,
      (select count(*) from client_warehouse where client_warehouse.wid = warehouse.wid)::integer as clients
    from warehouse
    order by wid`;
  return [...rows];
}

/** The names of these warehouses, by id. */
export function readWarehouseNames(
  sql: Sql,
  wids: readonly number[],
): Promise<{ wid: number; name: string }[]> {
  return sql<{ wid: number; name: string }[]>`
    select wid, name
    from warehouse
    where wid = any(${wids as number[]}::integer[])
    order by wid`;
}

/** The same for a reader of the feed: with synchronous standbys, these have the names and the scope. */
export function readScopeNames(sql: Sql, wids: readonly number[]): Promise<{ wid: number; name: string }[]> {
  return send<{ wid: number; name: string }>(sql)`
    select wid, name, ${onStandbys} as on_standbys
    from unnest(${wids}::integer[]) as asked (wid)
    join warehouse using (wid)
    order by wid`;
}
