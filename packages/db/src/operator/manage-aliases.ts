import type { Sql, Tx } from '../postgres/pool.ts';
import { byIndex, type Take } from './import-items.ts';

export type Alias = { alias: string; shortID: string };

/** Aliases by name: those of one item, or all. `after`: only those after this one. At most `limit`. */
export async function listAliases(
  sql: Sql,
  { shortId, after, limit }: { shortId: string | null; after: string | null; limit: number },
): Promise<Alias[]> {
  const rows = await sql<Alias[]>`
    select alias, short_id as "shortID"
    from item_alias
    join item using (part_no)
    where (${shortId}::text is null or short_id = ${shortId}) and (${after}::text is null or alias > ${after})
    order by alias
    limit ${limit}`;
  return [...rows];
}

/** Removes an alias. Returns the shortID of its item; null if there is no such alias. */
export async function removeAlias(sql: Sql, alias: string): Promise<string | null> {
  const [row] = await sql<{ short_id: string }[]>`
    delete from item_alias
    using item
    where item_alias.alias = ${alias} and item.part_no = item_alias.part_no
    returning short_id`;
  return row?.short_id ?? null;
}

export type GivenAlias = { line: number; alias: string; shortId: string };

type Refused = { line: number; message: string };

/** The result of an import: the numbers of rows, and the refused rows. */
export type ImportedAliases = { added: number; unchanged: number; refused: Refused[] };

const rowsAtOnce = 5000;

/**
 * Adds aliases in one transaction. No two rows may have the same name. `take`: what to do with the good rows
 * if others are refused; 'none' only reports them. `report` gets the number of finished rows.
 */
export async function importAliases(
  sql: Sql,
  aliases: readonly GivenAlias[],
  { take, report }: { take: Take; report: (rows: number) => void },
): Promise<ImportedAliases> {
  return sql
    .begin(async (tx) => {
      const sum: ImportedAliases = { added: 0, unchanged: 0, refused: [] };
      const added: GivenAlias[] = [];
      await byIndex(tx);
      for (let from = 0; from < aliases.length; from += rowsAtOnce) {
        const chunk = aliases.slice(from, from + rowsAtOnce);
        const judged = await judge(tx, chunk);
        sum.refused.push(...judged.refused);
        sum.unchanged += judged.unchanged;
        await insert(tx, judged.good);
        added.push(...judged.good);
        report(Math.min(aliases.length, from + rowsAtOnce));
      }
      // Waits for creates under way and blocks new ones, like addAlias, but only now: the rows above may be
      // many, and creates of items wait for this lock.
      await tx`lock table item in share row exclusive mode`;
      const late = await removeShortIds(tx, added);
      sum.refused.push(...late);
      sum.added = added.length - late.length;
      sum.refused.sort((one, other) => one.line - other.line);
      if (take === 'none' || (sum.refused.length > 0 && take === 'all')) throw new Undo(sum.refused);
      return sum;
    })
    .catch((error: unknown) => {
      if (error instanceof Undo) return { added: 0, unchanged: 0, refused: error.refused };
      throw error;
    });
}

class Undo extends Error {
  readonly refused: Refused[];
  constructor(refused: Refused[]) {
    super('undone');
    this.refused = refused;
  }
}

async function judge(
  tx: Tx,
  chunk: readonly GivenAlias[],
): Promise<{ good: GivenAlias[]; unchanged: number; refused: Refused[] }> {
  const rows = await tx<{ place: number; known: boolean; is_short_id: boolean; now: string | null }[]>`
    select place::integer as place, wanted.part_no is not null as known, same.part_no is not null as is_short_id, named.short_id as now
    from unnest(${chunk.map(({ alias }) => alias)}::text[], ${chunk.map(({ shortId }) => shortId)}::text[])
      with ordinality as given (alias, short_id, place)
    left join item as wanted on wanted.short_id = given.short_id
    left join item as same on same.short_id = given.alias
    left join item_alias on item_alias.alias = given.alias
    left join item as named on named.part_no = item_alias.part_no`;
  const good: GivenAlias[] = [];
  const refused: Refused[] = [];
  let unchanged = 0;
  for (const { place, known, is_short_id: isShortId, now } of rows) {
    const each = chunk[place - 1]!;
    const refuse = (message: string) => refused.push({ line: each.line, message });
    if (!known) refuse('item: there is no item of this shortID.');
    else if (isShortId) refuse('alias: it is the shortID of an item.');
    else if (now === each.shortId) unchanged += 1;
    else if (now !== null) refuse('alias: it names another item already.');
    else good.push(each);
  }
  return { good, unchanged, refused };
}

/** Fails on `item_alias_pkey` if another session has added one of these meanwhile. */
async function insert(tx: Tx, aliases: readonly GivenAlias[]): Promise<void> {
  await tx`
    insert into item_alias (alias, part_no)
    select alias, part_no
    from unnest(${aliases.map(({ alias }) => alias)}::text[], ${aliases.map(({ shortId }) => shortId)}::text[]) as given (alias, short_id)
    join item using (short_id)
    order by alias`;
}

/** Removes names that became an item's shortID after the check. */
async function removeShortIds(tx: Tx, added: readonly GivenAlias[]): Promise<Refused[]> {
  const rows = await tx<{ alias: string }[]>`
    delete from item_alias
    using item
    where item_alias.alias = any(${added.map(({ alias }) => alias)}::text[]) and item.short_id = item_alias.alias
    returning alias`;
  const gone = new Set(rows.map(({ alias }) => alias));
  return added
    .filter(({ alias }) => gone.has(alias))
    .map(({ line }) => ({ line, message: 'alias: it is the shortID of an item.' }));
}
