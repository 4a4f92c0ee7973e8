import { itemPage } from '@inventory/db/lists/list-items';
import type { ListReading } from '@inventory/db/lists/pages/list-reading';
import type { PageQuery } from '@inventory/paging/page-query';
import { connect, isStatementTimeout, type Sql } from '@inventory/postgres/pool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { countRowsRead } from '../harness/watch/rows-read.ts';

const items = 6000;
// Nine of ten items have the common word; one in a thousand is discontinued.
const common = 'gewöhnlich';

let database: TestDatabase;
let looks: Sql;
let lists: Sql;
const connections: Sql[] = [];

beforeAll(async () => {
  database = await createDatabase();
  const { sql } = database;
  for (const table of ['item', 'item_alias'])
    await sql.unsafe(`alter table ${table} set (autovacuum_enabled = off)`);
  await sql`
    insert into item (short_id, description, discontinued, created_by)
    select 'ITEM-' || (n * 7919 % ${items}), case when n % 10 = 0 then 'Rar ' || n else 'Gewöhnlich 鋼' || n end, n % 1000 = 0, 'tests'
    from generate_series(1, ${items}::integer) as n`;
  await sql`
    insert into item_alias (alias, part_no)
    select case when n % 3 = 0 then 'ALIAS-' || n else '0400' || n end, n from generate_series(1, ${items}::integer) as n`;
  looks = open({ byIndex: true });
  lists = open({});
});

afterAll(async () => {
  for (const each of connections) await each.end();
  await database?.drop();
});

function open(settings: { byIndex?: boolean }): Sql {
  const sql = connect(database.url, {
    ...{ name: 'search', connectionsMax: 1, oneProcess: true },
    ...settings,
  });
  connections.push(sql);
  return sql;
}

const firstPage: PageQuery = { page: 1, pageSize: 25, sort: undefined, direction: 'asc' };
const searched = (search: string, query: Partial<PageQuery> = {}, discontinuedToo = true) =>
  itemPage({ ...firstPage, ...query }, { discontinuedToo, search });
/** How to read the list from few items; null: it has more. A look that took too long is repeated. */
async function fewOf(reading: ListReading): Promise<ListReading['read'] | null> {
  if (reading.cost !== 'matches') return null;
  for (let tries = 1; ; tries++) {
    try {
      return await reading.findFew(looks);
    } catch (error) {
      if (!isStatementTimeout(error) || tries === 20) throw error;
    }
  }
}

/** The number of matches, and of rows that were read for them. */
async function countRead(sql: Sql, read: ListReading['read']) {
  const of = { tables: ['item', 'item_alias'], without: [] };
  const { result, rows } = await countRowsRead(sql, of, read);
  return { totalCount: result.totalCount, rows };
}

const states: [state: string, prepare: () => Promise<unknown>][] = [
  ['was never analysed', async () => {}],
  [
    'was analysed while it was empty',
    () =>
      database.sql`update pg_class set reltuples = 0, relpages = 0 where relname in ('item', 'item_alias')`,
  ],
  ['was analysed', () => database.sql`analyze item, item_alias`],
];

test.each(states)('a text of few items is found by its index when the table %s', async (_, prepare) => {
  await prepare();
  const texts = { 'item-4321': 1, 'rar 77': 1, 'ALIAS-599': 3, 鋼5999: 1, '04005': 742, 'nothing of it': 0 };
  for (let round = 0; round < 7; round++) {
    for (const [search, count] of Object.entries(texts)) {
      const few = await fewOf(searched(search));
      expect(few, search).not.toBe(null);
      const { totalCount, rows } = await countRead(lists, few!);
      expect({ search, totalCount }).toEqual({ search, totalCount: count });
      // Candidates, the items found, and those of the page.
      expect(rows, search).toBeLessThan(4 * count + 200);
    }
  }
});

test('a text of many items is left to the costly lists, and so is one without pieces', async () => {
  for (const search of [common, common.toUpperCase(), 'ITEM-', '0400', '鋼'])
    expect(await fewOf(searched(search)), search).toBe(null);
  for (const search of ['e', '-1', 'IT', 'ß']) expect(searched(search).cost, search).toBe('everything');
  expect(searched('').cost).toBe('page');
});

test('of few changes, each is checked, whatever the text', async () => {
  const [row] = await database.sql<{ modified: Date }[]>`
    update item set modified = change_moment() where part_no in (11, 20, 1000) returning modified`;
  for (const [search, count] of [
    [common, 1],
    ['a', 1],
    ['00', 2],
  ] as const) {
    const few = await fewOf(searched(search, { modifiedSince: row!.modified }, false));
    const { totalCount, rows } = await countRead(lists, few!);
    expect({ search, totalCount }).toEqual({ search, totalCount: count });
    expect(rows).toBeLessThan(100);
  }
});

test('pages and totals are those of the whole list, whichever way they are read', async () => {
  const all = JSON.parse(
    `[${(await lists`select json_agg(item order by short_id) from item`)[0]!.json_agg.map((item: object) => JSON.stringify(item)).join()}]`,
  );
  expect(all).toHaveLength(items);
  for (const [search, matches] of [
    [common, (item: { description: string }) => item.description.startsWith('Gew')],
    ['rar 77', (item: { description: string }) => item.description.startsWith('Rar 77')],
  ] as const) {
    for (const discontinuedToo of [true, false]) {
      const expected = all.filter(
        (item: { description: string; discontinued: boolean }) =>
          matches(item) && (discontinuedToo || !item.discontinued),
      );
      for (const page of [1, 2, Math.ceil(expected.length / 250), 1000]) {
        const reading = searched(search, { page, pageSize: 250 }, discontinuedToo);
        const few = await fewOf(reading);
        for (const read of few === null ? [reading.read] : [reading.read, few]) {
          const { records, totalCount } = await read(lists);
          expect(totalCount).toBe(expected.length);
          expect(JSON.parse(`[${records}]`).map(({ partNo }: { partNo: number }) => partNo)).toEqual(
            expected.slice(250 * (page - 1), 250 * page).map((item: { part_no: number }) => item.part_no),
          );
        }
      }
    }
  }
});
