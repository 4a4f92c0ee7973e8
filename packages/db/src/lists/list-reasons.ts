import { Reason } from '@inventory/domain/contract/reason';
import { one } from '@inventory/domain/examples';
import { pageAnswer, pageWith } from '@inventory/paging/page';
import { inOrder, type PageQuery, pagesShape } from '@inventory/paging/page-query';
import { piece } from '@inventory/postgres/piece';
import { z } from 'zod';
import { pagedList } from './paged-list.ts';
import type { ListReading } from './pages/list-reading.ts';
import { type List, readPage } from './pages/read-page.ts';
import { pageOf, textBytes } from './pages/record-bytes.ts';
import { type Columns, recordText } from './record-json.ts';

const columns: Columns<keyof Reason> = {
  reasonCode: 'reason_code',
  name: 'name',
  operations: 'operations',
};

const list: List = {
  table: 'reason',
  record: recordText(columns),
  where: piece`true`,
  modifiedSince: () => [],
  sortColumns: {},
  defaultOrder: { by: 'reason_code', direction: 'asc' },
  tieBreaker: 'reason_code',
};

/** Chooses how a page of the reasons is read. There are at most a thousand. */
function reasonPage(query: PageQuery): ListReading {
  return { cost: 'page', read: (sql) => readPage(sql, query, list) };
}

/** `GET /Reasons`: the names of reason codes. */
export const reasons = pagedList({
  path: '/Reasons',
  isExtension: true,
  // A token is enough.
  permission: [],
  query: z.object(pagesShape()),
  answer: pageAnswer(Reason, 'ReasonPage'),
  bytes: pageOf(textBytes.label + 150),
  words: {
    id: 'listReasons',
    summary: 'List the reasons that have names',
    notes: `*Extension.* What the reason codes of receipts, issues and counts mean, by \`reasonCode\`; the operator names them. Any token may read them. By default an operation
may have any reason code. Where the operator enforces the list, a code that is not listed for the operation is refused with \`validation_error\`.`,
    answer: one(
      'The first reason of the demo data',
      pageWith({ reasonCode: 1, name: 'Goods in', operations: ['receive'] }),
    ),
  },
  page: ({ query }) => reasonPage(inOrder(query)),
});
