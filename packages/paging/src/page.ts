import { z } from 'zod';
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

/** The schema of the paged envelope. `id`: its name in the OpenAPI document. */
export function pageAnswer(record: z.ZodType, id: string) {
  const envelope = z.object({
    value: z.array(record).describe('Records of the current page'),
    totalCount: z.int().describe('Total records matching the query, before paging'),
    page: z.int().describe('Current page number'),
    pageSize: z.int().describe('Items per page: the requested size, capped at the maximum'),
    pageCount: z.int().describe('Total pages available'),
    hasMore: z.boolean().describe('true when more pages follow this one'),
  });
  return envelope.meta({ id });
}

/** The example of a page: its only record. */
export function pageWith<R>(record: R): { value: R[] } & Paging {
  return { value: [record], ...pagingOf({ page: 1, pageSize: 25 }, 1) };
}
