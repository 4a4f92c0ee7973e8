import { FullStockLevel, StockLevel } from '@inventory/domain/contract/stock-level';
import { Permission } from '@inventory/domain/permission';
import { pageAnswer, pageWith } from '@inventory/paging/page';
import { type PageQuery, pageQueryShape } from '@inventory/paging/page-query';
import {
  flagParameter,
  idParameter,
  idsParameter,
  textParameter,
  viewParameter,
  widParams,
} from '@inventory/paging/parameters';
import { type Piece, piece } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { z } from 'zod';
import { pagedList } from './paged-list.ts';
import { firstOfFew, type ListReading } from './pages/list-reading.ts';
import { readLevelPage } from './pages/read-level-page.ts';
import { type List, readPage } from './pages/read-page.ts';
import { fixedBytes, pageOf, textBytes } from './pages/record-bytes.ts';
import { sliceOf } from './pages/slice.ts';
import { sortColumnsOf } from './pages/sort-columns.ts';
import { type Columns, dateTimeText, recordText } from './record-json.ts';
import { fullLevel, level } from './story.ts';

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

const ofItem = (column: string) =>
  `(select item.${column} from item where item.part_no = stock_level.part_no)`;

const names = { shortID: ofItem('short_id'), description: ofItem('description') };

const sortColumns = sortColumnsOf({ ...sums, ...names }, { blank: ['description'], nullable: [] });

const columns = Object.fromEntries(
  Object.entries(sums).map(([field, sum]) => [field, field === 'partNo' ? sum : `trim_scale(${sum})`]),
);

/** Includes the names of the item, so a change of those counts as a change of the record. */
const fullRecord = recordText({
  ...columns,
  ...names,
  minimum: 'trim_scale(sum(minimum))',
  modified: dateTimeText(`greatest(max(stock_level.modified), ${ofItem('described')})`),
});

/** Filters for few items. */
export type LevelItems = {
  itemID?: string | undefined;
  partNo?: number | undefined;
  partNos?: readonly number[] | undefined;
};

/** The conditions of these filters on `stock_level`. */
export function itemConditions({ itemID, partNo, partNos }: LevelItems): Piece[] {
  return [
    ...(itemID === undefined ? [] : [piece`part_no = (select part_no from item where short_id = ${itemID})`]),
    ...(partNo === undefined ? [] : [piece`part_no = ${partNo}`]),
    ...(partNos === undefined ? [] : [piece`part_no = any(${partNos}::integer[])`]),
  ];
}

/** The extension's filters, and the fields of a record. */
export type LevelOptions = LevelItems & {
  /** Only items that are (not) below their minimum in at least one of the warehouses. */
  belowMinimum?: boolean | undefined;
  view?: 'full' | undefined;
};

/** How a page of levels is read when no sets lead to it. */
export const levelList: Omit<List, 'where'> = {
  table: 'stock_level',
  record: recordText(columns),
  groupBy: 'part_no',
  modifiedSince: (since) => [piece`modified >= ${since}`],
  sortColumns,
  defaultOrder: { by: 'part_no', direction: 'asc' },
  tieBreaker: 'part_no',
};

/**
 * The levels of items whose description has changed since. An array, so that the planner uses the index of
 * levels.
 */
function ofDescribedSince(since: Date): Piece {
  return piece`part_no = any(array(select part_no from item where described >= ${since}))`;
}

/** The same, checked for each level: for the levels of few items. */
function isDescribedSince(since: Date): Piece {
  return piece`exists (
    select from item where item.part_no = stock_level.part_no and described >= ${since} offset 0
  )`;
}

/** `isFew`: checked for each level, for the levels of few items. */
function lowCondition(belowMinimum: boolean, wids: readonly number[], isFew: boolean): Piece {
  const low = piece`from low_level where low_level.wid = any(${wids}::integer[])`;
  const ofLevel = piece`select ${low} and low_level.part_no = stock_level.part_no`;
  if (isFew) return piece`${belowMinimum ? piece`` : piece`not`} exists (${ofLevel} offset 0)`;
  // An array, so that the planner uses the index of levels. A list of all others would not fit into memory.
  return belowMinimum ? piece`part_no = any(array(select part_no ${low}))` : piece`not exists (${ofLevel})`;
}

/**
 * Chooses how a page of stock levels is read: one record for each item, summed over these warehouses. Default
 * order: partNo.
 */
export function stockLevelPage(
  query: PageQuery,
  wids: readonly number[],
  { belowMinimum, view, ...items }: LevelOptions = {},
): ListReading {
  const record = view === 'full' ? fullRecord : levelList.record;
  const few = itemConditions(items);
  const isFiltered = few.length > 0;
  const slice = sliceOf(query, 'partNo', 'asc');
  if (slice !== null && !isFiltered && belowMinimum === undefined) {
    return { cost: 'page', read: (sql) => readLevelPage(sql, wids, slice, record) };
  }
  const lowItems = piece`select part_no from low_level where wid = any(${wids}::integer[])`;
  const ofItems = [
    ...few,
    ...(belowMinimum === undefined ? [] : [lowCondition(belowMinimum, wids, isFiltered)]),
  ];
  const inScope = piece`wid = any(${wids}::integer[]) and used`;
  const read = (sql: Sql, rows: Pick<List, 'few'> = {}) => {
    const where = ofItems.reduce((all, condition) => piece`${all} and ${condition}`, inScope);
    const modified: List['modifiedSince'] = (since) => [
      ...levelList.modifiedSince(since),
      ...(view === 'full' ? [(isFiltered ? isDescribedSince : ofDescribedSince)(since)] : []),
    ];
    return readPage(sql, query, { ...levelList, ...rows, where, record, modifiedSince: modified });
  };
  // An item has at most one row for each warehouse in scope.
  if (isFiltered) return { cost: 'page', read };
  if (belowMinimum === true) {
    const findFew = async (sql: Sql) => (await firstOfFew(sql, [{ selection: lowItems }])) && read;
    return { cost: 'matches', findFew, read };
  }
  if (query.modifiedSince === undefined) return { cost: 'everything', read };
  // The index of changes covers all warehouses, so all levels in scope are counted.
  const findFew = async (sql: Sql) => {
    const found = await firstOfFew(sql, [{ selection: piece`select from stock_level where ${inScope}` }]);
    return (
      found &&
      ((own: Sql) =>
        read(own, {
          few: piece`(select * from stock_level where ${inScope} offset 0) as stock_level`,
        }))
    );
  };
  return { cost: 'matches', findFew, read };
}

/** The most items in one query: each is looked up by its key. */
export const partNosMax = 100;

const shared = {
  permission: Permission.ItemMasterList,
  query: z.object({
    ...pageQueryShape(Object.keys(sortColumns)),
    itemID: textParameter('Extension: only the item with this ShortID'),
    partNo: idParameter('Extension: only the item with this part number'),
    partNos: idsParameter(`Extension: only items with these part numbers, up to ${partNosMax}`, partNosMax),
    belowMinimum: flagParameter(
      'Extension: true: only items below their minimum in at least one of the warehouses; false: in none',
    ),
    view: viewParameter,
  }),
  answer: z.union([
    pageAnswer(FullStockLevel, 'FullStockLevelPage'),
    pageAnswer(StockLevel, 'StockLevelPage'),
  ]),
  bytes: pageOf(fixedBytes, fixedBytes + textBytes.shortId + textBytes.description),
};

const notes = `
One record for each item that ever had stock, an order quantity or a minimum, by \`partNo\` unless sorted otherwise.
\`available = inStock − onHold − committed − packed\`; it may be negative. Expired units count in it: an Issue of everything
available is refused if some of it has expired. *Extension:* \`belowMinimum=true\` lists only items that are below
their minimum in at least one of the warehouses, \`false\` only those that are below it in none.`;

const answer = {
  example: { summary: 'One item', value: pageWith(level) },
  full: { summary: 'With `?view=full`', value: pageWith(fullLevel) },
};

/** `GET /Inventory/StockLevels`. */
export const stockLevels = pagedList({
  ...shared,
  path: '/Inventory/StockLevels',
  words: {
    id: 'listStockLevels',
    summary: 'Stock levels per item, summed over every warehouse in scope',
    notes: `${notes}\n\nSums over the warehouses in the client's scope.`,
    answer,
  },
  page: ({ query, scope }) => stockLevelPage(query, scope, query),
});

/** `GET /Inventory/StockLevels/{wid}`. */
export const warehouseStockLevels = pagedList({
  ...shared,
  path: '/Inventory/StockLevels/:wid',
  params: widParams,
  warehouses: ({ params }) => [params.wid],
  words: {
    id: 'listWarehouseStockLevels',
    summary: 'Stock levels per item in one warehouse',
    notes,
    answer,
  },
  page: ({ params, query }) => stockLevelPage(query, [params.wid], query),
});
