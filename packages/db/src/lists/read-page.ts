import type { Page } from '@inventory/paging/page-envelope';
import type { PageQuery } from '@inventory/paging/page-query';
import type { Fragment, Sql } from '../client.ts';
import { orderBy, type SortColumns } from './sort-columns.ts';

/** The parts of a paged list. Everything but fragments is text of this package, never of a request. */
export type List = {
  /** The table that has a row for each record or, with `groupBy`, several. */
  table: string;
  /** Other tables that a record is made of. */
  joins?: string;
  /** The expression of one record's JSON text. */
  record: string;
  /** On `table` alone. */
  where: Fragment;
  /** The number of records when no filter narrows them, if it can be had without counting. */
  total?: Fragment;
  /** One record for each value of this expression; the other expressions are then aggregates. */
  groupBy?: string;
  /** The expression that `modifiedSince` is compared with. */
  modified: string;
  /**
   * The expression that each sortable field is sorted by; columns of `table` begin with its name where there
   * are joins.
   */
  sortColumns: SortColumns;
  defaultOrder: string;
  /** A unique column, so that no record is on two pages or on none. */
  tieBreaker: string;
};

/** One page and the exact total, of one moment. */
export async function readPage(sql: Sql, query: PageQuery, list: List): Promise<Page> {
  const [row] = await (list.groupBy === undefined
    ? rowsOf(sql, query, list)
    : groupsOf(sql, query, list, list.groupBy));
  return { totalCount: row!.total_count, records: row!.records };
}

type PageRow = { total_count: number; records: string };

/** The records of the page are made only when it is known which they are. */
function rowsOf(sql: Sql, query: PageQuery, list: List) {
  const { table, joins = '', tieBreaker } = list;
  const since =
    query.modifiedSince === undefined
      ? sql``
      : sql`and ${sql.unsafe(list.modified)} >= ${query.modifiedSince}`;
  const matching = sql`where ${list.where} ${since}`;
  const column = list.sortColumns[query.sort ?? ''];
  const needsJoins = column !== undefined && !column.by.includes(`${table}.`);
  const sorted = sql.unsafe(needsJoins ? `${table} ${joins}` : table);
  return sql<PageRow[]>`
    with page as materialized (
      select key, row_number() over () as place
      from (
        select ${sql.unsafe(tieBreaker)} as key
        from ${sorted}
        ${matching}
        order by ${sql.unsafe(orderOf(query, list))}
        limit ${query.pageSize} offset ${offsetOf(query)}::bigint
      ) as sorted
    )
    select (${list.total ?? sql`select count(*) from ${sql.unsafe(table)} ${matching}`}) as total_count,
      (
        select coalesce(string_agg(record, ',' order by place), '')
        from page
        -- One by one through the index, whatever number of rows the planner expects.
        cross join lateral (
          select ${sql.unsafe(list.record)} as record
          from ${sql.unsafe(`${table} ${joins}`)}
          where ${sql.unsafe(tieBreaker)} = page.key
          limit 1
        ) as found
      ) as records`;
}

/** Every group is made once, with nothing but what the order needs. */
function groupsOf(sql: Sql, query: PageQuery, list: List, groupBy: string) {
  // A group is as new as the newest of its rows; those are found first, so that only their groups are made.
  const since =
    query.modifiedSince === undefined
      ? sql``
      : sql`and ${sql.unsafe(groupBy)} in (
          select ${sql.unsafe(groupBy)}
          from ${sql.unsafe(list.table)}
          where ${list.where} and ${sql.unsafe(list.modified)} >= ${query.modifiedSince}
        )`;
  const { by, emptyLast } = list.sortColumns[query.sort ?? ''] ?? { by: list.defaultOrder, emptyLast: false };
  const direction = query.sort === undefined ? 'asc' : query.direction;
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
      (
        select coalesce(string_agg(record, ',' order by place), '')
        from page
        cross join lateral (
          select ${sql.unsafe(list.record)} as record
          from ${sql.unsafe(list.table)}
          where ${sql.unsafe(groupBy)} = page.key and ${list.where}
          group by ${sql.unsafe(groupBy)}
          limit 1
        ) as found
      ) as records`;
}

function orderOf(query: PageQuery, list: List): string {
  const column = query.sort === undefined ? undefined : list.sortColumns[query.sort];
  if (column === undefined) return list.defaultOrder;
  return orderBy(column, query.direction, list.tieBreaker);
}

function offsetOf({ page, pageSize }: PageQuery): string {
  return ((page - 1) * pageSize).toString();
}
