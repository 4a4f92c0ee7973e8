import { gtin14Of } from '@inventory/domain/scan/check-digits';
import { type Piece, piece, send } from '@inventory/postgres/piece';
import type { Sql, Tx } from '@inventory/postgres/pool';

/** The item of a name. */
export type NamedItem = { name: string; shortId: string; partNo: number };

/**
 * The items of these names, as rows of `name`, `short_id` and `part_no`; a name that no item has is missing.
 * A shortID wins, then an alias as it is written, then another spelling of a GTIN.
 */
export function namedItems(names: readonly string[]): Piece {
  // One index look-up for each name, even if the planner believes that the tables are empty.
  return piece`
    select given.name, found.short_id, found.part_no
    from unnest(${names}::text[], ${names.map(gtin14Of)}::text[]) as given (name, gtin)
    cross join lateral (
      select short_id, part_no
      from item
      where part_no = coalesce(
        (select part_no from item as same where same.short_id = given.name),
        ${partNoOfAlias(piece`given.name`, piece`given.gtin`)}
      )
      offset 0
    ) as found`;
}

/**
 * The item of an alias as it is written, else of another spelling of it; null: none. `gtin`: the alias in 14
 * digits. Version 0.1.0 took spellings of one GTIN for different items, and of those, it found the one of 14
 * digits by all others. Nothing else is guessed.
 */
export function partNoOfAlias(alias: Piece, gtin: Piece): Piece {
  return piece`coalesce(
    (select part_no from item_alias where alias = ${alias}),
    (select part_no from item_alias where alias = ${gtin}),
    (
      select case when min(part_no) = max(part_no) then min(part_no) end
      from (
        select (select part_no from item_alias where item_alias.alias = alias_gtin.alias) as part_no
        from alias_gtin
        where gtin = ${gtin}
      ) as spelled
    )
  )`;
}

/** Reads them. */
export async function findNamedItems(sql: Sql | Tx, names: readonly string[]): Promise<NamedItem[]> {
  const rows = await send<{ name: string; short_id: string; part_no: number }>(sql)`${namedItems(names)}`;
  return rows.map(({ name, short_id: shortId, part_no: partNo }) => ({ name, shortId, partNo }));
}
