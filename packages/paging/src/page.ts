import type { PageQuery } from './page-query.ts';

/** One page as a list gives it: `records` is the JSON text of the records, joined by commas. */
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

/** The JSON text of the paged envelope. The records' text goes in as it is: it holds exact decimals. */
export function pageText(records: string, paging: Paging): string {
  return `{"value":[${records}],${JSON.stringify(paging).slice(1)}`;
}

/** The headers of every paged answer, beside X-API-Version. */
export function pagingHeaders(paging: Paging): Record<string, string> {
  return {
    'X-Total-Count': String(paging.totalCount),
    'X-Page': String(paging.page),
    'X-Page-Size': String(paging.pageSize),
  };
}
