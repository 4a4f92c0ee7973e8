import { Item } from '@inventory/domain/contract/item';
import { one } from '@inventory/domain/examples';
import { lengthMax, text } from '@inventory/domain/fields';
import { Permission } from '@inventory/domain/permission';
import { pageAnswer, pageWith } from '@inventory/paging/page';
import { type PageQuery, pageQueryShape } from '@inventory/paging/page-query';
import { viewParameter } from '@inventory/paging/parameters';
import { piece, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { z } from 'zod';
import { pagedList } from './paged-list.ts';
import { firstOfFew, type ListReading } from './pages/list-reading.ts';
import { countItems, readItemPage } from './pages/read-item-page.ts';
import { type List, readPage } from './pages/read-page.ts';
import { fixedBytes, pageOf, textBytes } from './pages/record-bytes.ts';
import { sliceOf } from './pages/slice.ts';
import { sortColumnsOf } from './pages/sort-columns.ts';
import { type Columns, dateTimeText, recordText } from './record-json.ts';
import { searchPage } from './search-items.ts';
import { item } from './story.ts';

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

/** Whether there is an item with this number. */
export async function itemExists(sql: Sql, partNo: number): Promise<boolean> {
  return (await send(sql)`select from item where part_no = ${partNo}`).length > 0;
}

const search = text(lengthMax.description).optional().meta({
  description:
    'Extension: only items whose ShortID, description or an alias contains this text, in any case. No character has a special meaning',
  example: 'cable',
});
/** The most bytes of an item. */
export const itemBytes = fixedBytes + textBytes.shortId + textBytes.description + 3 * textBytes.label;

const shared = {
  permission: Permission.ItemMasterList,
  // The full view of an item needs no further query.
  query: z.object({ ...pageQueryShape(Object.keys(sortColumns)), search, view: viewParameter }),
  answer: pageAnswer(Item, 'ItemPage'),
  bytes: pageOf(itemBytes),
};

/** `GET /Item` without a look-up: active items. */
export const activeItems = pagedList({
  ...shared,
  path: '/Item',
  words: {
    id: 'listItems',
    summary: 'List active items, get one by ShortID or alias, or list a category',
    notes: `
Active items, by \`shortID\` unless sorted otherwise. Two look-ups share this path; both ignore the paging parameters:

- \`key\` with \`type=id\` or \`type=alias\`: one Item, discontinued or not; 404 if there is none.
- \`Category\`: a flat array of the category's active items by \`shortID\`; empty if no item has the category. A large one is sent as fast
  as it is read, and must be read within a minute; accept gzip.

*Extension:* \`search\` leaves the items whose ShortID, description or an alias contains the text. Letters count as equal in any case, in every language
(\`straße\` is \`STRASSE\`), and so do composed and decomposed ones; accents count. The list is paged as ever, with its exact total.`,
    answer: {
      page: { summary: 'The list', value: pageWith(item) },
      item: { summary: 'With `?key=WIDGET-100&type=id`', value: item },
      category: { summary: 'With `?Category=1`', value: [item] },
    },
  },
  page: ({ query }) => itemPage(query, { discontinuedToo: false, search: query.search }),
});

/** `GET /Item/All`: all items. */
export const allItems = pagedList({
  ...shared,
  path: '/Item/All',
  words: {
    id: 'listAllItems',
    summary: 'List all items, including discontinued ones',
    notes: 'By `shortID` unless sorted otherwise. `search` as in `GET /Item`.',
    answer: one('One item', pageWith(item)),
  },
  page: ({ query }) => itemPage(query, { discontinuedToo: true, search: query.search }),
});
