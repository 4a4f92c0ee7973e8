import type { Sql } from './client.ts';

/** Adds a warehouse. Fails on `warehouse_pkey` when the id is taken. */
export async function addWarehouse(sql: Sql, warehouse: { wid: number; name: string }): Promise<void> {
  await sql`insert into warehouse (wid, name) values (${warehouse.wid}, ${warehouse.name})`;
}
