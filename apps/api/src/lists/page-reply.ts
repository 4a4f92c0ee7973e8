import { pageText, pagingHeaders, pagingOf } from '@inventory/paging/page';
import type { PageQuery } from '@inventory/paging/page-query';
import type { Reply } from '../http/route.ts';
import type { ListedPage } from './page-reader.ts';

/** The answer of a paged list, in the contract's envelope and with its headers. */
export function pageReply(query: Pick<PageQuery, 'page' | 'pageSize'>, page: ListedPage): Reply {
  const paging = pagingOf(query, page.totalCount);
  const headers = { ...pagingHeaders(paging), 'X-Next-Modified-Since': page.nextModifiedSince };
  return { status: 200, text: pageText(page.records, paging), headers };
}
