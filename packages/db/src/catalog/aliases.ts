import type { Decimal } from '@inventory/domain/quantity';
import { gtinSpellingsOf } from '@inventory/domain/scan/check-digits';
import { send } from '@inventory/postgres/piece';
import { type Sql, violatesCheck } from '@inventory/postgres/pool';
import { onStandbys } from '@inventory/postgres/servers/on-standbys';

/**
 * An alias after it was taught. `partNo`: the item that has the name, in any spelling of a GTIN; null: there
 * is no such item. `isNew`: it did not have it before. `isChanged`: it had, and stands for other units now.
 * `isShortId`: the name is the item's shortID. `units`: the units that one scan of it stands for, as decimal
 * text, if the item has it.
 */
export type Taught = {
  partNo: number | null;
  isNew: boolean;
  isChanged: boolean;
  isShortId: boolean;
  units: string | null;
};

/** An alias to be taught. `units`: what one scan of it stands for; null: as it is, and 1 for a new one. */
export type AliasToTeach = { alias: string; partNo: number; units: Decimal | null };

/**
 * Adds an alias of an item, or sets the units of one that it has, in one statement. 'tooMany': the item has
 * as many as it may. Fails if the items are locked for too long.
 */
export async function teachAlias(
  sql: Sql,
  { alias, partNo, units }: AliasToTeach,
): Promise<Taught | 'tooMany'> {
  try {
    const [row] = await sql<Taught[]>`
      select named as "partNo", is_new as "isNew", is_changed as "isChanged", is_short_id as "isShortId",
        trim_scale(units_now)::text as units
      from teach_alias(${alias}, ${partNo}::integer, ${units === null ? null : String(units)}::text::numeric)`;
    return row!;
  } catch (error) {
    if (violatesCheck(error, 'item_alias_limit')) return 'tooMany';
    throw error;
  }
}

/** The same for the command line, which names the item by its shortID and does not change what is there. */
export async function addAlias(
  sql: Sql,
  { alias, shortId, units = null }: { alias: string; shortId: string; units?: Decimal | null },
): Promise<'added' | 'unknownItem' | 'isShortId' | 'taken' | 'tooMany'> {
  const [item] = await sql<{ part_no: number; has: boolean }[]>`
    select part_no, exists (
        select from item_alias where alias = any(${gtinSpellingsOf(alias)}::text[]) and part_no = item.part_no
      ) as has
    from item
    where short_id = ${shortId}`;
  if (item === undefined) return 'unknownItem';
  if (item.has) return 'taken';
  const taught = await teachAlias(sql, { alias, partNo: item.part_no, units });
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

/**
 * The units of the alias if the item has it now, in any spelling, for these units or any; else null. Answers
 * once the standbys have what was read.
 */
export async function findAliasUnits(
  sql: Sql,
  { alias, partNo, units }: AliasToTeach,
): Promise<string | null> {
  const [row] = await send<{ units: string | null }>(sql)`
    select (
        select trim_scale(units)::text
        from item_alias
        where alias = any(${gtinSpellingsOf(alias)}::text[]) and part_no = ${partNo}
          and units = coalesce(${units === null ? null : String(units)}::text::numeric, units)
        limit 1
      ) as units,
      ${onStandbys} as on_standbys`;
  return row!.units;
}
