import { foldArrivals } from '@inventory/db/lists/fold-arrivals';
import { listLots } from '@inventory/db/lists/list-lots';
import { listTransactions } from '@inventory/db/lists/list-transactions';
import { seed, transactionsFor } from '@inventory/db/operator/seed';
import type { Sql, Tx } from '@inventory/db/postgres/pool';
import type { Page } from '@inventory/paging/page';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';

// A young database is given the counts of a hundred million lots and transactions, issued long ago,
// without their rows.
const lots = 3000;
const inStockAtMost = 20;
const wids = [1, 2, 3];
const agedChapters = 1500;
const counted = [
  'lot_block',
  'lot_block_count',
  'lot_chapter_count',
  'lot_volume',
  'lot_volume_count',
  'transaction_block_count',
  'transaction_chapter_count',
  'transaction_volume_count',
];

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
  const { sql } = database;
  const size = { items: 50, warehouses: wids.length, lots, transactions: transactionsFor(lots) };
  await seed(sql, size, () => {});
});
afterAll(() => database?.drop());

/** Adds old blocks and chapters, already folded and cut, in front of those of the existing lots. */
async function growOld(sql: Sql) {
  const begun = {
    lot_block: ['block', 'chapter'],
    lot_block_count: ['block', 'chapter'],
    lot_chapter_count: ['chapter'],
  };
  for (const [table, columns] of Object.entries(begun)) {
    for (const column of columns) {
      await sql.unsafe(`update ${table} set ${column} = '2000-01-01' where ${column} = '-infinity'`);
    }
  }
  await sql`insert into lot_block (block, chapter, lots) values ('-infinity', '-infinity', 0)`;
  await sql`
    insert into lot_block (block, chapter, lots)
    select at + block * interval '1 second', at, 1024
    from generate_series(1, ${agedChapters}::integer) as chapter
    cross join lateral (select timestamptz '1990-01-01' + chapter * interval '1 hour') as old (at)
    cross join generate_series(0, 63) as block`;
  await sql`
    insert into lot_chapter_count (wid, chapter, lots, active)
    select wid, timestamptz '1990-01-01' + chapter * interval '1 hour', 21845, 0
    from generate_series(1, ${agedChapters}::integer) as chapter
    cross join unnest(${wids}::integer[]) as wid
    order by 1, 2`;
  await sql`select bind_lot_volumes()`;
  await sql`
    insert into lot_block_count (wid, chapter, block, lots, active)
    select wid, chapter, block, 341, 0
    from lot_block
    cross join unnest(${wids}::integer[]) as wid
    where block > '-infinity' and block < '2000-01-01'
    order by 1, 2, 3`;
  await sql`
    insert into transaction_chapter_count (chapter, wid, other_wid, transactions)
    select -chapter, wid, 0, 21845
    from generate_series(1, ${agedChapters}::integer) as chapter
    cross join unnest(${wids}::integer[]) as wid
    order by 1, 2`;
  await sql`
    insert into transaction_volume_count (volume, wid, other_wid, transactions)
    select chapter >> 6, wid, 0, sum(transactions)
    from transaction_chapter_count
    where chapter < 0
    group by 1, 2
    order by 1, 2`;
  await sql`vacuum (analyze) lot_block, lot_block_count, lot_chapter_count, lot_volume, lot_volume_count,
    transaction_chapter_count, transaction_volume_count`;
}

/** Counts the rows and index entries that `work` reads in the tables of counts. */
async function touchedBy(work: (sql: Sql) => Promise<unknown>): Promise<number> {
  return database.sql.begin('isolation level repeatable read', async (tx) => {
    // Work that other sessions did on this connection does not count.
    await tx`set local max_parallel_workers_per_gather = 0`;
    const before = await countTouched(tx);
    await work(tx as unknown as Sql);
    return (await countTouched(tx)) - before;
  });
}

async function countTouched(tx: Tx): Promise<number> {
  const [row] = await tx<{ touched: number }[]>`
    select (
        select sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))
        from pg_class
        where relname = any(${counted}::text[])
      )::bigint + (
        select sum(pg_stat_get_xact_tuples_returned(indexrelid))
        from pg_index
        join pg_class on pg_class.oid = indrelid
        where relname = any(${counted}::text[])
      )::bigint as touched`;
  return row!.touched;
}

function numbersOf({ records }: Page): number[] {
  return JSON.parse(`[${records}]`).map(
    ({ recNo, transactionNo }: Record<string, number>) => recNo ?? transactionNo,
  );
}

const newest = { page: 1, pageSize: 25, sort: undefined, direction: 'asc' } as const;
const pages: Record<string, (sql: Sql) => Promise<Page>> = {
  'all lots': (sql) => listLots(sql, newest, wids, {}),
  'lots of one warehouse': (sql) => listLots(sql, newest, [2], {}),
  'lots in stock': (sql) => listLots(sql, newest, wids, { inStock: true }),
  'the last lots in stock': (sql) => listLots(sql, { ...newest, pageSize: 250 }, wids, { inStock: true }),
  'lots that are not in stock': (sql) => listLots(sql, newest, wids, { inStock: false }),
  'the history': (sql) => listTransactions(sql, newest, wids, {}),
  'the history of one warehouse': (sql) => listTransactions(sql, newest, wids, { wid: 3 }),
};

test('the newest pages and folding read a bounded number of rows, however long the history', async () => {
  const { sql } = database;
  // Less than a page is in stock.
  await sql`update lot set units = 0, active = false, shipped = now() where rec_no > ${inStockAtMost}`;
  await foldArrivals(sql, 60_000);
  const young = new Map<string, number[]>();
  for (const [name, read] of Object.entries(pages)) young.set(name, numbersOf(await read(sql)));
  await growOld(sql);
  for (const [name, read] of Object.entries(pages)) {
    expect(numbersOf(await read(sql)), name).toEqual(young.get(name));
    // There are three times as many chapters as `agedChapters`, and 64 times as many blocks as that.
    expect(await touchedBy(read), name).toBeLessThan(agedChapters / 5);
  }
  const all = await pages['all lots']!(sql);
  expect(all.totalCount).toBe(lots + agedChapters * wids.length * 21845);

  await sql`update lot set wid = 1 + wid % 3 where rec_no <= ${inStockAtMost}`;
  expect(await touchedBy((tx) => tx`select fold_lot_arrivals()`)).toBeLessThan(agedChapters / 2);
  await sql`update lot set wid = 1 + wid % 3 where rec_no <= ${inStockAtMost}`;
  // Blocks this small force the blocks of these lots to be cut, and then their chapter.
  expect(await touchedBy((tx) => tx`select fold_lot_arrivals(7)`)).toBeLessThan(agedChapters);
  const [cut] =
    await sql`select count(distinct chapter) as chapters from lot_block where chapter >= '2000-01-01'`;
  expect(cut!.chapters).toBeGreaterThan(1);
  const again = await pages['lots in stock']!(sql);
  const [active] = await sql<{ lots: number }[]>`select count(*) as lots from lot where active`;
  expect(again.totalCount).toBe(active!.lots);
});
