import { findUnknownWarehouses } from '@inventory/db/catalog/warehouses';
import { type Sql, violatesForeignKey } from '@inventory/postgres/pool';
import { CommandError } from './command-error.ts';

/**
 * If a statement was refused because of an unknown warehouse, names it; otherwise returns the error
 * unchanged.
 */
export async function explainUnknownWarehouse(
  error: unknown,
  sql: Sql,
  wids: readonly number[],
): Promise<unknown> {
  const refused = ['client_warehouse_wid_fkey', 'stock_level_wid_fkey'];
  if (!refused.some((constraint) => violatesForeignKey(error, constraint))) return error;
  const unknown = await findUnknownWarehouses(sql, wids);
  return new CommandError(`there is no warehouse ${unknown.join(', ')}`, 2);
}
