import { findUnknownWarehouses } from '@inventory/db/catalog/warehouses';
import { type Sql, violatesForeignKey } from '@inventory/db/postgres/pool';
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

import type { HoldRefusal } from '@inventory/db/operator/holds';

/** One line that says why a lot cannot be held or released. */
export function explainHoldRefusal(refusal: HoldRefusal, recNo: number): string {
  switch (refusal) {
    case 'unknown_lot':
      return `there is no lot ${recNo}`;
    case 'not_in_stock':
      return `lot ${recNo} is not in stock`;
    case 'already_held':
      return `lot ${recNo} is on hold already`;
    case 'not_held':
      return `lot ${recNo} is not on hold`;
  }
}
