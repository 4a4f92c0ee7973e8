import { aliasesMax } from '@inventory/domain/fields';
import type { Decimal } from '@inventory/domain/quantity';
import { gtin14Of, gtinSpellingsOf } from '@inventory/domain/scan/check-digits';
import type { Sql, Tx } from '@inventory/postgres/pool';
import { byIndex, type Imported, type RefusedRow, type Take } from './import-items.ts';

/** `units`: what one scan of it stands for, as decimal text. */
export type Alias = { alias: string; shortID: string; units: string };

/** Aliases by name: those of one item, or all. `after`: only those after this one. At most `limit`. */
export async function listAliases(
  sql: Sql,
  { shortId, after, limit }: { shortId: string | null; after: string | null; limit: number },
): Promise<Alias[]> {
  const rows = await sql<Alias[]>`
    select alias, short_id as "shortID", trim_scale(item_alias.units)::text as units
    from item_alias
    join item using (part_no)
    where (${shortId}::text is null or short_id = ${shortId}) and (${after}::text is null or alias > ${after})
    order by alias
    limit ${limit}`;
  return [...rows];
}

/**
 * Removes an alias; of a GTIN, all spellings that its item has. Returns the shortID of the item; null if
 * there is no such alias.
 */
export async function removeAlias(sql: Sql, alias: string): Promise<string | null> {
  const [row] = await sql<{ short_id: string }[]>`
    with named as (${namedBy(sql, alias)})
    delete from item_alias
    using item
    where item_alias.alias = any(${gtinSpellingsOf(alias)}::text[]) and item.part_no = item_alias.part_no
      and item.part_no = (select part_no from named)
    returning short_id`;
  return row?.short_id ?? null;
}

/**
 * Sets the units that one scan of an alias stands for; of a GTIN, in all spellings that its item has. Returns
 * the shortID of the item; null if there is no such alias.
 */
export async function changeAlias(
  sql: Sql,
  { alias, units }: { alias: string; units: Decimal },
): Promise<string | null> {
  const [row] = await sql<{ short_id: string }[]>`
    with named as (${namedBy(sql, alias)})
    update item_alias
    set units = ${String(units)}::text::numeric
    from item
    where item_alias.alias = any(${gtinSpellingsOf(alias)}::text[]) and item.part_no = item_alias.part_no
      and item.part_no = (select part_no from named)
    returning short_id`;
  return row?.short_id ?? null;
}

/**
 * The item of an alias. Version 0.1.0 took spellings for different items: the item of this one comes first.
 */
function namedBy(sql: Sql, alias: string) {
  return sql`
    select part_no
    from item_alias
    where alias = any(${gtinSpellingsOf(alias)}::text[])
    order by alias = ${alias} desc, length(alias) desc
    limit 1`;
}

/** A GTIN that is an alias of several items in different spellings. */
export type SharedGtin = { gtin: string; aliases: Pick<Alias, 'alias' | 'shortID'>[] };

/**
 * The GTINs that version 0.1.0 took for several items, at most `limit`. Each can be removed from all items
 * but one; nobody can add such a one.
 */
export async function listSharedGtins(sql: Sql, limit: number): Promise<SharedGtin[]> {
  const rows = await sql<SharedGtin[]>`
    select gtin, json_agg(json_build_object('alias', alias, 'shortID', short_id) order by rank) as aliases
    from alias_gtin
    join item_alias using (alias)
    join item using (part_no)
    where gtin in (select gtin from alias_gtin where rank > 0)
    group by gtin
    having min(part_no) <> max(part_no)
    order by gtin
    limit ${limit}`;
  return [...rows];
}

/** A row of a file. `units`: what one scan stands for; null: as it is, and 1 for a new alias. */
export type GivenAlias = { line: number; alias: string; shortId: string; units: Decimal | null };

const rowsAtOnce = 5000;

/**
 * Adds aliases in one transaction. No two rows may have the same name, in any spelling. `take`: what to do
 * with the good rows if others are refused; 'none' only reports them. `report` gets the number of finished
 * rows.
 */
export async function importAliases(
  sql: Sql,
  aliases: readonly GivenAlias[],
  { take, report }: { take: Take; report: (rows: number) => void },
): Promise<Imported> {
  return sql
    .begin(async (tx) => {
      const sum: Imported = { added: 0, changed: 0, unchanged: 0, refused: [] };
      const added: GivenAlias[] = [];
      await byIndex(tx);
      for (let from = 0; from < aliases.length; from += rowsAtOnce) {
        const chunk = aliases.slice(from, from + rowsAtOnce);
        const judged = await judge(tx, chunk);
        sum.refused.push(...judged.refused);
        const changed = await changeUnits(tx, judged.same);
        sum.changed += changed;
        sum.unchanged += judged.same.length - changed;
        await insert(tx, judged.good);
        added.push(...judged.good);
        report(Math.min(aliases.length, from + rowsAtOnce));
      }
      // Waits for creates and other aliases under way and blocks new ones, like teach_alias, but only now:
      // the rows above may be many, and creates of items wait for this lock.
      await tx`lock table item in share row exclusive mode`;
      const late = [...(await removeShortIds(tx, added)), ...(await removeBeyondLimit(tx, added))];
      sum.refused.push(...late);
      sum.added = added.length - late.length;
      sum.refused.sort((one, other) => one.line - other.line);
      if (take === 'none' || (sum.refused.length > 0 && take === 'all')) throw new Undo(sum.refused);
      return sum;
    })
    .catch((error: unknown) => {
      if (error instanceof Undo) return { added: 0, changed: 0, unchanged: 0, refused: error.refused };
      throw error;
    });
}

class Undo extends Error {
  readonly refused: RefusedRow[];
  constructor(refused: RefusedRow[]) {
    super('undone');
    this.refused = refused;
  }
}

/** `good`: the rows to be added; `same`: those whose item has the alias already. */
async function judge(
  tx: Tx,
  chunk: readonly GivenAlias[],
): Promise<{ good: GivenAlias[]; same: GivenAlias[]; refused: RefusedRow[] }> {
  const rows = await tx<{ place: number; part_no: number | null; now: string | null; aliases: number }[]>`
    select place::integer as place, wanted.part_no, named.short_id as now,
      (select count(*)::integer from (select from item_alias where part_no = wanted.part_no limit ${aliasesMax}) as few) as aliases
    from unnest(${chunk.map(({ alias }) => alias)}::text[], ${chunk.map(({ alias }) => gtin14Of(alias))}::text[],
      ${chunk.map(({ shortId }) => shortId)}::text[]) with ordinality as given (alias, gtin, short_id, place)
    left join item as wanted on wanted.short_id = given.short_id
    left join lateral (
      select item.part_no, item.short_id
      from item_alias
      join item using (part_no)
      where alias = given.alias or alias in (select alias from alias_gtin where gtin = given.gtin)
      -- Version 0.1.0 took several spellings.
      order by item.part_no = wanted.part_no desc nulls last
      limit 1
    ) as named on true`;
  const shortIds = await findShortIds(tx, chunk);
  const good: GivenAlias[] = [];
  const same: GivenAlias[] = [];
  const refused: RefusedRow[] = [];
  const counts = new Map<string, number>();
  for (const { place, part_no: partNo, now, aliases } of rows) {
    const each = chunk[place - 1]!;
    const refuse = (message: string) => refused.push({ line: each.line, message });
    const count = counts.get(each.shortId) ?? aliases;
    if (partNo === null) refuse('item: there is no item of this shortID.');
    else if (
      shortIds.get(each.alias)?.some((found) => found.shortId === each.alias || found.partNo !== partNo)
    )
      refuse(isShortId);
    else if (now === each.shortId) same.push(each);
    else if (now !== null) refuse('alias: it names another item already.');
    else if (count >= aliasesMax) refuse(tooMany);
    else {
      good.push(each);
      counts.set(each.shortId, count + 1);
    }
  }
  return { good, same, refused };
}

const isShortId = 'alias: it is the shortID of an item.';
const tooMany = `item: it has ${aliasesMax} aliases, the most that an item may have.`;

/** The items whose shortID is one of these aliases in any spelling, by alias. */
async function findShortIds(
  tx: Tx,
  given: readonly GivenAlias[],
): Promise<Map<string, { shortId: string; partNo: number }[]>> {
  const { aliases, spellings } = spelled(given);
  const rows = await tx<{ alias: string; short_id: string; part_no: number }[]>`
    select alias, short_id, part_no
    from unnest(${aliases}::text[], ${spellings}::text[]) as spelled (alias, spelling)
    join item on short_id = spelling`;
  const found = new Map<string, { shortId: string; partNo: number }[]>();
  for (const { alias, short_id: shortId, part_no: partNo } of rows)
    found.set(alias, [...(found.get(alias) ?? []), { shortId, partNo }]);
  return found;
}

/** Each alias beside each of its spellings. */
function spelled(given: readonly GivenAlias[]): { aliases: string[]; spellings: string[] } {
  const pairs = given.flatMap(({ alias }) => gtinSpellingsOf(alias).map((spelling) => ({ alias, spelling })));
  return { aliases: pairs.map(({ alias }) => alias), spellings: pairs.map(({ spelling }) => spelling) };
}

/**
 * Fails on `item_alias_pkey` or `alias_gtin_pkey` if another session has added one of these meanwhile.
 */
async function insert(tx: Tx, aliases: readonly GivenAlias[]): Promise<void> {
  await tx`
    insert into item_alias (alias, part_no, units)
    select alias, part_no, coalesce(given.units, 1)
    from unnest(${aliases.map(({ alias }) => alias)}::text[], ${aliases.map(({ shortId }) => shortId)}::text[],
      ${unitsOf(aliases)}::numeric[]) as given (alias, short_id, units)
    join item using (short_id)
    order by alias`;
}

/** Sets the units of aliases that their items have already. Returns how many had others. */
async function changeUnits(tx: Tx, given: readonly GivenAlias[]): Promise<number> {
  const told = given.filter(({ units }) => units !== null);
  if (told.length === 0) return 0;
  const all = told.flatMap((each, place) =>
    gtinSpellingsOf(each.alias).map((spelling) => ({ ...each, place, spelling })),
  );
  const rows = await tx<{ place: number }[]>`
    update item_alias
    set units = given.units
    from unnest(${all.map(({ place }) => place)}::integer[], ${all.map(({ spelling }) => spelling)}::text[],
      ${all.map(({ shortId }) => shortId)}::text[], ${unitsOf(all)}::numeric[])
      as given (place, spelling, short_id, units)
    join item using (short_id)
    where item_alias.alias = given.spelling and item_alias.part_no = item.part_no and item_alias.units <> given.units
    returning given.place`;
  return new Set(rows.map(({ place }) => place)).size;
}

const unitsOf = (given: readonly GivenAlias[]) =>
  given.map(({ units }) => (units === null ? null : String(units)));

/** Removes names that became an item's shortID after the check. */
async function removeShortIds(tx: Tx, added: readonly GivenAlias[]): Promise<RefusedRow[]> {
  const { aliases, spellings } = spelled(added);
  const rows = await tx<{ alias: string }[]>`
    delete from item_alias
    using unnest(${aliases}::text[], ${spellings}::text[]) as spelled (alias, spelling)
    join item on short_id = spelling
    where item_alias.alias = spelled.alias and (short_id = item_alias.alias or item.part_no <> item_alias.part_no)
    returning item_alias.alias`;
  const gone = new Set(rows.map(({ alias }) => alias));
  return added.filter(({ alias }) => gone.has(alias)).map(({ line }) => ({ line, message: isShortId }));
}

/** Removes the last names of items that others have given names to after the check. */
async function removeBeyondLimit(tx: Tx, added: readonly GivenAlias[]): Promise<RefusedRow[]> {
  const rows = await tx<{ short_id: string; beyond: number }[]>`
    select short_id, (count(*) - ${aliasesMax})::integer as beyond
    from item_alias
    join item using (part_no)
    where short_id = any(${[...new Set(added.map(({ shortId }) => shortId))]}::text[])
    group by short_id
    having count(*) > ${aliasesMax}`;
  const beyond = new Map(rows.map((row) => [row.short_id, row.beyond]));
  const late = [...added].reverse().filter(({ shortId }) => {
    const left = beyond.get(shortId) ?? 0;
    beyond.set(shortId, left - 1);
    return left > 0;
  });
  await tx`delete from item_alias where alias = any(${late.map(({ alias }) => alias)}::text[])`;
  return late.map(({ line }) => ({ line, message: tooMany }));
}
