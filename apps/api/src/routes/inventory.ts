import type { Client } from '@inventory/auth/client';
import { lotPage, lotSortColumns } from '@inventory/db/lists/list-lots';
import { stockLevelPage, stockLevelSortColumns } from '@inventory/db/lists/list-stock-levels';
import { FullStockLevel, Minimum, MinimumToSet, StockLevel } from '@inventory/domain/contract/stock-level';
import { Text } from '@inventory/domain/fields';
import { FullLot, Lot } from '@inventory/domain/lot';
import { type FilterShape, type FilterType, fieldRows } from '@inventory/domain/lot-fields';
import { Permission } from '@inventory/domain/permission';
import { dateTimeParameter } from '@inventory/paging/date-time-parameter';
import { pageQueryShape } from '@inventory/paging/page-query';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { answerBytes, pageBytes } from '../http/answer-bytes.ts';
import { nothingAtPath } from '../http/errors.ts';
import { idParameter, idsParameter, numberParameter, viewParameter } from '../http/reading/parameters.ts';
import { noWarehouses, route } from '../http/route.ts';
import { setMinimumOf } from '../item-writes.ts';
import { pageAnswer, pageReply } from '../lists/page-reply.ts';
import {
  lots,
  setMinimum,
  stockLevels,
  warehouseLots,
  warehouseStockLevels,
} from '../openapi/descriptions/inventory.ts';
import type { BatchCalls } from '../stock/batch-call/batch-calls.ts';
import type { Stock } from '../stock/transactions.ts';
import { batchRoute } from './batch.ts';
import { noSuchItem, partNoParams } from './items.ts';
import { operationRoutes } from './operations.ts';

const wid = z.object({
  wid: z
    .string()
    // A number that is not an id belongs to no warehouse, so it is out of scope like any other.
    .regex(/^\d+$/)
    .transform(Number)
    .meta({
      ...{ description: 'Warehouse ID', example: 2 },
      ...{ type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 },
    }),
});
const flag = z
  .enum(['true', 'false'], { error: 'must be true or false.' })
  .transform((text) => text === 'true')
  .optional();
const anyText = Text.optional();

const parameterOf = {
  text: (description: string) => anyText.meta({ description }),
  integer: idParameter,
  timestamptz: (description: string) => dateTimeParameter(description),
  boolean: (description: string) => flag.meta({ type: 'boolean', description }),
};
// The document has had them in this order since 0.1.0.
const { spot, serial, hold, rfidTag, serial2, jobID, ...others } = Object.fromEntries(
  fieldRows.flatMap(({ name, type, filter }) =>
    filter === undefined ? [] : [[filter.as ?? name, parameterOf[type](filter.says)]],
  ),
) as FilterShape<{ [Type in FilterType]: ReturnType<(typeof parameterOf)[Type]> }>;

const lotQuery = z.object({
  ...pageQueryShape(lotSortColumns),
  inStock: flag.meta({ type: 'boolean', description: 'Extension: only lots that are (not) in stock' }),
  itemID: anyText.meta({ description: 'Extension: only lots of the item with this ShortID' }),
  ...{ spot, serial, hold },
  recNo: numberParameter('Extension: only this lot'),
  ...{ rfidTag, serial2, jobID },
  ...others,
  view: viewParameter,
});
/** The most items in one query: each is looked up by its key. */
export const partNosMax = 100;
const levelQuery = z.object({
  ...pageQueryShape(stockLevelSortColumns),
  itemID: anyText.meta({ description: 'Extension: only the item with this ShortID' }),
  partNo: idParameter('Extension: only the item with this part number'),
  partNos: idsParameter(`Extension: only items with these part numbers, up to ${partNosMax}`, partNosMax),
  belowMinimum: flag.meta({
    type: 'boolean',
    description:
      'Extension: true: only items below their minimum in at least one of the warehouses; false: in none',
  }),
  view: viewParameter,
});
const { partNo } = partNoParams.shape;
const levelParams = wid.extend({ partNo: partNo.meta({ ...partNo.meta(), example: 5 }) });

const LotPages = z.union([pageAnswer(FullLot, 'FullLotPage'), pageAnswer(Lot, 'LotPage')]);
const StockLevelPages = z.union([
  pageAnswer(FullStockLevel, 'FullStockLevelPage'),
  pageAnswer(StockLevel, 'StockLevelPage'),
]);

function lotReading(query: z.infer<typeof lotQuery>, wids: number[], { client }: { client: Client }) {
  return lotPage(query, wids, query, { view: query.view, scope: [...client.scope] });
}

/** `/Inventory`: lots, stock levels and operations on stock, alone and in lists. */
export function inventoryRoutes(database: Database, stock: Stock & BatchCalls) {
  return [
    route({
      method: 'GET',
      path: '/Inventory',
      summary: 'List inventory lots of every warehouse in scope, most recent first',
      permission: Permission.ItemMasterList,
      writes: false,
      query: lotQuery,
      warehouses: noWarehouses,
      answer: { 200: LotPages },
      answerBytes: ({ query }) => pageBytes(query.view === 'full' ? 'fullLot' : 'lot', query),
      keyed: false,
      paged: 'always',
      notFound: null,
      description: lots,
      handle: async ({ query, ...asker }) =>
        pageReply(query, await database.lists.page(lotReading(query, [...asker.client.scope], asker), asker)),
    }),
    ...levelRoutes(database),
    route({
      method: 'GET',
      path: '/Inventory/:wid',
      summary: 'List inventory lots of one warehouse, most recent first',
      permission: Permission.ItemMasterList,
      writes: false,
      params: wid,
      query: lotQuery,
      warehouses: ({ params }) => [params.wid],
      answer: { 200: LotPages },
      answerBytes: ({ query }) => pageBytes(query.view === 'full' ? 'fullLot' : 'lot', query),
      keyed: false,
      paged: 'always',
      notFound: nothingAtPath,
      description: warehouseLots,
      handle: async ({ params, query, ...asker }) =>
        pageReply(query, await database.lists.page(lotReading(query, [params.wid], asker), asker)),
    }),
    ...operationRoutes(stock),
    batchRoute(stock),
  ];
}

function levelRoutes(database: Database) {
  return [
    route({
      method: 'GET',
      path: '/Inventory/StockLevels',
      summary: 'Stock levels per item, summed over every warehouse in scope',
      permission: Permission.ItemMasterList,
      writes: false,
      query: levelQuery,
      warehouses: noWarehouses,
      answer: { 200: StockLevelPages },
      answerBytes: ({ query }) => pageBytes(query.view === 'full' ? 'fullLevel' : 'level', query),
      keyed: false,
      paged: 'always',
      notFound: null,
      description: stockLevels,
      handle: async ({ query, ...asker }) =>
        pageReply(
          query,
          await database.lists.page(stockLevelPage(query, [...asker.client.scope], query), asker),
        ),
    }),
    route({
      method: 'GET',
      path: '/Inventory/StockLevels/:wid',
      summary: 'Stock levels per item in one warehouse',
      permission: Permission.ItemMasterList,
      writes: false,
      params: wid,
      query: levelQuery,
      warehouses: ({ params }) => [params.wid],
      answer: { 200: StockLevelPages },
      answerBytes: ({ query }) => pageBytes(query.view === 'full' ? 'fullLevel' : 'level', query),
      keyed: false,
      paged: 'always',
      notFound: nothingAtPath,
      description: warehouseStockLevels,
      handle: async ({ params, query, ...asker }) =>
        pageReply(query, await database.lists.page(stockLevelPage(query, [params.wid], query), asker)),
    }),
    minimumRoute(database),
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
    notFound: noSuchItem,
    description: setMinimum,
    handle: async ({ params, body: { minimum }, wait }) => {
      const text = await setMinimumOf(database, { ...params, minimum }, wait);
      return text === null ? null : { status: 200, text };
    },
  });
}
