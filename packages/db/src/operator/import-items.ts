import type { ItemFields } from '@inventory/domain/contract/item';
import { itemDefaults } from '@inventory/domain/contract/item';
import { gtin14Of } from '@inventory/domain/scan/check-digits';
import type { Sql, Tx } from '@inventory/postgres/pool';

/** An item in a file. `line`: for messages. */
export type GivenItem = { line: number; shortId: string; fields: ItemFields };

/** Which rows of a file to apply: all or none, only the good ones, or none. */
export type Take = 'all' | 'good' | 'none';

/** A row that is not taken. `message` begins with the field at fault. */
export type RefusedRow = { line: number; message: string };

/** The result of an import: the numbers of rows, and the refused rows. */
export type Imported = { added: number; changed: number; unchanged: number; refused: RefusedRow[] };

// Any number that nothing else on this database uses.
const importKey = 7_316_022;
const rowsAtOnce = 2000;
/** The value of the audit field for items that the command line creates. */
const createdBy = 'admin';

/**
 * Adds new items and changes the given fields of existing ones, in one transaction. `modified` changes only
 * if a value really changes. No two rows may have the same shortID. `take`: what to do with the good rows if
 * others are refused; 'none' only reports them. `report` gets the number of finished rows.
 */
export async function importItems(
  sql: Sql,
  items: readonly GivenItem[],
  { take, report }: { take: Take; report: (rows: number) => void },
): Promise<Imported> {
  const nothing: Imported = { added: 0, changed: 0, unchanged: 0, refused: [] };
  return sql.begin(async (tx) => {
    await byIndex(tx);
    // Two imports at the same time would lock items in different orders.
    await tx`select pg_advisory_xact_lock(${importKey}::bigint)`;
    const refused = await findAliases(tx, items);
    if (take === 'none' || (refused.length > 0 && take === 'all')) return { ...nothing, refused };
    const isRefused = new Set(refused.map(({ line }) => line));
    const good = items.filter(({ line }) => !isRefused.has(line));
    const sum = { ...nothing, refused };
    for (let from = 0; from < good.length; from += rowsAtOnce) {
      const { added, changed, unchanged } = await importChunk(tx, good.slice(from, from + rowsAtOnce));
      sum.added += added;
      sum.changed += changed;
      sum.unchanged += unchanged;
      report(Math.min(good.length, from + rowsAtOnce));
    }
    return sum;
  });
}

/**
 * Makes the rest of a transaction find each row of a file by index. The planner does not know how many rows
 * there are and would read the whole catalog for each part of the file.
 */
export async function byIndex(tx: Tx): Promise<void> {
  await tx.unsafe(`
    set local enable_seqscan = off;
    set local enable_hashjoin = off;
    set local enable_mergejoin = off;
    set local enable_bitmapscan = off`);
}

async function findAliases(tx: Tx, items: readonly GivenItem[]): Promise<RefusedRow[]> {
  const rows = await tx<{ short_id: string }[]>`
    select given.short_id
    from unnest(${items.map(({ shortId }) => shortId)}::text[], ${items.map(({ shortId }) => gtin14Of(shortId))}::text[])
      as given (short_id, gtin)
    where (
        exists (select from item_alias where alias = given.short_id)
        or exists (select from alias_gtin where gtin = given.gtin)
      )
      -- An item may have its shortID as an alias in another spelling.
      and not exists (select from item where item.short_id = given.short_id)`;
  const aliases = new Set(rows.map(({ short_id: shortId }) => shortId));
  return items
    .filter(({ shortId }) => aliases.has(shortId))
    .map(({ line }) => ({ line, message: 'shortID: an alias has this name.' }));
}

type Counts = Omit<Imported, 'refused'>;

async function importChunk(tx: Tx, items: readonly GivenItem[]): Promise<Counts> {
  const sum: Counts = { added: 0, changed: 0, unchanged: 0 };
  for (let rest = items; rest.length > 0; ) {
    const present = await changePresent(tx, rest);
    const added = await addMissing(
      tx,
      rest.filter(({ shortId }) => !present.has(shortId)),
    );
    for (const isChanged of present.values()) {
      if (isChanged) sum.changed += 1;
      else sum.unchanged += 1;
    }
    sum.added += added.size;
    // Items that another session created between the two statements exist now.
    rest = rest.filter(({ shortId }) => !present.has(shortId) && !added.has(shortId));
  }
  return sum;
}

/** The rows as columns for Postgres; null: not given. */
function columnsOf(items: readonly GivenItem[]) {
  const column = <Name extends keyof ItemFields>(name: Name) =>
    items.map(({ fields }) => fields[name] ?? null) as (NonNullable<ItemFields[Name]> | null)[];
  return {
    shortIds: items.map(({ shortId }) => shortId),
    descriptions: column('description'),
    categories: column('category'),
    subCategories: column('subCategory'),
    uoms: column('uOM'),
    putUps: column('putUp'),
    units: items.map(({ fields }) => (fields.units === undefined ? null : String(fields.units))),
    dfltOwners: column('dfltOwner'),
    // As text: the driver would turn a list that begins with a boolean into one boolean.
    discontinued: items.map(({ fields }) => fields.discontinued?.toString() ?? null),
  };
}

function given(tx: Tx, items: readonly GivenItem[]) {
  const columns = columnsOf(items);
  return tx`
    unnest(${columns.shortIds}::text[], ${columns.descriptions}::text[], ${columns.categories}::integer[],
      ${columns.subCategories}::integer[], ${columns.uoms}::text[], ${columns.putUps}::text[], ${columns.units}::numeric[],
      ${columns.dfltOwners}::integer[], ${columns.discontinued}::text[]::boolean[])
      as given (short_id, description, category, sub_category, uom, put_up, units, dflt_owner, discontinued)`;
}

/** The existing shortIDs, and whether each was changed. */
async function changePresent(tx: Tx, items: readonly GivenItem[]): Promise<Map<string, boolean>> {
  const rows = await tx<{ short_id: string; changed: boolean }[]>`
    with wanted as (
      -- With the lock, the change compares with the result of concurrent requests. In order of number, so
      -- that two sessions do not wait for each other.
      select item.part_no, item.short_id,
        coalesce(given.description, item.description) as description,
        coalesce(given.category, item.category) as category,
        coalesce(given.sub_category, item.sub_category) as sub_category,
        coalesce(given.uom, item.uom) as uom,
        coalesce(given.put_up, item.put_up) as put_up,
        coalesce(given.units, item.units) as units,
        coalesce(given.dflt_owner, item.dflt_owner) as dflt_owner,
        coalesce(given.discontinued, item.discontinued) as discontinued
      from item
      join ${given(tx, items)} using (short_id)
      order by item.part_no
      for no key update of item
    ), moment as materialized (
      -- Once all rows are locked, and only once: each distinct millisecond holds a lock of its own until the
      -- end.
      select change_moment() as at
      from (select count(*) from wanted) as locked
    ), changed as (
      update item
      set description = wanted.description, category = wanted.category, sub_category = wanted.sub_category,
        uom = wanted.uom, put_up = wanted.put_up, units = wanted.units, dflt_owner = wanted.dflt_owner,
        discontinued = wanted.discontinued, modified = moment.at,
        described = case when item.description is distinct from wanted.description then moment.at else item.described end
      from wanted, moment
      where item.part_no = wanted.part_no
        and (item.description, item.category, item.sub_category, item.uom, item.put_up, item.units, item.dflt_owner, item.discontinued)
          is distinct from
          (wanted.description, wanted.category, wanted.sub_category, wanted.uom, wanted.put_up, wanted.units, wanted.dflt_owner, wanted.discontinued)
      returning item.part_no
    )
    select short_id, part_no in (select part_no from changed) as changed
    from wanted`;
  return new Map(rows.map((row) => [row.short_id, row.changed]));
}

async function addMissing(tx: Tx, items: readonly GivenItem[]): Promise<Set<string>> {
  if (items.length === 0) return new Set();
  const rows = await tx<{ short_id: string }[]>`
    insert into item (short_id, description, category, sub_category, uom, put_up, units, dflt_owner, discontinued, created_by,
      created, modified)
    select short_id, coalesce(description, ${itemDefaults.description}), coalesce(category, ${itemDefaults.category}),
      coalesce(sub_category, ${itemDefaults.subCategory}), coalesce(uom, ${itemDefaults.uOM}),
      coalesce(put_up, ${itemDefaults.putUp}), coalesce(units, ${itemDefaults.units}),
      coalesce(dflt_owner, ${itemDefaults.dfltOwner}), coalesce(discontinued, ${itemDefaults.discontinued}), ${createdBy},
      moment, moment
    from ${given(tx, items)}
    -- One time for all rows. The column's default would be a different one for each.
    cross join (select change_moment() as moment offset 0) as changing
    order by short_id
    on conflict on constraint item_short_id_key do nothing
    returning short_id`;
  return new Set(rows.map((row) => row.short_id));
}
