import { type ItemFields, itemDefaults } from '@inventory/domain/contract/item';
import { gtin14Of } from '@inventory/domain/scan/check-digits';
import { piece, raw, send } from '@inventory/postgres/piece';
import type { Sql } from '@inventory/postgres/pool';
import { onStandbys } from '@inventory/postgres/servers/on-standbys';
import { itemRecord } from '../lists/list-items.ts';
import { partNoOfAlias } from './named-items.ts';

/** Names an item by number, shortID or alias in any spelling. */
export type ItemKey = { partNo: number } | { shortId: string } | { alias: string };

/** The JSON text of an item, discontinued or not; null if there is none. */
export async function findItem(sql: Sql, key: ItemKey): Promise<string | null> {
  const which =
    'partNo' in key
      ? piece`part_no = ${key.partNo}`
      : 'shortId' in key
        ? piece`short_id = ${key.shortId}`
        : piece`part_no = ${partNoOfAlias(piece`${key.alias}`, piece`${gtin14Of(key.alias)}`)}`;
  const [row] = await send<{ record: string }>(sql)`
    select ${itemRecord} as record
    from item
    where ${which}`;
  return row?.record ?? null;
}

/** Draws a new part number. If the answer to a create is lost, the item is found by this number. */
export async function drawPartNo(sql: Sql): Promise<number> {
  const [row] = await sql<{ part_no: number }[]>`
    select nextval(pg_get_serial_sequence('item', 'part_no'))::integer as part_no`;
  return row!.part_no;
}

/**
 * Creates an item and returns its JSON text. Fails on the constraints `item_short_id_key` (the shortID is
 * taken) and `item_alias_pkey` (an alias has that name).
 */
export async function createItem(
  sql: Sql,
  partNo: number,
  shortId: string,
  given: ItemFields,
  createdBy: string,
): Promise<string> {
  const fields = { ...itemDefaults, ...given };
  const [row] = await send<{ record: string }>(sql)`
    insert into item (part_no, short_id, description, category, sub_category, uom, put_up, units, dflt_owner, discontinued, created_by,
      created, modified)
    overriding system value
    select ${partNo}::integer, ${shortId}, ${fields.description}, ${fields.category}::integer, ${fields.subCategory}::integer, ${fields.uOM}, ${fields.putUp},
      ${String(fields.units)}::numeric, ${fields.dfltOwner}::integer, ${fields.discontinued}::boolean, ${createdBy}, moment, moment
    from change_moment() as moment
    returning ${itemRecord} as record`;
  return row!.record;
}

/**
 * The JSON text of an item whose create was not answered, once the standbys have it; null: it was not
 * created.
 */
export async function readCreated(sql: Sql, partNo: number): Promise<string | null> {
  const [row] = await send<{ record: string }>(sql)`
    select ${itemRecord} as record, ${onStandbys} as on_standbys
    from item
    where part_no = ${partNo}`;
  return row?.record ?? null;
}

/**
 * Changes the given fields. `modified` changes only if a value really changes. Returns false if there is no
 * such item.
 */
export async function updateItem(sql: Sql, shortId: string, given: ItemFields): Promise<boolean> {
  const units = given.units === undefined ? null : String(given.units);
  const rows = await sql`
    with wanted as (
      -- With the lock, a second update compares with the result of the first.
      select part_no,
        coalesce(${given.description ?? null}, description) as description,
        coalesce(${given.category ?? null}, category) as category,
        coalesce(${given.subCategory ?? null}, sub_category) as sub_category,
        coalesce(${given.uOM ?? null}, uom) as uom,
        coalesce(${given.putUp ?? null}, put_up) as put_up,
        coalesce(${units}::numeric, units) as units,
        coalesce(${given.dfltOwner ?? null}, dflt_owner) as dflt_owner,
        coalesce(${given.discontinued ?? null}, discontinued) as discontinued
      from item
      where short_id = ${shortId}
      for no key update
    ), changed as (
      update item
      set description = wanted.description, category = wanted.category, sub_category = wanted.sub_category,
        uom = wanted.uom, put_up = wanted.put_up, units = wanted.units, dflt_owner = wanted.dflt_owner,
        discontinued = wanted.discontinued, modified = moment,
        -- Its lots count as modified since then, too.
        described = case when item.description = wanted.description then item.described else moment end
      from wanted
      -- For each row, so that the time is taken after the row's lock.
      cross join lateral (select change_moment() as moment where wanted.part_no is not null) as changing
      where item.part_no = wanted.part_no
        and (item.description, item.category, item.sub_category, item.uom, item.put_up, item.units, item.dflt_owner, item.discontinued)
          is distinct from
          (wanted.description, wanted.category, wanted.sub_category, wanted.uom, wanted.put_up, wanted.units, wanted.dflt_owner, wanted.discontinued)
    )
    select from wanted`;
  return rows.length > 0;
}

/**
 * Whether the item has all of these values now, once the standbys have them, no matter which caller set them.
 */
export async function hasItemFields(sql: Sql, shortId: string, fields: ItemFields): Promise<boolean> {
  const same = (column: string, value: string | number | boolean | undefined) =>
    value === undefined ? piece`` : piece`and ${raw(column)} = ${value}`;
  const units = fields.units === undefined ? piece`` : piece`and units = ${String(fields.units)}::numeric`;
  const rows = await send(sql)`
    select ${onStandbys} as on_standbys
    from item
    where short_id = ${shortId} ${same('description', fields.description)} ${same('category', fields.category)}
      ${same('sub_category', fields.subCategory)} ${same('uom', fields.uOM)} ${same('put_up', fields.putUp)}
      ${same('dflt_owner', fields.dfltOwner)} ${same('discontinued', fields.discontinued)} ${units}`;
  return rows.length > 0;
}
