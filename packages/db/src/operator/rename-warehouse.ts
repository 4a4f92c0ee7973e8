import type { Sql } from '@inventory/postgres/pool';

/**
 * Renames a warehouse. Its lots show the name, so they count as modified. Returns the old name; null if there
 * is no such warehouse.
 */
export async function renameWarehouse(
  sql: Sql,
  { wid, name }: { wid: number; name: string },
): Promise<string | null> {
  const [found] = await sql<{ before: string }[]>`
    with before as (
      select name from warehouse where wid = ${wid} for no key update
    )
    update warehouse
    set name = ${name}, renamed = change_moment()
    from before
    where wid = ${wid}
    returning before.name as before`;
  return found?.before ?? null;
}
