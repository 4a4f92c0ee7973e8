import { updateItem } from '@inventory/db/catalog/items';
import { lotPage } from '@inventory/db/lists/list-lots';
import { holdLot, releaseLot } from '@inventory/db/operator/holds';
import { renameWarehouse } from '@inventory/db/operator/rename-warehouse';
import { seed, transactionsFor } from '@inventory/db/operator/seed';
import type { PageQuery } from '@inventory/paging/page-query';
import { connect, type Sql, type Tx } from '@inventory/postgres/pool';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';

const lots = 60_000;
const wids = [1, 2, 3];
// One item with many lots and one with a few, all unchanged.
const many = { shortId: 'SEED-00000001', lots: 4000 };
const few = { shortId: 'SEED-00000400', lots: 12 };

let database: TestDatabase;
let looks: Sql;
let since: Date;

beforeAll(async () => {
  database = await createDatabase();
  const { sql } = database;
  await seed(
    sql,
    { items: 500, warehouses: wids.length, lots, transactions: transactionsFor(lots) },
    () => {},
  );
  // Only where the lots lie matters here, so their new gates need not exist.
  const give = async ({ shortId, lots }: typeof many, from: number) => {
    const [item] = await sql<{ part_no: number }[]>`select part_no from item where short_id = ${shortId}`;
    await sql`update lot set part_no = ${item!.part_no + 1} where part_no = ${item!.part_no}`;
    await sql`
      update lot
      set part_no = ${item!.part_no}
      where rec_no in (
        select rec_no from lot where wid = any(${wids}::integer[]) order by rec_no offset ${from} limit ${lots}
      )`;
  };
  await give(many, 0);
  await give(few, 30_000);
  await sql`vacuum analyze lot`;
  looks = connect(database.url, { name: 'looks', connectionsMax: 1, byIndex: true });
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() + interval '1 millisecond' as now`;
  since = row!.now;
});

afterAll(async () => {
  await looks?.end();
  await database?.drop();
});

/** The rows and index entries of lots that a page reads, and the page itself. */
async function read(query: Partial<PageQuery>, inScope = wids) {
  const asked = {
    ...{ page: 1, pageSize: 25, sort: undefined, direction: 'asc', modifiedSince: since },
    ...query,
  } as PageQuery;
  const reading = lotPage(asked, inScope, {});
  return database.sql.begin(async (tx) => {
    // Work that other sessions did on this connection does not count.
    await tx`set local max_parallel_workers_per_gather = 0`;
    const before = await countTouched(tx);
    const { totalCount } = await reading.read(tx as unknown as Sql);
    const touched = (await countTouched(tx)) - before;
    const hasFew = reading.cost === 'matches' && (await reading.findFew(looks)) !== null;
    return { totalCount, touched, hasFew };
  });
}

/** Counts of this connection, from some moment on. */
async function countTouched(tx: Tx): Promise<number> {
  const [row] = await tx<{ touched: number }[]>`
    select pg_stat_get_xact_tuples_returned('lot'::regclass) + pg_stat_get_xact_tuples_fetched('lot'::regclass)
      + sum(pg_stat_get_xact_tuples_returned(indexrelid))::bigint as touched
    from pg_index
    where indrelid = 'lot'::regclass`;
  return row!.touched;
}

const sorts = [undefined, 'recNo', 'spot'];

describe('modifiedSince on lots', () => {
  test.each(sorts)('reads the changed lots, not all there are (sort: %s)', async (sort) => {
    await updateItem(database.sql, few.shortId, { description: `new for ${sort}` });
    const { totalCount, touched, hasFew } = await read({ sort });
    expect(totalCount).toBe(few.lots);
    expect(hasFew).toBe(true);
    // Each lot once for the page, once for the count (by index and row), and once for its record.
    expect(touched).toBeLessThan(10 * few.lots);
    const everything = await read({ sort: 'units', modifiedSince: undefined });
    expect(everything.touched).toBeGreaterThanOrEqual(lots);
  });

  test.each([1, 40, 160])(
    'reads the many lots of an item that has changed, and no others (page %i)',
    async (page) => {
      for (const { shortId } of [few, many]) {
        await updateItem(database.sql, shortId, { description: `new for ${page}` });
      }
      const { totalCount, touched, hasFew } = await read({ page });
      expect(totalCount).toBe(many.lots + few.lots);
      // A list with many lots waits in turn with the costly ones.
      expect(hasFew).toBe(false);
      expect(touched).toBeLessThan(6 * totalCount);
    },
  );

  test('reads the lots of the transactions, holds and releases since, and no others', async () => {
    const [row] = await database.sql<{ now: Date }[]>`select change_moment() as now`;
    const isIn = async (recNo: number) => {
      const { totalCount, touched, hasFew } = await read({ modifiedSince: row!.now });
      expect(hasFew).toBe(true);
      expect(touched).toBeLessThan(100);
      expect(totalCount).toBe(1);
      const [lot] =
        await database.sql`select modified >= ${row!.now} as is_new from lot where rec_no = ${recNo}`;
      return lot!.is_new;
    };
    const [held] = await database.sql<{ rec_no: number }[]>`
      select rec_no from lot join stock_level using (part_no, wid) where active and not lot.hold limit 1`;
    expect(await holdLot(database.sql, { recNo: held!.rec_no, reason: 'looked at' })).toBe('held');
    expect(await isIn(held!.rec_no)).toBe(true);
    expect(await releaseLot(database.sql, held!.rec_no)).toBe('released');
    expect(await isIn(held!.rec_no)).toBe(true);
  });

  test('a new name of a warehouse changes its lots', async () => {
    const [row] = await database.sql<{ now: Date; lots: number }[]>`
      select change_moment() as now, (select count(*) from lot where wid = 3) as lots`;
    await renameWarehouse(database.sql, { wid: 3, name: 'South' });
    const { totalCount, hasFew } = await read({ modifiedSince: row!.now });
    expect(totalCount).toBe(row!.lots);
    expect(hasFew).toBe(false);
    expect((await read({ modifiedSince: row!.now }, [1, 2])).totalCount).toBe(0);
  });

  const written = [
    ['updated', 'a new description of an item writes to none of its lots', 0],
    ['hot_updated', 'an issue of a part of a lot writes to none of the indexes of lots', 1],
  ] as const;
  test.each(written)('(tuples %s) %s', async (counted, title, expected) => {
    const count = async (tx: Tx) => {
      const [row] = await tx.unsafe(`select pg_stat_get_xact_tuples_${counted}('lot'::regclass) as count`);
      return row!.count as number;
    };
    const grown = await database.sql.begin(async (tx) => {
      const before = await count(tx);
      if (expected === 0) await updateItem(tx as unknown as Sql, many.shortId, { description: title });
      else {
        await tx`
          update lot
          set units = units - 1, modified = change_moment()
          where rec_no = (select rec_no from lot where units > 1 limit 1)`;
      }
      return (await count(tx)) - before;
    });
    expect(grown).toBe(expected);
  });
});
