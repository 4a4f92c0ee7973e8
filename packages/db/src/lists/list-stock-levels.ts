import type { StockLevel } from '@inventory/domain/contract/stock-level';
import type { Page } from '@inventory/paging/page-envelope';
import type { PageQuery } from '@inventory/paging/page-query';
import type { Sql } from '../client.ts';
import { type ListReading, leavesFew } from './list-reading.ts';
import { readLevelPage } from './read-level-page.ts';
import { type List, readPage } from './read-page.ts';
import { type Columns, recordText } from './record-json.ts';
import { sliceOf } from './slice.ts';
import { sortColumnsOf } from './sort-columns.ts';

const quantities = {
  available: 'sum(in_stock - on_hold - committed - packed)',
  inStock: 'sum(in_stock)',
  onOrder: 'sum(on_order)',
  onHold: 'sum(on_hold)',
  committed: 'sum(committed)',
  packed: 'sum(packed)',
  aSN: 'sum(asn)',
};

const sums: Columns<keyof StockLevel> = { partNo: 'part_no', ...quantities };

const sortColumns = sortColumnsOf(sums, { blank: [], nullable: [] });

/** Every scalar column of a stock level. */
export const stockLevelSortColumns = Object.keys(sortColumns);

const columns = Object.fromEntries(
  Object.entries(sums).map(([field, sum]) => [field, field === 'partNo' ? sum : `trim_scale(${sum})`]),
);

/** How a page of levels is read that no sets lead to. */
export const levelList: Omit<List, 'where'> = {
  table: 'stock_level',
  record: recordText(columns),
  groupBy: 'part_no',
  modifiedSince: (sql, since) => [sql`modified >= ${since}`],
  sortColumns,
  defaultOrder: { by: 'part_no', direction: 'asc' },
  tieBreaker: 'part_no',
};

/** How a page of stock levels is read, one record an item, summed over these warehouses; by partNo unless sorted otherwise. */
export function stockLevelPage(query: PageQuery, wids: readonly number[]): ListReading {
  const slice = sliceOf(query, 'partNo', 'asc');
  if (slice !== null) {
    return { cost: 'page', read: (sql) => readLevelPage(sql, wids, slice, levelList.record) };
  }
  const read = (sql: Sql) => {
    const where = sql`wid = any(${wids as number[]}::integer[]) and used`;
    return readPage(sql, query, { ...levelList, where });
  };
  const { modifiedSince } = query;
  if (modifiedSince === undefined) return { cost: 'everything', read };
  const hasFew = (sql: Sql) =>
    leavesFew(sql, [sql`select from stock_level where modified >= ${modifiedSince}`]);
  return { cost: 'matches', hasFew, read };
}

/** Such a page, read. */
export function listStockLevels(sql: Sql, query: PageQuery, wids: readonly number[]): Promise<Page> {
  return stockLevelPage(query, wids).read(sql);
}
