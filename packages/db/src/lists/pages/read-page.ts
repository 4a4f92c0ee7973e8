import type { Page } from '@inventory/paging/page';
import type { PageQuery } from '@inventory/paging/page-query';
import { type Piece, piece, raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { recordsOnPage } from '../record-json.ts';
import { orderBy, type SortColumn, type SortColumns } from './sort-columns.ts';

/**
 * The parts of a paged list. Apart from fragments, all text comes from this package, never from a request.
 */
export type List = {
  /** The table that has one row for each record, or several with `groupBy`. */
  table: string;
  /** Other tables that the record needs. */
  joins?: string;
  /** The expression for a record's JSON text. */
  record: Piece;
  /** A condition on `table` only. */
  where: Piece;
  /**
   * A small set of rows that replaces `table` under its name and is found first. `where` and the rest are
   * checked on each. It must contain all rows since `modifiedSince`; with `groupBy` they are searched among
   * these rows.
   */
  few?: Piece;
  /** A common table expression that `few` is read from: it is made once for page and total. */
  found?: Piece;
  /** The number of records without filters, if it is available without counting. */
  total?: Piece;
  /** One record for each value of this expression. The other expressions are then aggregates. */
  groupBy?: string;
  /**
   * Conditions on `table` for records that were modified since a time. No row meets two of them. There are
   * several if the record shows data from several places, each with an index: a single condition with "or"
   * would use no index.
   */
  modifiedSince: (since: Date) => Piece[];
  /** The expression for each sortable field. With joins, columns of `table` begin with its name. */
  sortColumns: SortColumns;
  /** The expression for the default order. Never null. */
  defaultOrder: { by: string; direction: 'asc' | 'desc' };
  /** A unique column, so that no record is on two pages or on none. */
  tieBreaker: string;
};

/** Reads one page and the exact total, as of one moment. */
export async function readPage(sql: Sql, query: PageQuery, list: List): Promise<Page> {
  const [row] = await (list.groupBy === undefined
    ? rowsOf(sql, query, list)
    : groupsOf(sql, query, list, list.groupBy));
  return { totalCount: row!.total_count, records: row!.records };
}

type PageRow = { total_count: number; records: string };

/** The records are made only after the keys of the page are known. */
function rowsOf(sql: Sql, query: PageQuery, list: List) {
  const { table, joins = '', tieBreaker, few = piece`${raw(table)}` } = list;
  const column = list.sortColumns[query.sort ?? ''];
  const needsJoins = column !== undefined && !column.by.includes(`${table}.`);
  const sorted = needsJoins ? piece`${few} ${raw(joins)}` : few;
  const { pageKeys, count } =
    query.modifiedSince === undefined || list.few !== undefined
      ? keysOf(query, list, sorted, few)
      : changedKeysOf(query, list, sorted, list.modifiedSince(query.modifiedSince));
  const found = list.found === undefined ? piece`` : piece`${list.found}, `;
  return send<PageRow>(sql)`
    with ${found}page as materialized (
      select key, row_number() over () as place
      from (
        ${pageKeys}
        limit ${query.pageSize} offset ${offsetOf(query)}::bigint
      ) as sorted
    )
    select (${list.total ?? count}) as total_count,
      ${recordsOnPage(list.record, {
        from: piece`${raw(`${table} ${joins}`)} where ${raw(tieBreaker)} = page.key`,
        order: piece`place`,
      })} as records`;
}

/** The keys of all records in order, and their number. */
type Keys = { pageKeys: Piece; count: Piece };

function keysOf(query: PageQuery, list: List, sorted: Piece, counted: Piece): Keys {
  const { column, direction } = orderOf(query, list);
  return {
    pageKeys: piece`
      select ${raw(list.tieBreaker)} as key
      from ${sorted}
      where ${list.where}
      order by ${raw(orderBy(column, direction, list.tieBreaker))}`,
    count: piece`select count(*) from ${counted} where ${list.where}`,
  };
}

/** The same for records that meet one of these conditions, each of which uses an index. */
function changedKeysOf(query: PageQuery, list: List, sorted: Piece, conditions: readonly Piece[]): Keys {
  const { column, direction } = orderOf(query, list);
  const order = orderBy({ by: 'sorted_by', emptyLast: column.emptyLast }, direction, 'key');
  const key = piece`${raw(`${list.tieBreaker} as key, ${column.by} as sorted_by`)}`;
  return {
    pageKeys: piece`
      select key
      from (${anyOf(key, sorted, list.where, conditions)}) as changed
      order by ${raw(order)}`,
    count: piece`
      select count(*)
      from (${anyOf(piece``, piece`${raw(list.table)}`, list.where, conditions)}) as changed`,
  };
}

/** Rows that meet one of the conditions. No row meets two. */
function anyOf(columns: Piece, from: Piece, where: Piece, conditions: readonly Piece[]): Piece {
  return (
    conditions
      // `offset` is a fence: otherwise an index in the order of the page could look cheaper than these few
      // rows, and everything would be read.
      .map((condition) => piece`(select ${columns} from ${from} where ${where} and ${condition} offset 0)`)
      .reduce((all, each) => piece`${all} union all ${each}`)
  );
}

/** Makes each group once, with only the columns that the order needs. */
function groupsOf(sql: Sql, query: PageQuery, list: List, groupBy: string) {
  // A group is as new as its newest row. Those rows are found first, so that only their groups are made.
  const { modifiedSince } = query;
  const key = piece`${raw(groupBy)}`;
  const table = list.few ?? piece`${raw(list.table)}`;
  const since =
    modifiedSince === undefined
      ? piece``
      : piece`and ${key} in (${anyOf(key, table, list.where, list.modifiedSince(modifiedSince))})`;
  const { column, direction } = orderOf(query, list);
  const { by, emptyLast } = column;
  const order = orderBy({ by: 'sorted_by', emptyLast }, direction, 'key');
  return send<PageRow>(sql)`
    with matching as materialized (
      select ${raw(groupBy)} as key, ${raw(by)} as sorted_by
      from ${raw(list.table)}
      where ${list.where} ${since}
      group by ${raw(groupBy)}
    ), page as materialized (
      select key, row_number() over () as place
      from (
        select key
        from matching
        order by ${raw(order)}
        limit ${query.pageSize} offset ${offsetOf(query)}::bigint
      ) as sorted
    )
    select (select count(*) from matching) as total_count,
      ${recordsOnPage(list.record, {
        from: piece`
          ${raw(list.table)} where ${raw(groupBy)} = page.key and ${list.where}
          group by ${raw(groupBy)}`,
        order: piece`place`,
      })} as records`;
}

function orderOf(query: PageQuery, list: List): { column: SortColumn; direction: 'asc' | 'desc' } {
  const column = query.sort === undefined ? undefined : list.sortColumns[query.sort];
  if (column !== undefined) return { column, direction: query.direction };
  const { by, direction } = list.defaultOrder;
  return { column: { by, emptyLast: false }, direction };
}

function offsetOf({ page, pageSize }: PageQuery): string {
  return ((page - 1) * pageSize).toString();
}
