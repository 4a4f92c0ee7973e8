import type { Page } from '@inventory/paging/page';
import type { PageQuery } from '@inventory/paging/page-query';
import type { Fragment, Sql } from '../../postgres/pool.ts';
import { type RecordExpression, recordsOnPage } from '../record-json.ts';
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
  record: RecordExpression;
  /** A condition on `table` only. */
  where: Fragment;
  /**
   * A small set of rows that replaces `table` under its name and is found first. `where` and the rest are
   * checked on each. It must contain all rows since `modifiedSince`; with `groupBy` they are searched among
   * these rows.
   */
  few?: Fragment;
  /** The number of records without filters, if it is available without counting. */
  total?: Fragment;
  /** One record for each value of this expression. The other expressions are then aggregates. */
  groupBy?: string;
  /**
   * Conditions on `table` for records that were modified since a time. No row meets two of them. There are
   * several if the record shows data from several places, each with an index: a single condition with "or"
   * would use no index.
   */
  modifiedSince: (sql: Sql, since: Date) => Fragment[];
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
  const { table, joins = '', tieBreaker, few = sql`${sql.unsafe(table)}` } = list;
  const column = list.sortColumns[query.sort ?? ''];
  const needsJoins = column !== undefined && !column.by.includes(`${table}.`);
  const sorted = needsJoins ? sql`${few} ${sql.unsafe(joins)}` : few;
  const { pageKeys, count } =
    query.modifiedSince === undefined || list.few !== undefined
      ? keysOf(sql, query, list, sorted, few)
      : changedKeysOf(sql, query, list, sorted, list.modifiedSince(sql, query.modifiedSince));
  return sql<PageRow[]>`
    with page as materialized (
      select key, row_number() over () as place
      from (
        ${pageKeys}
        limit ${query.pageSize} offset ${offsetOf(query)}::bigint
      ) as sorted
    )
    select (${list.total ?? count}) as total_count,
      ${recordsOnPage(sql, list.record, {
        from: sql`${sql.unsafe(`${table} ${joins}`)} where ${sql.unsafe(tieBreaker)} = page.key`,
        order: sql`place`,
      })} as records`;
}

/** The keys of all records in order, and their number. */
type Keys = { pageKeys: Fragment; count: Fragment };

function keysOf(sql: Sql, query: PageQuery, list: List, sorted: Fragment, counted: Fragment): Keys {
  const { column, direction } = orderOf(query, list);
  return {
    pageKeys: sql`
      select ${sql.unsafe(list.tieBreaker)} as key
      from ${sorted}
      where ${list.where}
      order by ${sql.unsafe(orderBy(column, direction, list.tieBreaker))}`,
    count: sql`select count(*) from ${counted} where ${list.where}`,
  };
}

/** The same for records that meet one of these conditions, each of which uses an index. */
function changedKeysOf(
  sql: Sql,
  query: PageQuery,
  list: List,
  sorted: Fragment,
  conditions: readonly Fragment[],
): Keys {
  const { column, direction } = orderOf(query, list);
  const order = orderBy({ by: 'sorted_by', emptyLast: column.emptyLast }, direction, 'key');
  const key = sql`${sql.unsafe(`${list.tieBreaker} as key, ${column.by} as sorted_by`)}`;
  return {
    pageKeys: sql`
      select key
      from (${anyOf(sql, key, sorted, list.where, conditions)}) as changed
      order by ${sql.unsafe(order)}`,
    count: sql`
      select count(*)
      from (${anyOf(sql, sql``, sql`${sql.unsafe(list.table)}`, list.where, conditions)}) as changed`,
  };
}

/** Rows that meet one of the conditions. No row meets two. */
function anyOf(
  sql: Sql,
  columns: Fragment,
  from: Fragment,
  where: Fragment,
  conditions: readonly Fragment[],
): Fragment {
  return (
    conditions
      // `offset` is a fence: otherwise an index in the order of the page could look cheaper than these few
      // rows, and everything would be read.
      .map((condition) => sql`(select ${columns} from ${from} where ${where} and ${condition} offset 0)`)
      .reduce((all, each) => sql`${all} union all ${each}`)
  );
}

/** Makes each group once, with only the columns that the order needs. */
function groupsOf(sql: Sql, query: PageQuery, list: List, groupBy: string) {
  // A group is as new as its newest row. Those rows are found first, so that only their groups are made.
  const { modifiedSince } = query;
  const key = sql`${sql.unsafe(groupBy)}`;
  const table = list.few ?? sql`${sql.unsafe(list.table)}`;
  const since =
    modifiedSince === undefined
      ? sql``
      : sql`and ${key} in (${anyOf(sql, key, table, list.where, list.modifiedSince(sql, modifiedSince))})`;
  const { column, direction } = orderOf(query, list);
  const { by, emptyLast } = column;
  const order = orderBy({ by: 'sorted_by', emptyLast }, direction, 'key');
  return sql<PageRow[]>`
    with matching as materialized (
      select ${sql.unsafe(groupBy)} as key, ${sql.unsafe(by)} as sorted_by
      from ${sql.unsafe(list.table)}
      where ${list.where} ${since}
      group by ${sql.unsafe(groupBy)}
    ), page as materialized (
      select key, row_number() over () as place
      from (
        select key
        from matching
        order by ${sql.unsafe(order)}
        limit ${query.pageSize} offset ${offsetOf(query)}::bigint
      ) as sorted
    )
    select (select count(*) from matching) as total_count,
      ${recordsOnPage(sql, list.record, {
        from: sql`
          ${sql.unsafe(list.table)} where ${sql.unsafe(groupBy)} = page.key and ${list.where}
          group by ${sql.unsafe(groupBy)}`,
        order: sql`place`,
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
