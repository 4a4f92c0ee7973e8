import type { PageQuery } from './page-query.ts';

/** One page of a list. `records`: the JSON texts of the records, joined by commas. */
export type Page = { totalCount: number; records: string };

/** The fields that a client reads beside the records. */
export type Paging = {
  totalCount: number;
  page: number;
  pageSize: number;
  pageCount: number;
  hasMore: boolean;
};

export function pagingOf(
  { page, pageSize }: Pick<PageQuery, 'page' | 'pageSize'>,
  totalCount: number,
): Paging {
  const pageCount = Math.ceil(totalCount / pageSize);
  return { totalCount, page, pageSize, pageCount, hasMore: page < pageCount };
}

/** The JSON text of the paged envelope. The records are copied as text, because it holds exact decimals. */
export function pageText(records: string, paging: Paging): string {
  return `{"value":[${records}],${JSON.stringify(paging).slice(1)}`;
}

/** The headers of every paged answer, besides X-API-Version. */
export function pagingHeaders(paging: Paging): Record<string, string> {
  return {
    'X-Total-Count': String(paging.totalCount),
    'X-Page': String(paging.page),
    'X-Page-Size': String(paging.pageSize),
  };
}
