import { findItemMatches, findStockMatches, type StockAsk } from '@inventory/db/scan/find-matches';
import { connect, type Sql } from '@inventory/postgres/pool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { lookedAt } from '../harness/stock/lots-looked-at.ts';

// Half of the lots have one value of each mark; the others have a value of their own each.
const lots = 30_000;

let database: TestDatabase;
const connections: Sql[] = [];

beforeAll(async () => {
  database = await createDatabase();
  const { sql } = database;
  await sql`insert into warehouse (wid, name) values (1, 'Main'), (2, 'Overflow'), (3, 'Elsewhere')`;
  await sql`
    insert into item (short_id, created_by) select 'ITEM-' || n, 'tests' from generate_series(1, 3000) as n`;
  await sql`alter table lot set (autovacuum_enabled = off)`;
  // Item 1 has every tenth lot. One in seven is on hold, one in three is used up, and half of all are in
  // warehouse 3.
  await sql`
    insert into lot (part_no, wid, spot, units, serial, serial2, rfid_tag, hold, active, received, shipped, modified)
    select case when n % 10 = 0 then 1 else 2 + n % 2990 end, 1 + 2 * (n % 2), mark, units, mark, mark, mark,
      n % 7 = 0 and units > 0, units > 0, now(), case when units = 0 then now() end, now()
    from (
      select n, case when n % 4 < 2 then 'COMMON' else 'OWN-' || n end as mark, case when n % 3 = 0 then 0 else 1 end as units
      from generate_series(1, ${lots}::integer) as n
    ) as made`;
});

afterAll(async () => {
  for (const each of connections) await each.end();
  await database?.drop();
});

const kinds = ['serial', 'serial2', 'rfidTag', 'spot'] as const;
const asksOf = (values: readonly string[], partNo: number | null = null): StockAsk[] =>
  values.flatMap((value) =>
    kinds.flatMap((kind) =>
      kind === 'spot' && partNo !== null ? [] : [{ kind, value, partNo, other: null }],
    ),
  );
const count = 200;
const own = Array.from({ length: count }, (_, index) => `OWN-${4 * index + 2}`);
const unknown = Array.from({ length: count }, (_, index) => `UNKNOWN-${index}`);

/** A connection with the settings of the api's cheap reads. */
function open(): Sql {
  const sql = connect(database.url, { name: 'scans', connectionsMax: 1 });
  connections.push(sql);
  return sql;
}

const looksOf = (sql: Sql, asks: readonly StockAsk[], wids: readonly number[] = [1, 2]) =>
  sql.begin((tx) => lookedAt(tx, () => findStockMatches(tx, asks, wids, 21)));

const states: [state: string, prepare: () => Promise<unknown>][] = [
  ['was never analysed', async () => {}],
  [
    'was analysed while it was empty',
    () => database.sql`update pg_class set reltuples = 0, relpages = 0 where relname = 'lot'`,
  ],
  ['was analysed', () => database.sql`analyze lot`],
];

test.each(states)('a scan looks at few lots when the table %s', async (_, prepare) => {
  await prepare();
  // In the order of a connection's life: the first plans are kept for later calls.
  const sql = open();
  for (let round = 0; round < 8; round++) {
    // A lot each, which is found by an index and then read, whatever else there is.
    expect((await looksOf(sql, asksOf(own))).rows).toBeLessThan(count * kinds.length * 4);
    expect((await looksOf(sql, asksOf(unknown))).rows).toBeLessThan(count * kinds.length);
    // 7,500 lots in scope have it.
    expect((await looksOf(sql, asksOf(['COMMON']))).rows).toBeLessThan(3 * (2 * 100 + 3 * 21) + 20);
    // Of an item, wherever else its number is used.
    expect((await looksOf(sql, asksOf(['COMMON'], 1))).rows).toBeLessThan(3 * 6 * 21 + 3000);
    expect((await looksOf(sql, asksOf(['COMMON'], 2999))).rows).toBeLessThan(50);
    expect((await looksOf(sql, asksOf(unknown, 1500))).rows).toBeLessThan(count * 3 * 30);
    // In a warehouse without lots, nothing is looked at.
    expect((await looksOf(sql, asksOf([...own, 'COMMON']), [2])).rows).toBe(0);
  }
});

test('items and aliases are found by their indexes, however many there are', async () => {
  const sql = open();
  await database.sql`
    insert into item_alias (alias, part_no) select 'ALIAS-' || n, n from generate_series(1, 3000) as n`;
  const names = Array.from({ length: 1000 }, (_, index) =>
    index % 2 === 0 ? `ITEM-${index}` : `ALIAS-${index}`,
  );
  const found = await sql.begin((tx) => findItemMatches(tx, names));
  expect(found).toHaveLength(999);
  expect(found.every(({ name, partNo }) => name.endsWith(`-${partNo}`))).toBe(true);
});
