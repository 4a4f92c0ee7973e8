import type { PageQuery } from '@inventory/paging/page-query';
import { piece } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { firstOfFew, type ListReading } from './pages/list-reading.ts';
import { type List, readPage } from './pages/read-page.ts';

/** Chooses how a page of the aliases of an item is read. */
export function aliasPage(query: PageQuery, partNo: number): ListReading {
  const where = piece`part_no = ${partNo}`;
  const list: List = {
    table: 'item_alias',
    record: piece`json_build_object('alias', alias, 'units', trim_scale(units))::text`,
    where,
    modifiedSince: () => [],
    sortColumns: {},
    defaultOrder: { by: 'alias', direction: 'asc' },
    tieBreaker: 'alias',
  };
  const read = (sql: Sql) => readPage(sql, query, list);
  const findFew = async (sql: Sql) =>
    (await firstOfFew(sql, [{ selection: piece`select from item_alias where ${where}` }])) && read;
  return { cost: 'matches', findFew, read };
}
