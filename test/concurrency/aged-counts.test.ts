import { foldArrivals } from '@inventory/db/lists/fold-arrivals';
import { lotPage } from '@inventory/db/lists/list-lots';
import { transactionPage } from '@inventory/db/lists/list-transactions';
import { seed, transactionsFor } from '@inventory/db/operator/seed';
import type { Page } from '@inventory/paging/page';
import type { Sql, Tx } from '@inventory/postgres/pool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';

// A young database is given the counts of 120 million old lots and transactions, issued long ago, without
// their rows.
const lots = 3000;
const inStockAtMost = 20;
const wids = [1, 2, 3];
const agedBuckets = 2000;

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
  const { sql } = database;
  const size = { items: 50, warehouses: wids.length, lots, transactions: transactionsFor(lots) };
  await seed(sql, size, () => {});
});
afterAll(() => database?.drop());

/** Adds the counts of old buckets of tier 2, already folded, in front of those of the existing records. */
async function growOld(sql: Sql) {
  await sql`
    insert into list_count (list, tier, wid, other_wid, bucket, records, active)
    select list, 2, wid, 0, -n, 20000, 0
    from unnest(array['lots', 'transactions']) as list
    cross join generate_series(1, ${agedBuckets}::integer) as n
    cross join unnest(${wids}::integer[]) as wid
    order by list, wid, n`;
  await sql`
    insert into list_count (list, tier, wid, other_wid, bucket, records, active)
    select list, 3, wid, 0, bucket >> 7, sum(records), 0
    from list_count
    where tier = 2 and bucket < 0
    group by list, wid, bucket >> 7`;
  await sql`vacuum (analyze) list_count`;
}

/** Counts the rows and index entries of the counts that `work` reads. */
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
        where relname = 'list_count'
      )::bigint + (
        select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index where indrelid = 'list_count'::regclass
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
  'all lots': (sql) => lotPage(newest, wids, {}).read(sql),
  'lots of one warehouse': (sql) => lotPage(newest, [2], {}).read(sql),
  'lots in stock': (sql) => lotPage(newest, wids, { inStock: true }).read(sql),
  'the last lots in stock': (sql) => lotPage({ ...newest, pageSize: 250 }, wids, { inStock: true }).read(sql),
  'lots that are not in stock': (sql) => lotPage(newest, wids, { inStock: false }).read(sql),
  'the history': (sql) => transactionPage(newest, wids, {}).read(sql),
  'the history of one warehouse': (sql) => transactionPage(newest, wids, { wid: 3 }).read(sql),
};

test('a list with a few lots a day adds up only the largest buckets, and reads one of them', async () => {
  const { sql } = database;
  const [counts] = await sql<{ largest: number; all: number }[]>`
    select count(*) filter (where tier = 3) as largest, count(*) as all from list_count where list = 'lots'`;
  expect(counts!.all).toBeGreaterThan(lots);
  // A row and its index entry each.
  expect(await touchedBy(pages['all lots']!)).toBeLessThanOrEqual(2 * counts!.largest);
});

// For each bucket of a larger one, in each tier and warehouse.
const touchedMax = 2 * 128 * 4 * wids.length;

test('the newest pages and folding read a bounded number of counts, however long the history', async () => {
  const { sql } = database;
  // Less than a page is in stock. More lots than are read at once came within some seconds.
  await sql`update lot set units = 0, active = false, shipped = now() where rec_no > ${inStockAtMost}`;
  await sql`update lot set received = timestamptz '2024-05-05T05:05:05Z' + rec_no * interval '1 millisecond'`;
  await foldArrivals(sql, 60_000);
  const young = new Map<string, number[]>();
  for (const [name, read] of Object.entries(pages)) young.set(name, numbersOf(await read(sql)));
  await growOld(sql);
  expect(touchedMax).toBeLessThan(agedBuckets * wids.length);
  for (const [name, read] of Object.entries(pages)) {
    expect(numbersOf(await read(sql)), name).toEqual(young.get(name));
    expect(await touchedBy(read), name).toBeLessThan(touchedMax);
  }
  const all = await pages['all lots']!(sql);
  expect(all.totalCount).toBe(lots + agedBuckets * wids.length * 20_000);

  await sql`update lot set wid = 1 + wid % 3 where rec_no <= ${inStockAtMost}`;
  expect(await touchedBy((tx) => tx`select fold_list_arrivals()`)).toBeLessThan(touchedMax);
  const again = await pages['lots in stock']!(sql);
  const [active] = await sql<{ lots: number }[]>`select count(*) as lots from lot where active`;
  expect(again.totalCount).toBe(active!.lots);
});
