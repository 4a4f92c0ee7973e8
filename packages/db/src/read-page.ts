import type { Page } from '@inventory/paging/envelope';
import type { PageQuery } from '@inventory/paging/page-query';
import type { PendingQuery, Row } from 'postgres';
import type { Sql } from './client.ts';
import type { Columns } from './json-columns.ts';

/** A piece of a statement. */
export type Fragment = PendingQuery<Row[]>;

/** What a paged list is made of. Everything but `where` is text of this package, never of a request. */
export type List = {
  from: string;
  /** The expression of one record's JSON text. */
  record: string;
  where: Fragment;
  /** One record for each value of this expression; the other expressions are then aggregates. */
  groupBy?: string;
  /** The expression that `modifiedSince` is compared with. */
  modified: string;
  /** What each sortable field is sorted by. */
  sortColumns: Columns;
  defaultOrder: string;
  /** A unique column, so that no record is on two pages or on none. */
  tieBreaker: string;
};

/** One page and the exact total, of one moment. */
export async function readPage(sql: Sql, query: PageQuery, list: List): Promise<Page> {
  const from = sql.unsafe(list.from);
  const since =
    query.modifiedSince === undefined
      ? sql`true`
      : sql`${sql.unsafe(list.modified)} >= ${query.modifiedSince}`;
  const matching =
    list.groupBy === undefined
      ? sql`${from} where ${list.where} and ${since}`
      : sql`${from} where ${list.where} group by ${sql.unsafe(list.groupBy)} having ${since}`;
  const [row] = await sql<{ total_count: number; records: string }[]>`
    select
      (select count(*) from (select from ${matching}) as matching) as total_count,
      (
        select coalesce(string_agg(record, ','), '')
        from (
          select ${sql.unsafe(list.record)} as record
          from ${matching}
          order by ${sql.unsafe(orderOf(query, list))}
          limit ${query.pageSize} offset ${((query.page - 1) * query.pageSize).toString()}::bigint
        ) as page
      ) as records`;
  return { totalCount: row!.total_count, records: row!.records };
}

function orderOf(query: PageQuery, list: List): string {
  const column = query.sort === undefined ? undefined : list.sortColumns[query.sort];
  if (column === undefined) return list.defaultOrder;
  return `${column} ${query.direction}, ${list.tieBreaker} ${query.direction}`;
}
