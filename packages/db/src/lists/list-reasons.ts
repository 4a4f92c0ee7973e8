import type { Reason } from '@inventory/domain/contract/reason';
import type { PageQuery } from '@inventory/paging/page-query';
import { piece } from '@inventory/postgres/piece';
import type { ListReading } from './pages/list-reading.ts';
import { type List, readPage } from './pages/read-page.ts';
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
export function reasonPage(query: PageQuery): ListReading {
  return { cost: 'page', read: (sql) => readPage(sql, query, list) };
}
