import { lengthMax } from '@inventory/domain/fields';
import { FullLot, Lot } from '@inventory/domain/lot';
import {
  type FieldRow,
  type FilterShape,
  type FilterType,
  fieldRows,
  type LotField,
  type ShownShape,
} from '@inventory/domain/lot-fields';
import { Permission } from '@inventory/domain/permission';
import { fullLot, lot } from '@inventory/domain/story';
import { dateTimeParameter } from '@inventory/paging/date-time-parameter';
import { pageAnswer, pageWith } from '@inventory/paging/page';
import { type PageQuery, pageQueryShape } from '@inventory/paging/page-query';
import {
  flagParameter,
  idParameter,
  numberParameter,
  textParameter,
  viewParameter,
  widParams,
} from '@inventory/paging/parameters';
import { type Piece, piece, raw } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { z } from 'zod';
import { pagedList } from './paged-list.ts';
import { firstOfFew, type ListReading } from './pages/list-reading.ts';
import { countLots, readLotPage } from './pages/read-lot-page.ts';
import { type List, readPage } from './pages/read-page.ts';
import { bytesOf, fixedBytes, pageOf, textBytes } from './pages/record-bytes.ts';
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

/** A filter of the extension. Each narrows the list. */
type Filter<Parameter extends z.ZodType = z.ZodType> = {
  parameter: Parameter;
  condition: (value: NonNullable<z.infer<Parameter>>) => Piece;
  /** Whether an index leads to the matching lots. */
  hasIndex: (value: NonNullable<z.infer<Parameter>>) => boolean;
};
const filterOf = <P extends z.ZodType>(parameter: P, rest: Omit<Filter<P>, 'parameter'>): Filter<P> => ({
  parameter,
  ...rest,
});

const parameterOf = {
  text: textParameter,
  integer: idParameter,
  timestamptz: (says: string) => dateTimeParameter(says),
  boolean: flagParameter,
};

// The indexes exclude blank texts and zeros, and the index of holds excludes lots that are not on hold. The
// conditions repeat that. Lots without a time are not before any.
function fieldFilter({ type, column, empty, filter }: FieldRow) {
  const named = raw(`lot.${column}`);
  const { says, hasIndex: isLed } = filter!;
  if (type === 'timestamptz') {
    const condition = (value: Date) => piece`${named} < ${value}`;
    return filterOf(parameterOf.timestamptz(says), { condition, hasIndex: () => isLed });
  }
  if (type === 'boolean') {
    const condition = (value: boolean) => (value ? piece`${named}` : piece`not ${named}`);
    return filterOf(parameterOf.boolean(says), { condition, hasIndex: (value) => isLed && value });
  }
  const none = raw(empty === '' ? "''" : '0');
  const condition = (value: string | number) => {
    if (empty === null) return piece`${named} = ${value}`;
    return value === empty ? piece`${named} = ${none}` : piece`${named} = ${value} and ${named} <> ${none}`;
  };
  const hasIndex = (value: string | number) => isLed && value !== empty;
  return type === 'text'
    ? filterOf(parameterOf.text(says), { condition, hasIndex })
    : filterOf(parameterOf.integer(says), { condition, hasIndex });
}

const { spot, serial, hold, rfidTag, serial2, jobID, ...others } = Object.fromEntries(
  fieldRows.flatMap((row) =>
    row.filter === undefined ? [] : [[row.filter.as ?? row.name, fieldFilter(row)]],
  ),
) as FilterShape<{ [Type in FilterType]: Filter<ReturnType<(typeof parameterOf)[Type]>> }>;

// The document has had them in this order since 0.1.0.
const filterTable = {
  inStock: filterOf(flagParameter('Extension: only lots that are (not) in stock'), {
    condition: (value) => (value ? piece`lot.active` : piece`not lot.active`),
    hasIndex: () => false,
  }),
  itemID: filterOf(textParameter('Extension: only lots of the item with this ShortID'), {
    condition: (value) => piece`lot.part_no = (select part_no from item where short_id = ${value})`,
    hasIndex: () => true,
  }),
  ...{ spot, serial, hold },
  recNo: filterOf(numberParameter('Extension: only this lot'), {
    condition: (value) => piece`lot.rec_no = ${value}`,
    hasIndex: () => true,
  }),
  ...{ rfidTag, serial2, jobID },
  ...others,
};
type FilterTable = typeof filterTable;
type FilterName = keyof FilterTable;

const parameters = Object.fromEntries(
  Object.entries(filterTable).map(([name, { parameter }]) => [name, parameter]),
) as { [Name in FilterName]: FilterTable[Name]['parameter'] };

/** The values of the filters that are set. */
export type LotFilters = z.infer<z.ZodObject<typeof parameters>>;

/** A condition on `lot`. `hasIndex`: an index leads to the matching lots. */
type GivenFilter = { condition: Piece; hasIndex: boolean };

/** The filters that are set, with their values. */
function givenFilters(filters: LotFilters): GivenFilter[] {
  return Object.entries<Pick<Filter<never>, 'condition' | 'hasIndex'>>(filterTable).flatMap(
    ([name, filter]) => {
      const value = filters[name as FilterName] as never;
      if (value === undefined) return [];
      return [{ condition: filter.condition(value), hasIndex: filter.hasIndex(value) }];
    },
  );
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
  const names = Object.keys(filterTable) as FilterName[];
  return names.every((name) => name === 'inStock' || filters[name] === undefined);
}

/** The texts that describe a lot. */
const lotTexts = (isFull: boolean) =>
  fieldRows
    .filter(({ type, view }) => type === 'text' && (isFull || view === 'list'))
    // Operators give the reason of a hold, as long as a remark.
    .map(({ sent }) => (sent?.unwrap() as z.ZodString | undefined)?.maxLength ?? lengthMax.remark)
    .reduce((sum, length) => sum + bytesOf(length), 0);
/** The most bytes of a lot. */
export const lotBytes = (isFull: boolean) =>
  fixedBytes + textBytes.shortId + textBytes.description + lotTexts(isFull);

const shared = {
  permission: Permission.ItemMasterList,
  query: z.object({ ...pageQueryShape(Object.keys(sortColumns)), ...parameters, view: viewParameter }),
  answer: z.union([pageAnswer(FullLot, 'FullLotPage'), pageAnswer(Lot, 'LotPage')]),
  bytes: pageOf(lotBytes(false), lotBytes(true)),
};

const notes = `
Most recent first (\`received\`, then \`recNo\`, both descending) unless sorted otherwise. Contains all lots, including shipped ones, so that
a synchronization notices them; *extension*: \`inStock=true\` leaves them out. A lot emptied by a move to
another warehouse is shipped, too. \`jobName\` is null: names of jobs are not stored here.`;

const answer = {
  example: { summary: 'One lot', value: pageWith(lot) },
  full: { summary: 'With `?view=full`', value: pageWith(fullLot) },
};

/** `GET /Inventory`. */
export const lots = pagedList({
  ...shared,
  path: '/Inventory',
  words: {
    id: 'listLots',
    summary: 'List inventory lots of every warehouse in scope, most recent first',
    notes: `${notes}\n\nOnly warehouses in the client's scope.`,
    answer,
  },
  page: ({ query, scope }) => lotPage(query, scope, query, { view: query.view, scope }),
});

/** `GET /Inventory/{wid}`. */
export const warehouseLots = pagedList({
  ...shared,
  path: '/Inventory/:wid',
  params: widParams,
  warehouses: ({ params }) => [params.wid],
  words: {
    id: 'listWarehouseLots',
    summary: 'List inventory lots of one warehouse, most recent first',
    notes,
    answer,
  },
  page: ({ params, query, scope }) => lotPage(query, [params.wid], query, { view: query.view, scope }),
});
