import { pageText, pagingHeaders, pagingOf } from '@inventory/paging/page';
import type { PageQuery } from '@inventory/paging/page-query';
import { z } from 'zod';
import type { Reply } from '../http/route.ts';
import type { ListedPage } from './page-reader.ts';

/** The answer of a paged list, in the contract's envelope and with its headers. */
export function pageReply(query: PageQuery, page: ListedPage): Reply {
  const paging = pagingOf(query, page.totalCount);
  const headers = { ...pagingHeaders(paging), 'X-Next-Modified-Since': page.nextModifiedSince };
  return { status: 200, text: pageText(page.records, paging), headers };
}

/** The schema of such an answer, and its name in the OpenAPI document. */
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
