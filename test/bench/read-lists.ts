import { findItem } from '@inventory/db/catalog/items';
import { itemList, itemPage } from '@inventory/db/lists/list-items';
import { lotList, lotPage } from '@inventory/db/lists/list-lots';
import { levelList, stockLevelPage } from '@inventory/db/lists/list-stock-levels';
import { transactionPage } from '@inventory/db/lists/list-transactions';
import { type List, readPage } from '@inventory/db/lists/pages/read-page';
import type { Page } from '@inventory/paging/page';
import type { PageQuery } from '@inventory/paging/page-query';
import { piece } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';

/** The warehouses of the data, all in the caller's scope, and the one that is listed alone. */
export const warehouseCount = 10;
const wids = Array.from({ length: warehouseCount }, (_, index) => index + 1);
const wid = 3;

/** A list, read over HTTP, by the driver alone with the same statement, and in the plain form. */
export type ListToRead = {
  path: string;
  read: (sql: Sql, query: PageQuery) => Promise<Page>;
  plain: (sql: Sql, query: PageQuery) => Promise<Page>;
};

function plain(list: Omit<List, 'where'>, where: List['where']): ListToRead['plain'] {
  return (sql, query) => readPage(sql, query, { ...list, where });
}

const inScope = piece`wid = any(${wids}::integer[])`;
const inOne = piece`wid = any(${[wid]}::integer[])`;

export const lists: Record<string, ListToRead> = {
  'lots, 10 warehouses': {
    path: '/Inventory',
    read: (sql, query) => lotPage(query, wids, {}).read(sql),
    plain: plain(lotList, inScope),
  },
  'lots, one warehouse': {
    path: `/Inventory/${wid}`,
    read: (sql, query) => lotPage(query, [wid], {}).read(sql),
    plain: plain(lotList, inOne),
  },
  'lots in stock, 10 warehouses': {
    path: '/Inventory?inStock=true',
    read: (sql, query) => lotPage(query, wids, { inStock: true }).read(sql),
    plain: plain(lotList, piece`${inScope} and active`),
  },
  'levels, 10 warehouses': {
    path: '/Inventory/StockLevels',
    read: (sql, query) => stockLevelPage(query, wids).read(sql),
    plain: plain(levelList, piece`${inScope} and used`),
  },
  'levels, one warehouse': {
    path: `/Inventory/StockLevels/${wid}`,
    read: (sql, query) => stockLevelPage(query, [wid]).read(sql),
    plain: plain(levelList, piece`${inOne} and used`),
  },
  items: {
    path: '/Item',
    read: (sql, query) => itemPage(query, { discontinuedToo: false }).read(sql),
    plain: plain(itemList, piece`not discontinued`),
  },
  'history, 10 warehouses': {
    path: '/Inventory/Transactions',
    read: (sql, query) => transactionPage(query, wids, {}).read(sql),
    // A filter on time turns off the counts, so it finds all matches.
    plain: (sql, query) => transactionPage(query, wids, { startDate: new Date(0) }).read(sql),
  },
  'history, one warehouse': {
    path: `/Inventory/Transactions?wid=${wid}`,
    read: (sql, query) => transactionPage(query, wids, { wid }).read(sql),
    plain: (sql, query) => transactionPage(query, wids, { wid, startDate: new Date(0) }).read(sql),
  },
};

const firstPage = { page: 1, pageSize: 25, sort: undefined, direction: 'asc' } as const;

/** First pages without counts, over all warehouses; each first looks up the value to filter by. */
export const otherReads: Record<string, (sql: Sql) => Promise<() => Promise<Page>>> = {
  'lots at a spot': async (sql) => {
    const [lot] = await sql<{ spot: string }[]>`select spot from lot where spot <> '' limit 1`;
    return () => lotPage(firstPage, wids, { spot: lot!.spot }).read(sql);
  },
  'lots of an item': async (sql) => () => lotPage(firstPage, wids, { itemID: shortIdOf(1) }).read(sql),
  'history of an item': async (sql) => () =>
    transactionPage(firstPage, wids, { itemID: shortIdOf(1) }).read(sql),
  'history of a lot': async (sql) => {
    const [lot] = await sql<{ rec_no: number }[]>`select rec_no from lot where active limit 1`;
    return () => transactionPage(firstPage, wids, { recNo: lot!.rec_no }).read(sql);
  },
  'history, the last 50 changed': async (sql) => {
    const [row] = await sql<{ at: Date }[]>`
      select at from stock_transaction where wid is not null order by at desc offset 49 limit 1`;
    return () => transactionPage({ ...firstPage, modifiedSince: row!.at }, wids, {}).read(sql);
  },
  'lots, the last 50 changed': async (sql) => {
    const query = { ...firstPage, modifiedSince: await momentOfChange(sql, 'lot') };
    return () => lotPage(query, wids, {}).read(sql);
  },
  'levels, the last 50 changed': async (sql) => {
    const query = { ...firstPage, modifiedSince: await momentOfChange(sql, 'stock_level') };
    return () => stockLevelPage(query, wids).read(sql);
  },
};

async function momentOfChange(sql: Sql, table: 'lot' | 'stock_level'): Promise<Date> {
  const [row] = await sql.unsafe(`select modified from ${table} order by modified desc offset 49 limit 1`);
  return row!.modified;
}

/** An item, looked up by its key. */
export const byKey = {
  path: (items: number) => `/Item?type=id&key=${shortIdOf(items)}`,
  read: (sql: Sql, items: number) => findItem(sql, { shortId: shortIdOf(items) }),
};

function shortIdOf(items: number): string {
  return `SEED-${String(1 + Math.floor(Math.random() * items)).padStart(8, '0')}`;
}
