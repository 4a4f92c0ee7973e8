import { gtinSpellingsOf } from '@inventory/domain/scan/check-digits';
import { send } from '../postgres/piece.ts';
import { type Sql, violatesCheck } from '../postgres/pool.ts';
import { onStandbys } from '../postgres/servers/on-standbys.ts';

/**
 * An alias after it was taught. `partNo`: the item that has the name, in any spelling of a GTIN; null: there
 * is no such item. `isNew`: it did not have it before. `isShortId`: the name is the item's shortID.
 */
export type Taught = { partNo: number | null; isNew: boolean; isShortId: boolean };

/**
 * Adds an alias of an item, in one statement. 'tooMany': the item has as many as it may. Fails if the items
 * are locked for too long.
 */
export async function teachAlias(sql: Sql, alias: string, partNo: number): Promise<Taught | 'tooMany'> {
  try {
    const [row] = await sql<{ named: number | null; is_new: boolean; is_short_id: boolean }[]>`
      select named, is_new, is_short_id from teach_alias(${alias}, ${partNo}::integer)`;
    return { partNo: row!.named, isNew: row!.is_new, isShortId: row!.is_short_id };
  } catch (error) {
    if (violatesCheck(error, 'item_alias_limit')) return 'tooMany';
    throw error;
  }
}

/** The same for the command line, which names the item by its shortID. */
export async function addAlias(
  sql: Sql,
  { alias, shortId }: { alias: string; shortId: string },
): Promise<'added' | 'unknownItem' | 'isShortId' | 'taken' | 'tooMany'> {
  const [item] = await sql<{ part_no: number }[]>`select part_no from item where short_id = ${shortId}`;
  if (item === undefined) return 'unknownItem';
  const taught = await teachAlias(sql, alias, item.part_no);
  if (taught === 'tooMany') return taught;
  if (taught.isNew) return 'added';
  return taught.isShortId ? 'isShortId' : 'taken';
}

/** Removes an alias of this item, in all its spellings. Returns false if it has none of this name. */
export async function forgetAlias(sql: Sql, alias: string, partNo: number): Promise<boolean> {
  const rows = await sql`
    delete from item_alias
    where alias = any(${gtinSpellingsOf(alias)}::text[]) and part_no = ${partNo}
    returning alias`;
  return rows.length > 0;
}

/** Whether the item has the alias now, in any spelling, once the standbys have what was read. */
export async function hasAlias(sql: Sql, alias: string, partNo: number): Promise<boolean> {
  const [row] = await send<{ has: boolean }>(sql)`
    select exists (
        select from item_alias where alias = any(${gtinSpellingsOf(alias)}::text[]) and part_no = ${partNo}
      ) as has,
      ${onStandbys} as on_standbys`;
  return row!.has;
}
