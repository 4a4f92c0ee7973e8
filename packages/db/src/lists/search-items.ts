import type { PageQuery } from '@inventory/paging/page-query';
import { type Piece, piece, raw } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { firstOfFew, type ListReading } from './pages/list-reading.ts';
import { type List, readPage } from './pages/read-page.ts';

// The index cannot stop after some matches: it finds all candidates of a text first. The looks of all clients
// share two connections, so a text that is in very many items must not keep one for longer.
const lookMs = 250;

/**
 * Chooses how a page of the items is read whose shortID, description or alias contains a text that is not
 * empty (see schema/03-catalog.sql).
 */
export function searchPage(
  itemList: Omit<List, 'where'>,
  query: PageQuery,
  { discontinuedToo, search }: { discontinuedToo: boolean; search: string },
): ListReading {
  const { modifiedSince } = query;
  const read = (sql: Sql, by: 'index' | 'changes' | null) => {
    const listed = discontinuedToo ? piece`true` : piece`not discontinued`;
    const where = modifiedSince === undefined ? listed : piece`${listed} and modified >= ${modifiedSince}`;
    if (by === 'changes') {
      return readPage(sql, query, {
        ...itemList,
        where: piece`${where} and ${containsText(search)}`,
        few: piece`(select * from item where modified >= ${modifiedSince!} offset 0) as item`,
      });
    }
    if (by === null) return readPage(sql, query, allWith(itemList, query, search, where));
    return readPage(sql, query, {
      ...itemList,
      where,
      found: piece`found as materialized (select distinct part_no from (${candidatesWith(search)}) as named)`,
      // Looked up one by one, whatever the planner expects.
      few: piece`(
        select item.*
        from found
        cross join lateral (select * from item where item.part_no = found.part_no offset 0) as item
      ) as item`,
    });
  };
  // The changes first: a look that takes too long ends them all.
  const looks = [
    ...(modifiedSince === undefined
      ? []
      : [{ by: 'changes' as const, selection: piece`select from item where modified >= ${modifiedSince}` }]),
    ...(hasPieces(search) ? [{ by: 'index' as const, selection: candidatesWith(search) }] : []),
  ];
  if (looks.length === 0) return { cost: 'everything', read: (sql) => read(sql, null) };
  const findFew = (sql: Sql) =>
    sql.begin('read only', async (tx) => {
      await tx`select set_config('statement_timeout', ${String(lookMs)}, true)`;
      const found = await firstOfFew(tx, looks);
      return found && ((own: Sql) => read(own, found.by));
    });
  return { cost: 'matches', findFew, read: (sql) => read(sql, null) };
}

/** Whether the index has pieces of this text: it has none of one or two characters of ASCII. */
function hasPieces(search: string): boolean {
  const folded = search.normalize('NFC').toLowerCase().toUpperCase();
  return folded.length > 2 || /[^\0-\x7f]/.test(folded);
}

/** The part numbers of items with the text, some of them several times, found by the index. */
function candidatesWith(search: string): Piece {
  const isCandidate = (text: string) =>
    piece`search_pieces(${raw(text)}) @> (select search_pieces(${search}))`;
  return piece`
    select part_no
    from item
    where ${isCandidate('short_id || chr(10) || description')}
      and (${contains('short_id', search)} or ${contains('description', search)})
    union all
    select part_no
    from item_alias
    where ${isCandidate('alias')} and ${contains('alias', search)}`;
}

/** The list of all items with the text, of which each is read and compared once, for page and total. */
function allWith(itemList: Omit<List, 'where'>, query: PageQuery, search: string, where: Piece): List {
  const { by, direction } = itemList.defaultOrder;
  const column = itemList.sortColumns[query.sort ?? ''] ?? { by, emptyLast: false };
  return {
    ...itemList,
    where: piece`true`,
    found: piece`
      found as materialized (
        select item.part_no, ${raw(column.by)} as sorted_by
        from item
        left join (
          select distinct part_no as named_part_no from item_alias where ${contains('alias', search)}
        ) as named on named_part_no = item.part_no
        where ${where}
          and (${contains('short_id', search)} or ${contains('description', search)} or named_part_no is not null)
      )`,
    few: piece`found as item`,
    sortColumns: query.sort === undefined ? {} : { [query.sort]: { ...column, by: 'sorted_by' } },
    defaultOrder: { by: 'sorted_by', direction },
  };
}

/** A condition on `item`: for few items, of which each is checked. */
function containsText(search: string): Piece {
  return piece`(
    ${contains('item.short_id', search)}
    or ${contains('item.description', search)}
    or exists (
      select from item_alias where item_alias.part_no = item.part_no and ${contains('alias', search)} offset 0
    )
  )`;
}

function contains(column: string, search: string): Piece {
  return piece`strpos(search_fold(${raw(column)}), (select search_fold(${search}))) > 0`;
}
