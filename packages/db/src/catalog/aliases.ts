import type { Sql } from '../postgres/pool.ts';

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
