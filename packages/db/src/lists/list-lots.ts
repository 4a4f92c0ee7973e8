import { FullLot, Lot } from '@inventory/domain/lot';
import {
  type FieldFilters,
  type FieldRow,
  fieldRows,
  type LotField,
  type ShownShape,
} from '@inventory/domain/lot-fields';
import type { PageQuery } from '@inventory/paging/page-query';
import { type Piece, piece, raw } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { firstOfFew, type ListReading } from './pages/list-reading.ts';
import { countLots, readLotPage } from './pages/read-lot-page.ts';
import { type List, readPage } from './pages/read-page.ts';
import { sliceOf } from './pages/slice.ts';
import { sortColumnsOf } from './pages/sort-columns.ts';
import { type Columns, columnList, dateTimeText, recordText } from './record-json.ts';
import { touching } from './touching.ts';

// Blank means own stock. Another owner is shown as its id and sorted as text.
const associate = `case when lot.owner = 0 then '' else lot.owner::text collate "C" end`;

// Beside the fields that describe a lot.
const columnsBeside: Columns<Exclude<keyof FullLot, keyof ShownShape<LotField['view']> | 'fromRecNo'>> = {
  recNo: 'lot.rec_no',
  partNo: 'lot.part_no',
  shortID: 'item.short_id',
  description: 'item.description',
  associate,
  warehouse: 'warehouse.name',
  wID: 'lot.wid',
  units: 'trim_scale(lot.units)',
  received: dateTimeText('lot.received'),
  shipped: dateTimeText('lot.shipped'),
  jobName: 'null::text',
  active: 'lot.active',
  modified: dateTimeText('greatest(lot.modified, item.described, warehouse.renamed)'),
};

function shownText({ column, type }: FieldRow): string {
  if (type === 'numeric') return `trim_scale(lot.${column})`;
  return type === 'timestamptz' ? dateTimeText(`lot.${column}`) : `lot.${column}`;
}

const fieldsBy = (textOf: (row: FieldRow) => string, rows: readonly FieldRow[] = fieldRows) =>
  Object.fromEntries(rows.map((row) => [row.shownAs, textOf(row)]));
const allColumns: Columns = { ...columnsBeside, ...fieldsBy(shownText) };

// In the order of the answer.
const columnsOf = <Field extends string>(shape: Record<Field, unknown>) =>
  Object.fromEntries(Object.keys(shape).map((field) => [field, allColumns[field]!])) as Columns<Field>;
const columns = columnsOf(Lot.shape);
const { fromRecNo: _, ...storedShape } = FullLot.shape;

/** All stored columns of a lot, from `lot`, `item` and `warehouse`, except the lot that it was split from. */
export const storedLotColumns = columnsOf(storedShape);

/** All columns of a full record for a caller with this scope, from `lot`, `item` and `warehouse`. */
export function fullLotColumns(scope: readonly number[]): Piece {
  return piece`${raw(columnList(storedLotColumns))},
    (
      select source.rec_no
      from lot as source
      where source.rec_no = lot.from_rec_no and source.wid = any(${scope}::integer[])
    ) as "fromRecNo"`;
}

/** The expression for a full record's JSON text. */
export function fullLotRecord(scope: readonly number[]): Piece {
  return piece`(select row_to_json(record) from (select ${fullLotColumns(scope)}) as record)::text`;
}

const sorted = fieldRows.filter(({ view, isSorted }) => view === 'list' || isSorted);
const sortColumns = sortColumnsOf<string>(
  {
    ...{ ...columns, units: 'lot.units', received: 'lot.received', shipped: 'lot.shipped' },
    ...fieldsBy(({ column }) => `lot.${column}`, sorted),
  },
  {
    blank: [
      'description',
      'associate',
      ...sorted.filter(({ type }) => type === 'text').map(({ shownAs }) => shownAs),
    ],
    nullable: [
      ...['shipped', 'jobName'],
      ...sorted.filter((row) => row.type !== 'text' && row.empty === null).map(({ shownAs }) => shownAs),
    ],
  },
);

/** All scalar columns of a lot as lists show it, and its expiration. */
export const lotSortColumns = Object.keys(sortColumns);

/** The extension's filters. Each narrows the list. Lots without a time are not before any. */
export type LotFilters = FieldFilters & {
  inStock?: boolean | undefined;
  itemID?: string | undefined;
  recNo?: number | undefined;
};

/** The fields of a record. `scope`: the caller's scope, even if fewer warehouses are listed. */
export type LotView = { view?: 'full' | undefined; scope: readonly number[] };

/** Lots that have changed since, by themselves or in what they show of their item and warehouse. */
function hasChanged(since: Date): Piece {
  return piece`(
    lot.modified >= ${since}
    or lot.part_no in (select part_no from item where described >= ${since})
    or lot.wid in (select wid from warehouse where renamed >= ${since})
  )`;
}

/**
 * The numbers of lots that may have changed since, some of them several times. No index on lots leads to
 * them: every change of a lot would then write to all indexes of lots (docs/decisions/0028). The ledger does:
 * a change of a lot is a line of a transaction, a hold or a release.
 */
function changesSince(wids: readonly number[], since: Date): Piece {
  const scope = piece`${wids}::integer[]`;
  return piece`
    select line.rec_no
    from (${touching(wids, piece`transaction_no, kind, result`, piece`at >= ${since}`)}) as changing
    cross join lateral (
      select rec_no from stock_entry where stock_entry.transaction_no = changing.transaction_no
      union all
      select (changing.result->>'recNo')::bigint where changing.kind = 'hold'
      offset 0
    ) as line
    union all
    -- Those of the command line.
    select (result->>'recNo')::bigint
    from stock_transaction
    where kind in ('hold', 'release') and (result->>'wid')::integer = any(${scope}) and at >= ${since}
    union all
    -- Item by item: a plan for all items might begin with all lots of the warehouses.
    select shown.rec_no
    from unnest(array(select part_no from item where described >= ${since})) as described (part_no)
    cross join lateral (
      select rec_no from lot where lot.part_no = described.part_no and wid = any(${scope}) offset 0
    ) as shown
    union all
    select shown.rec_no
    from unnest(array(select wid from warehouse where wid = any(${scope}) and renamed >= ${since})) as renamed (wid)
    cross join lateral (select rec_no from lot where lot.wid = renamed.wid offset 0) as shown`;
}

// With more changes than this, all lots in scope are checked.
const changesMax = 50_000;

/** How a page of lots is read when no counts lead to it. */
export const lotList: Omit<List, 'where'> = {
  table: 'lot',
  joins: 'join item using (part_no) join warehouse using (wid)',
  record: recordText(columns),
  modifiedSince: (since) => [hasChanged(since)],
  sortColumns,
  defaultOrder: { by: 'lot.received', direction: 'desc' },
  tieBreaker: 'lot.rec_no',
};

type Filter = {
  condition: (value: never) => Piece;
  /** Whether an index leads to the matching lots. */
  hasIndex: (value: never) => boolean;
};

// The indexes exclude blank texts and zeros, and the index of holds excludes lots that are not on hold. The
// conditions repeat that.
function filterOf({ type, column, empty, filter }: FieldRow): Filter {
  const named = raw(`lot.${column}`);
  const isLed = filter!.hasIndex;
  if (type === 'timestamptz') {
    return { condition: (value: Date) => piece`${named} < ${value}`, hasIndex: () => isLed };
  }
  if (type === 'boolean') {
    const condition = (value: boolean) => (value ? piece`${named}` : piece`not ${named}`);
    return { condition, hasIndex: (value: boolean) => isLed && value };
  }
  if (empty === null) {
    return { condition: (value: string | number) => piece`${named} = ${value}`, hasIndex: () => isLed };
  }
  const none = raw(empty === '' ? "''" : '0');
  return {
    condition: (value: string | number) =>
      value === empty ? piece`${named} = ${none}` : piece`${named} = ${value} and ${named} <> ${none}`,
    hasIndex: (value: string | number) => isLed && value !== empty,
  };
}

const filterTable: Readonly<Record<string, Filter>> = {
  inStock: {
    condition: (value: boolean) => (value ? piece`lot.active` : piece`not lot.active`),
    hasIndex: () => false,
  },
  itemID: {
    condition: (value: string) => piece`lot.part_no = (select part_no from item where short_id = ${value})`,
    hasIndex: () => true,
  },
  recNo: { condition: (value: number) => piece`lot.rec_no = ${value}`, hasIndex: () => true },
  ...Object.fromEntries(
    fieldRows.flatMap((row) =>
      row.filter === undefined ? [] : [[row.filter.as ?? row.name, filterOf(row)]],
    ),
  ),
};

/** A condition on `lot`. `hasIndex`: an index leads to the matching lots. */
type GivenFilter = { condition: Piece; hasIndex: boolean };

/** The filters that are set, with their values. */
function givenFilters(filters: LotFilters): GivenFilter[] {
  return Object.entries(filterTable).flatMap(([name, filter]) => {
    const value = filters[name as keyof LotFilters] as never;
    if (value === undefined) return [];
    return [{ condition: filter.condition(value), hasIndex: filter.hasIndex(value) }];
  });
}

/**
 * Chooses how a page of the lots of these warehouses is read, including shipped lots. Default order: most
 * recent first.
 */
export function lotPage(
  query: PageQuery,
  wids: readonly number[],
  filters: LotFilters,
  { view, scope }: LotView = { scope: wids },
): ListReading {
  const record = view === 'full' ? fullLotRecord(scope) : lotList.record;
  const slice = sliceOf(query, 'received', 'desc');
  const { inStock } = filters;
  const { modifiedSince } = query;
  const isCounted = hasCountedOnly(filters);
  if (slice !== null && isCounted) {
    return { cost: 'page', read: (sql) => readLotPage(sql, wids, inStock, slice, record) };
  }
  const given = givenFilters(filters);
  const inScope = piece`lot.wid = any(${wids}::integer[])`;
  /** `few`: the filter that is searched first. The other filters are checked on its matches in scope. */
  const read = (sql: Sql, few: GivenFilter | 'changes' | null = null) => {
    const where = given
      .filter((filter) => filter !== few)
      .reduce((all, { condition }) => piece`${all} and ${condition}`, inScope);
    const total = modifiedSince === undefined && isCounted ? { total: countLots(wids, inStock) } : {};
    const list = { ...lotList, ...total, record };
    if (few === null) return readPage(sql, query, { ...list, where });
    const selected =
      few === 'changes'
        ? piece`rec_no = any(array(${changesSince(wids, modifiedSince!)}))`
        : piece`${inScope} and ${few.condition}`;
    return readPage(sql, query, {
      ...list,
      where: modifiedSince === undefined ? where : piece`${where} and ${hasChanged(modifiedSince)}`,
      few: piece`(select * from lot where ${selected} offset 0) as lot`,
    });
  };
  const narrowing = given.filter(({ hasIndex }) => hasIndex);
  if (narrowing.length === 0 && modifiedSince === undefined) return { cost: 'everything', read };
  const changes =
    modifiedSince === undefined
      ? []
      : [{ few: 'changes' as const, selection: changesSince(wids, modifiedSince) }];
  let many: 'changes' | null = changes[0]?.few ?? null;
  const findFew = async (sql: Sql) => {
    // As long as nothing else is known.
    many = null;
    const looks = [
      ...narrowing.map((few) => ({
        few,
        selection: piece`select from lot where ${inScope} and ${few.condition}`,
      })),
      ...changes,
    ];
    const found = await firstOfFew(sql, looks);
    if (found !== null) return (own: Sql) => read(own, found.few);
    many = (await firstOfFew(sql, changes, changesMax))?.few ?? null;
    return null;
  };
  return { cost: 'matches', findFew, read: (sql) => read(sql, many) };
}

/** Whether the counts can answer for these filters. */
function hasCountedOnly(filters: LotFilters): boolean {
  const names = Object.keys(filterTable) as (keyof LotFilters)[];
  return names.every((name) => name === 'inStock' || filters[name] === undefined);
}
