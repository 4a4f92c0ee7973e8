import { one } from '@inventory/domain/examples';
import { Permission } from '@inventory/domain/permission';
import { noItem, noPartNo } from '@inventory/domain/refusals/refused';
import { pageAnswer, pageWith } from '@inventory/paging/page';
import { inOrder, type PageQuery, pagesShape } from '@inventory/paging/page-query';
import { partNoParams } from '@inventory/paging/parameters';
import { piece } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { z } from 'zod';
import { itemExists } from './list-items.ts';
import { pagedList } from './paged-list.ts';
import { firstOfFew, type ListReading } from './pages/list-reading.ts';
import { type List, readPage } from './pages/read-page.ts';
import { pageOf, textBytes } from './pages/record-bytes.ts';

/** Chooses how a page of the aliases of an item is read. */
function aliasPage(query: PageQuery, partNo: number): ListReading {
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

export const unitsOfScan = 'The units that one scan of it stands for';
const Alias = z.object({ alias: z.string(), units: z.number().describe(unitsOfScan) }).meta({ id: 'Alias' });

/** The use of aliases, for the notes of their calls. */
export const useOfAliases = `
An alias can be used wherever a transaction names an item (\`itemID\`), with \`GET /Item?key=…&type=alias\`, and \`POST /Scan\` finds the item by it. It is unique over all items, and never
equals a ShortID. A GTIN of 8, 12, 13 or 14 digits with the right check digit is one alias in all these spellings: taught in any of them, it is found by any, and no second item can
have it in another. An item has at most 100 aliases.

\`units\` is what one scan of the alias stands for: the code of a case of twelve has 12. \`POST /Scan\` tells it and fills it into the operation. \`itemID\` never multiplies: \`units\` of a
call are units, whatever name the item has in it.`;

/** `GET /Item/{partNo}/Aliases`: the other names of an item. */
export const aliasesOfItem = pagedList({
  path: '/Item/:partNo/Aliases',
  isExtension: true,
  permission: Permission.ItemMasterList,
  params: partNoParams(1),
  query: z.object(pagesShape()),
  answer: pageAnswer(Alias, 'AliasPage'),
  bytes: pageOf(textBytes.shortId + 100),
  misfit: noPartNo.message,
  owner: {
    missing: noItem.message,
    exists: (sql, { params }) => itemExists(sql, params.partNo),
  },
  words: {
    id: 'listAliases',
    summary: 'List the aliases of an item',
    notes: `*Extension.* By \`alias\`. Empty if the item has none.${useOfAliases}`,
    answer: one('The first item of the demo data', pageWith({ alias: '4006381333931', units: 1 })),
  },
  page: ({ params, query }) => aliasPage(inOrder(query), params.partNo),
});
