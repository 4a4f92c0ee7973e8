import { lots, warehouseLots } from '@inventory/db/lists/list-lots';
import { stockLevels, warehouseStockLevels } from '@inventory/db/lists/list-stock-levels';
import { Minimum, MinimumToSet } from '@inventory/domain/contract/stock-level';
import { Permission } from '@inventory/domain/permission';
import { noItem } from '@inventory/domain/refusals/refused';
import { partNoParams, widParams } from '@inventory/paging/parameters';
import type { Database } from '../database.ts';
import { answerBytes } from '../http/answer-bytes.ts';
import { route } from '../http/route.ts';
import { setMinimumOf } from '../item-writes.ts';
import { setMinimum } from '../openapi/descriptions/inventory.ts';
import type { BatchCalls } from '../stock/batch-call/batch-calls.ts';
import type { Stock } from '../stock/transactions.ts';
import { batchRoute } from './batch.ts';
import { listRoute } from './list-route.ts';
import { operationRoutes } from './operations.ts';

const levelParams = widParams.extend(partNoParams(5).shape);

/** `/Inventory`: lots, stock levels and operations on stock, alone and in lists. */
export function inventoryRoutes(database: Database, stock: Stock & BatchCalls) {
  return [
    listRoute(lots, database),
    listRoute(stockLevels, database),
    listRoute(warehouseStockLevels, database),
    minimumRoute(database),
    listRoute(warehouseLots, database),
    ...operationRoutes(stock),
    batchRoute(stock),
  ];
}

function minimumRoute(database: Database) {
  return route({
    method: 'PUT',
    path: '/Inventory/StockLevels/:wid/:partNo',
    isExtension: true,
    summary: 'Set the minimum of an item in a warehouse',
    permission: Permission.ModifyItemMaster,
    writes: true,
    params: levelParams,
    body: MinimumToSet,
    takesNull: true,
    warehouses: ({ params }) => [params.wid],
    answer: { 200: Minimum },
    answerBytes: answerBytes.small,
    keyed: false,
    paged: 'never',
    notFound: noItem.message,
    description: setMinimum,
    handle: async ({ params, body: { minimum }, wait }) => {
      const text = await setMinimumOf(database, { ...params, minimum }, wait);
      return text === null ? null : { status: 200, text };
    },
  });
}
