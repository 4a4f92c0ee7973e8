import { findItem } from '@inventory/db/catalog/items';
import { findNamedItems } from '@inventory/db/catalog/named-items';
import { migrate } from '@inventory/db/migrate/migrate';
import { listSharedGtins } from '@inventory/db/operator/manage-aliases';
import { gtin14Of, gtinSpellingsOf } from '@inventory/domain/scan/check-digits';
import type { Sql } from '@inventory/postgres/pool';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEmptyDatabase, createUnusedDatabase } from '../harness/servers/backups.ts';
import { connectAs } from '../harness/servers/database.ts';

test('Postgres and the code read the same GTINs, and spell them alike', async () => {
  const { sql } = await createUnusedDatabase();
  const digits = fc
    .tuple(fc.constantFrom(7, 8, 11, 12, 13, 14, 15), fc.bigInt(0n, 10n ** 14n))
    .map(([length, number]) => String(number).padStart(15, '0').slice(-length));
  const gtin = fc
    .tuple(
      fc.constantFrom(8, 12, 13, 14),
      fc.bigInt(0n, 10n ** 13n - 1n),
      fc.constantFrom('', ' ', '\n', 'x'),
    )
    .map(([length, number, end]) => {
      const body = String(number)
        .padStart(13, '0')
        .slice(1 - length);
      for (let digit = 0; ; digit++) if (gtin14Of(`${body}${digit}`) !== null) return `${body}${digit}${end}`;
    });
  const texts = [
    ...fc.sample(gtin, 3000),
    ...fc.sample(digits, 3000),
    ...['00000000', '٠٠٠٠٠٠٠٠', '00000000\n', '', 'A', "'"],
  ];
  const rows = await sql<{ gtin: string | null; spellings: string[] }[]>`
    select gtin_of(text) as gtin, gtin_spellings(text) as spellings
    from unnest(${texts}::text[]) with ordinality as given (text, place)
    order by place`;
  expect(rows.map(({ gtin: found, spellings }) => ({ found, spellings }))).toEqual(
    texts.map((text) => ({ found: gtin14Of(text), spellings: gtinSpellingsOf(text) })),
  );
});

describe('a database of 0.1.0 in which GTINs have several spellings', () => {
  // Valid GTINs of 12 digits, whose other spellings have a 0 and two more.
  const [shared, same, three, alone] = ['614141000036', '036000291452', '012345678905', '725272730706'];
  const aliases: Record<string, string[]> = {
    A: [shared!, same!, `00${same}`, three!],
    B: [`0${shared}`, `0${three}`, 'B-1'],
    C: [`00${three}`, `0${alone}`],
    // It never was a GTIN.
    D: ['614141000037', '0614141000037'],
  };

  async function migrated() {
    const { sql, url } = await createEmptyDatabase();
    await migrate(sql, () => {}, { to: 1 });
    for (const [shortId, names] of Object.entries(aliases)) {
      const [item] = await sql<{ part_no: number }[]>`
        insert into item (short_id, created_by) values (${shortId}, 'tests') returning part_no`;
      for (const alias of names)
        await sql`insert into item_alias (alias, part_no) values (${alias}, ${item!.part_no})`;
    }
    await migrate(sql);
    return { sql, url };
  }

  const itemsOf = async (sql: Sql, names: string[]) => {
    const found = new Map((await findNamedItems(sql, names)).map(({ name, shortId }) => [name, shortId]));
    for (const alias of names) {
      const record = await findItem(sql, { alias });
      expect(record === null ? undefined : JSON.parse(record).shortID, alias).toBe(found.get(alias));
    }
    return names.map((name) => found.get(name));
  };
  const teach = async (sql: Sql, alias: string, shortId: string) => {
    const [row] = await sql`
      select named, is_new, is_short_id
      from item
      cross join lateral teach_alias(${alias}, part_no)
      where short_id = ${shortId}`;
    return row;
  };

  test('is migrated, and keeps what each spelling found; doctor names what several items have', async () => {
    const { sql, url } = await migrated();
    const worker = connectAs('worker', url);
    for (const [shortId, names] of Object.entries(aliases))
      expect(await itemsOf(worker, names)).toEqual(names.map(() => shortId));
    // As before, 14 digits are found by all others; of two that differ, nothing is guessed.
    expect(await itemsOf(worker, [`00${shared}`, `0${same}`, alone!, `00${alone}`])).toEqual([
      ...[undefined, 'A', 'C', 'C'],
    ]);
    expect(await listSharedGtins(connectAs('operator', url), 10)).toEqual([
      {
        gtin: `00${three}`,
        aliases: [
          { alias: `00${three}`, shortID: 'C' },
          { alias: three, shortID: 'A' },
          { alias: `0${three}`, shortID: 'B' },
        ],
      },
      {
        gtin: `00${shared}`,
        aliases: [
          { alias: `0${shared}`, shortID: 'B' },
          { alias: shared, shortID: 'A' },
        ],
      },
    ]);
    expect(await listSharedGtins(sql, 1)).toHaveLength(1);
  });

  test('takes no further spelling for another item, and each that is removed hands on its place', async () => {
    const { sql, url } = await migrated();
    const api = connectAs('api', url);
    expect(await teach(api, `00${shared}`, 'C')).toMatchObject({ is_new: false, named: 2 });
    expect(await teach(api, shared!, 'A')).toMatchObject({ is_new: false, named: 1 });
    for (const [gone, left] of [
      [`00${three}`, [three, `0${three}`]],
      [`0${three}`, [three]],
    ] as const) {
      await api`delete from item_alias where alias = ${gone}`;
      expect(await teach(api, gone, 'D')).toMatchObject({ is_new: false });
      const rows = await sql`select alias from alias_gtin where gtin = ${`00${three}`} order by alias desc`;
      expect(rows.map(({ alias }) => alias).sort()).toEqual([...left].sort());
    }
    expect(await itemsOf(api, [three!, `0${three}`, `00${three}`])).toEqual(['A', 'A', 'A']);
    await api`delete from item_alias where alias = ${three!}`;
    expect(await teach(api, `0${three}`, 'D')).toMatchObject({ is_new: true, named: 4 });
    expect((await listSharedGtins(sql, 10)).map(({ gtin }) => gtin)).toEqual([`00${shared}`]);
    // The database stops writes to the table itself, too.
    await expect(sql`insert into item_alias (alias, part_no) values (${three!}, 1)`).rejects.toMatchObject({
      constraint_name: 'alias_gtin_pkey',
    });
  });
});
