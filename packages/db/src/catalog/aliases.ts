import { send } from '../postgres/piece.ts';
import type { Sql } from '../postgres/pool.ts';
import { onStandbys } from '../postgres/servers/on-standbys.ts';

/**
 * Adds an alias of an item. `unknown_item`: no item has that shortID. `is_short_id`: the alias is an item's
 * shortID. Fails on `item_alias_pkey` if the alias is taken.
 */
export async function addAlias(
  sql: Sql,
  { alias, shortId }: { alias: string; shortId: string },
): Promise<'added' | 'unknown_item' | 'is_short_id'> {
  return sql.begin(async (tx) => {
    // Waits for creates under way and blocks new ones. Otherwise an item with this name could be created
    // between the check and the insert.
    await tx`lock table item in share row exclusive mode`;
    const [same] = await tx`select from item where short_id = ${alias}`;
    if (same !== undefined) return 'is_short_id';
    const rows = await tx`
      insert into item_alias (alias, part_no)
      select ${alias}, part_no from item where short_id = ${shortId}
      returning alias`;
    return rows.length === 0 ? 'unknown_item' : 'added';
  });
}

/**
 * An alias after it was taught. `partNo`: the item that has the name; null: there is no such item. `isNew`:
 * it did not have it before. `isShortId`: it is the item's shortID, so no alias.
 */
export type Taught = { partNo: number | null; isNew: boolean; isShortId: boolean };

/** Adds an alias of an item, in one statement. Fails if the items are locked for too long. */
export async function teachAlias(sql: Sql, alias: string, partNo: number): Promise<Taught> {
  const [row] = await sql<{ named: number | null; is_new: boolean; is_short_id: boolean }[]>`
    select named, is_new, is_short_id from teach_alias(${alias}, ${partNo}::integer)`;
  return { partNo: row!.named, isNew: row!.is_new, isShortId: row!.is_short_id };
}

/** Removes an alias of this item. Returns false if it has none of this name. */
export async function forgetAlias(sql: Sql, alias: string, partNo: number): Promise<boolean> {
  const rows = await sql`
    delete from item_alias
    where alias = ${alias} and part_no = ${partNo}
    returning alias`;
  return rows.length > 0;
}

/** Whether the item has the alias now, once the standbys have what was read. */
export async function hasAlias(sql: Sql, alias: string, partNo: number): Promise<boolean> {
  const [row] = await send<{ has: boolean }>(sql)`
    select exists (select from item_alias where alias = ${alias} and part_no = ${partNo}) as has,
      ${onStandbys} as on_standbys`;
  return row!.has;
}
