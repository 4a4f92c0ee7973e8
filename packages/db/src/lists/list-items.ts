import type { Item } from '@inventory/domain/contract/item';
import type { PageQuery } from '@inventory/paging/page-query';
import { piece } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { firstOfFew, type ListReading } from './pages/list-reading.ts';
import { countItems, readItemPage } from './pages/read-item-page.ts';
import { type List, readPage } from './pages/read-page.ts';
import { sliceOf } from './pages/slice.ts';
import { sortColumnsOf } from './pages/sort-columns.ts';
import { type Columns, dateTimeText, recordText } from './record-json.ts';
import { searchPage } from './search-items.ts';

const columns: Columns<keyof Item> = {
  partNo: 'part_no',
  shortID: 'short_id',
  description: 'description',
  category: 'category',
  subCategory: 'sub_category',
  uOM: 'uom',
  putUp: 'put_up',
  units: 'trim_scale(units)',
  dfltOwner: 'dflt_owner',
  created: dateTimeText('created'),
  createdBy: 'created_by',
  modified: dateTimeText('modified'),
  discontinued: 'discontinued',
};

const sortColumns = sortColumnsOf<keyof Item>(
  { ...columns, units: 'units', created: 'created', modified: 'modified' },
  { blank: ['description', 'uOM', 'putUp'], nullable: [] },
);

/** All scalar columns of an item. */
export const itemSortColumns = Object.keys(sortColumns);

/** The expression for an item's JSON text. */
export const itemRecord = recordText(columns);

/** How a page of items is read when no counts lead to it. */
export const itemList: Omit<List, 'where'> = {
  table: 'item',
  record: itemRecord,
  modifiedSince: (since) => [piece`modified >= ${since}`],
  sortColumns,
  defaultOrder: { by: 'short_id', direction: 'asc' },
  tieBreaker: 'part_no',
};

/** `search`: only items whose shortID, description or alias contains the text, in any case. */
export type ItemOptions = { discontinuedToo: boolean; search?: string | undefined };

/**
 * Chooses how a page of items is read. Default order: shortID. Discontinued items are included only on
 * request.
 */
export function itemPage(query: PageQuery, { search = '', ...options }: ItemOptions): ListReading {
  // Every item contains the empty text.
  if (search !== '') return searchPage(itemList, query, { ...options, search });
  const slice = sliceOf(query, 'shortID', 'asc');
  if (slice !== null) {
    return { cost: 'page', read: (sql) => readItemPage(sql, options, slice, itemRecord) };
  }
  const { modifiedSince } = query;
  const read = (sql: Sql) => {
    const where = options.discontinuedToo ? piece`true` : piece`not discontinued`;
    const total = modifiedSince === undefined ? { total: countItems(options) } : {};
    return readPage(sql, query, { ...itemList, ...total, where });
  };
  if (modifiedSince === undefined) return { cost: 'everything', read };
  const findFew = async (sql: Sql) => {
    const changed = { selection: piece`select from item where modified >= ${modifiedSince}` };
    return (await firstOfFew(sql, [changed])) && read;
  };
  return { cost: 'matches', findFew, read };
}
