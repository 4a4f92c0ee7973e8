import type { Sql } from '@inventory/postgres/pool';

/** A row of the catalog, with the contract's names. `units` is text, digit for digit. */
export type CatalogItem = {
  partNo: number;
  shortID: string;
  description: string;
  category: number;
  subCategory: number;
  uOM: string;
  putUp: string;
  units: string;
  dfltOwner: number;
  created: Date;
  createdBy: string;
  modified: Date;
  discontinued: boolean;
};

/** The columns of a row, in the order of the contract's table. */
export const catalogColumns = [
  ...([
    'partNo',
    'shortID',
    'description',
    'category',
    'subCategory',
    'uOM',
    'putUp',
    'units',
    'dfltOwner',
  ] as const),
  ...(['created', 'createdBy', 'modified', 'discontinued'] as const),
];

/** Selects items after a shortID, without discontinued ones unless requested, at most `limit` (null: all). */
export type ItemChoice = { after: string | null; discontinuedToo: boolean; limit: number | null };

/** Items by shortID, some thousand at a time, all as of one moment. */
export async function* readCatalog(sql: Sql, choice: ItemChoice): AsyncGenerator<CatalogItem[]> {
  const rows = sql<CatalogItem[]>`
    select part_no as "partNo", short_id as "shortID", description, category, sub_category as "subCategory", uom as "uOM",
      put_up as "putUp", trim_scale(units)::text as units, dflt_owner as "dfltOwner", created, created_by as "createdBy", modified,
      discontinued
    from item
    where (${choice.after}::text is null or short_id > ${choice.after}) and (${choice.discontinuedToo} or not discontinued)
    order by short_id
    limit ${choice.limit}`;
  for await (const chunk of rows.cursor(2000)) yield [...chunk];
}
