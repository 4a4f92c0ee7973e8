import type { PageQuery } from '@inventory/paging/page-query';
import { type Piece, piece, raw } from '../postgres/piece.ts';
import type { Sql } from '../postgres/pool.ts';
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
  const read = (sql: Sql, by: 'index' | 'changes' | null = null) => {
    const listed = discontinuedToo ? piece`true` : piece`not discontinued`;
    const where = modifiedSince === undefined ? listed : piece`${listed} and modified >= ${modifiedSince}`;
    if (by === 'changes') {
      return readPage(sql, query, {
        ...itemList,
        where: piece`${where} and ${containsText(search)}`,
        few: piece`(select * from item where modified >= ${modifiedSince!} offset 0) as item`,
      });
    }
    return readPage(sql, query, {
      ...itemList,
      where,
      found: piece`found as materialized (select distinct part_no from (${rowsWith(search, by)}) as named)`,
      // A few are looked up one by one, whatever the planner expects.
      few:
        by === 'index'
          ? piece`(
              select item.*
              from found
              cross join lateral (select * from item where item.part_no = found.part_no offset 0) as item
            ) as item`
          : piece`(select item.* from found join item using (part_no)) as item`,
    });
  };
  // The changes first: a look that takes too long ends them all.
  const looks = [
    ...(modifiedSince === undefined
      ? []
      : [{ by: 'changes' as const, selection: piece`select from item where modified >= ${modifiedSince}` }]),
    ...(hasPieces(search) ? [{ by: 'index' as const, selection: rowsWith(search, 'index') }] : []),
  ];
  if (looks.length === 0) return { cost: 'everything', read: (sql) => read(sql) };
  const findFew = (sql: Sql) =>
    sql.begin('read only', async (tx) => {
      await tx`select set_config('statement_timeout', ${String(lookMs)}, true)`;
      const found = await firstOfFew(tx, looks);
      return found && ((own: Sql) => read(own, found.by));
    });
  return { cost: 'matches', findFew, read: (sql) => read(sql) };
}

/** Whether the index has pieces of this text: it has none of one or two characters of ASCII. */
function hasPieces(search: string): boolean {
  const folded = search.normalize('NFC').toLowerCase().toUpperCase();
  return folded.length > 2 || /[^\0-\x7f]/.test(folded);
}

/** The part numbers of items with the text, some of them several times. `by`: null reads all items. */
function rowsWith(search: string, by: 'index' | null): Piece {
  const candidates = (text: string) =>
    by === null ? piece`true` : piece`search_pieces(${raw(text)}) @> (select search_pieces(${search}))`;
  return piece`
    select part_no
    from item
    where ${candidates('short_id || chr(10) || description')}
      and (${contains('short_id', search)} or ${contains('description', search)})
    union all
    select part_no
    from item_alias
    where ${candidates('alias')} and ${contains('alias', search)}`;
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
