import { updateItem } from '@inventory/db/catalog/items';
import { foldArrivals } from '@inventory/db/lists/fold-arrivals';
import { itemPage } from '@inventory/db/lists/list-items';
import { lotPage } from '@inventory/db/lists/list-lots';
import { stockLevelPage } from '@inventory/db/lists/list-stock-levels';
import { transactionPage } from '@inventory/db/lists/list-transactions';
import type { Page } from '@inventory/paging/page';
import type { PageQuery } from '@inventory/paging/page-query';
import type { Sql } from '@inventory/postgres/pool';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { receiveLots, useBatches } from '../harness/queue/batches.ts';
import { uniqueName } from '../harness/service/service.ts';

const batches = useBatches();

// Small, so that a few hundred items fill many blocks and cut them often.
const itemBlock = 4;

/** A list, with its records and their order in plain terms. */
type Tested = {
  key: string;
  field: string;
  read: (sql: Sql, query: PageQuery, wids: number[]) => Promise<Page>;
  records: (sql: Sql, wids: number[]) => ReturnType<Sql>;
  orders: { default: string; asc: string; desc: string };
};

const byKey = { default: 'key', asc: 'key', desc: 'key desc' };
/** Orders by the column `sorted`. */
const bySorted = (standard: string) => ({
  default: standard,
  asc: 'sorted, key',
  desc: 'sorted desc, key desc',
});
const newestFirst = 'received desc, key desc';

const lists: Record<string, Tested> = {
  lots: {
    key: 'received',
    field: 'recNo',
    read: (sql, query, wids) => lotPage(query, wids, {}).read(sql),
    records: (sql, wids) => sql`select rec_no as key, received from lot where wid = any(${wids}::integer[])`,
    orders: { default: newestFirst, asc: 'received, key', desc: newestFirst },
  },
  lotsInStock: {
    key: 'received',
    field: 'recNo',
    read: (sql, query, wids) => lotPage(query, wids, { inStock: true }).read(sql),
    records: (sql, wids) =>
      sql`select rec_no as key, received from lot where wid = any(${wids}::integer[]) and active`,
    orders: { default: newestFirst, asc: 'received, key', desc: newestFirst },
  },
  emptyLots: {
    key: 'received',
    field: 'recNo',
    read: (sql, query, wids) => lotPage(query, wids, { inStock: false }).read(sql),
    records: (sql, wids) =>
      sql`select rec_no as key, received from lot where wid = any(${wids}::integer[]) and units = 0`,
    orders: { default: newestFirst, asc: 'received, key', desc: newestFirst },
  },
  history: {
    key: 'transactionNo',
    field: 'transactionNo',
    read: (sql, query, wids) => transactionPage(query, wids, {}).read(sql),
    records: (sql, wids) => sql`
      select transaction_no as key
      from stock_transaction
      where status = 'applied' and (wid = any(${wids}::integer[]) or to_wid = any(${wids}::integer[]))`,
    orders: { default: 'key desc', asc: 'key', desc: 'key desc' },
  },
  levels: {
    key: 'partNo',
    field: 'partNo',
    read: (sql, query, wids) => stockLevelPage(query, wids).read(sql),
    records: (sql, wids) =>
      sql`select distinct part_no as key from stock_level where wid = any(${wids}::integer[]) and used`,
    orders: byKey,
  },
  items: {
    key: 'shortID',
    field: 'shortID',
    read: (sql, query) => itemPage(query, { discontinuedToo: false }).read(sql),
    records: (sql) => sql`select short_id as key from item where not discontinued`,
    orders: byKey,
  },
  allItems: {
    key: 'shortID',
    field: 'shortID',
    read: (sql, query) => itemPage(query, { discontinuedToo: true }).read(sql),
    records: (sql) => sql`select short_id as key from item`,
    orders: byKey,
  },
  lotsByUnits: {
    key: 'units',
    field: 'recNo',
    read: (sql, query, wids) => lotPage(query, wids, {}).read(sql),
    records: (sql, wids) =>
      sql`select rec_no as key, received, units as sorted from lot where wid = any(${wids}::integer[])`,
    orders: bySorted(newestFirst),
  },
  // Blank values come last in both directions.
  lotsBySerial: {
    key: 'serial',
    field: 'recNo',
    read: (sql, query, wids) => lotPage(query, wids, {}).read(sql),
    records: (sql, wids) => sql`
      select rec_no as key, received, serial as sorted from lot where wid = any(${wids}::integer[])`,
    orders: {
      default: newestFirst,
      asc: `sorted = '', sorted, key`,
      desc: `sorted = '', sorted desc, key desc`,
    },
  },
  lotsByShipped: {
    key: 'shipped',
    field: 'recNo',
    read: (sql, query, wids) => lotPage(query, wids, {}).read(sql),
    records: (sql, wids) => sql`
      select rec_no as key, received, shipped as sorted from lot where wid = any(${wids}::integer[])`,
    orders: {
      default: newestFirst,
      asc: 'sorted is null, sorted, key',
      desc: 'sorted is null, sorted desc, key desc',
    },
  },
  emptyLotsByRecNo: {
    key: 'recNo',
    field: 'recNo',
    read: (sql, query, wids) => lotPage(query, wids, { inStock: false }).read(sql),
    records: (sql, wids) => sql`
      select rec_no as key, received, rec_no as sorted
      from lot
      where wid = any(${wids}::integer[]) and units = 0`,
    orders: bySorted(newestFirst),
  },
  lotsInStockAtSpot: {
    key: 'shortID',
    field: 'recNo',
    read: (sql, query, wids) => lotPage(query, wids, { inStock: true, spot: 'A' }).read(sql),
    records: (sql, wids) => sql`
      select rec_no as key, received, short_id as sorted
      from lot
      join item using (part_no)
      where wid = any(${wids}::integer[]) and active and spot = 'A'`,
    orders: bySorted(newestFirst),
  },
  levelsByInStock: {
    key: 'inStock',
    field: 'partNo',
    read: (sql, query, wids) => stockLevelPage(query, wids).read(sql),
    records: (sql, wids) => sql`
      select part_no as key, sum(in_stock) as sorted
      from stock_level
      where wid = any(${wids}::integer[]) and used
      group by part_no`,
    orders: bySorted('key'),
  },
  itemsByDiscontinued: {
    key: 'discontinued',
    field: 'shortID',
    read: (sql, query) => itemPage(query, { discontinuedToo: true }).read(sql),
    records: (sql) => sql`select short_id as key, part_no, discontinued as sorted from item`,
    orders: { default: 'key', asc: 'sorted, part_no', desc: 'sorted desc, part_no desc' },
  },
};

const pages = fc.record({
  list: fc.constantFrom('lots', 'lots', 'lotsInStock', 'emptyLots', 'history', ...Object.keys(lists)),
  wids: fc.constantFrom([1], [2], [1, 2], [2, 1], [3], [1, 2, 3]),
  page: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 400 }), fc.constant(10 ** 9)),
  pageSize: fc.constantFrom(1, 2, 3, 7, 25, 250),
  sort: fc.constantFrom('default', 'asc', 'desc'),
});
type Asked = typeof pages extends fc.Arbitrary<infer T> ? T : never;

/** The page by the list, and by counting and skipping, both at the moment of `sql`. */
async function bothWays(sql: Sql, { list, page, pageSize, sort, ...asked }: Asked) {
  const wids = [...asked.wids];
  const { key, field, read, records, orders } = lists[list]!;
  const direction = sort === 'asc' || sort === 'desc' ? sort : 'asc';
  const query = { page, pageSize, sort: sort === 'default' ? undefined : key, direction } as const;
  const listed = await read(sql, query, wids);
  const rows = await sql`
    select key
    from (${records(sql, wids)}) as records
    order by ${sql.unsafe(orders[sort])}
    limit ${pageSize} offset ${(page - 1) * pageSize}::bigint`;
  const [count] = await sql`select count(*) from (${records(sql, wids)}) as records`;
  const found: Record<string, unknown>[] = JSON.parse(`[${listed.records}]`);
  return {
    found: { totalCount: listed.totalCount, keys: found.map((record) => record[field]) },
    expected: { totalCount: count!.count, keys: rows.map((row) => row.key) },
  };
}

/** At one moment, whatever is written meanwhile. */
async function expectSamePages(sql: Sql, asked: readonly Asked[]): Promise<void> {
  await sql.begin('isolation level repeatable read read only', async (tx) => {
    for (const each of asked) {
      const { found, expected } = await bothWays(tx as unknown as Sql, each);
      expect(found, JSON.stringify(each)).toEqual(expected);
    }
  });
}

const transactions = fc.record({
  kind: fc.constantFrom('receive' as const, 'receive' as const, 'move' as const, 'issue' as const),
  item: fc.integer({ min: 0, max: 400 }),
  units: fc.integer({ min: 1, max: 9 }),
  wid: fc.integer({ min: 1, max: 2 }),
  spot: fc.constantFrom('A', 'B'),
});
type Asking = typeof transactions extends fc.Arbitrary<infer T> ? T : never;

const works = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 1 }), fc.array(transactions, { minLength: 1, maxLength: 12 })),
  {
    minLength: 2,
    maxLength: 6,
  },
);

/** Times of receipt, each as an expression that differs from lot to lot. */
const times = {
  crowded: `timestamptz 'epoch' + 6500000 * interval '262.144 seconds' + rec_no % 4000 * interval '1 millisecond'`,
  'in one millisecond': `timestamptz '2020-02-02T02:02:02.222Z'`,
  'once an hour': `timestamptz '2010-01-01T00:00:00Z' + rec_no % 5000 * interval '1 hour'`,
  'once a century': `timestamptz '1000-01-01T00:00:00Z' + rec_no % 80 * interval '100 years'`,
  'around 1970': `timestamptz '1969-12-31T23:59:58Z' + rec_no % 4000 * interval '1 millisecond'`,
  'at the edges of buckets': `timestamptz 'epoch' + rec_no % 99 * 128 * interval '2.048 seconds'
    - rec_no % 2 * interval '1 millisecond'`,
};

/** The last of the lots that came too close together to be read at once. */
let crowd: number;

/**
 * Stock at all of these times. Most of it was received within three seconds, too much to be read at once, and
 * long stretches of that are empty.
 */
async function receiveAtAllTimes(): Promise<void> {
  const worker = batches.worker();
  const { itemID, recNos } = await receiveLots(batches, 2400, {}, worker);
  for (const units of [900, 900]) {
    await worker.apply([batches.request('issue', { itemID, units, wid: 1 })]);
  }
  crowd = recNos.at(-1)!;
  await receiveLots(batches, 300, {}, worker);
  await receiveLots(batches, 300, { wid: 2 }, worker);
  await batches.sql.unsafe(`update lot set received = ${times.crowded} where rec_no <= ${crowd}`);
  for (const [index, time] of Object.values(times).entries()) {
    await batches.sql.unsafe(
      `update lot set received = ${time} where rec_no > ${crowd} and rec_no % 6 = ${index}`,
    );
  }
}

beforeAll(receiveAtAllTimes, 120_000);

test('every page equals plain ORDER BY and OFFSET at that moment, while stock and items change', async () => {
  const items = [await batches.item()];
  const workers = [batches.worker(), batches.worker()];
  const toRequest = ({ kind, item, units, wid, spot }: Asking) => {
    // Half of the work touches a few items.
    const itemID = items[item % (item % 2 === 0 ? Math.min(items.length, 5) : items.length)];
    if (kind === 'receive') return batches.request(kind, { itemID, units, wid, spot });
    if (kind === 'issue') return batches.request(kind, { itemID, units, wid });
    // Half of them go to the other warehouse: a new lot with an old date, in the middle of the list.
    const to = spot === 'A' ? { toSpot: 'C' } : { shipToWid: 3 - wid };
    return batches.request(kind, { itemID, units, wid, ...to });
  };
  const addItem = async (place: string, change: number) => {
    const shortId = uniqueName(place);
    await batches.sql`insert into item (short_id, created_by) values (${shortId}, 'tests')`;
    items.push(shortId);
    await updateItem(batches.sql, items[change % items.length]!, { discontinued: change % 2 === 0 });
  };
  await fc.assert(
    fc.asyncProperty(
      works,
      fc.array(pages, { minLength: 4, maxLength: 8 }),
      fc.array(fc.tuple(fc.constantFrom('A', 'M', 'Z'), fc.nat(400)), { maxLength: 5 }),
      fc.array(fc.tuple(fc.constantFrom(...Object.values(times)), fc.nat(40)), { maxLength: 2 }),
      fc.boolean(),
      async (work, asked, added, moved, fold) => {
        // By an operator. Not beside the batches, which would lock the same lots in another order.
        for (const [time, rest] of moved) {
          await batches.sql.unsafe(
            `update lot set received = ${time} where rec_no > ${crowd} and rec_no % 41 = ${rest}`,
          );
        }
        const apply = async (own: number) => {
          for (const [worker, requests] of work) {
            if (worker === own) await workers[own]!.apply(requests.map(toRequest));
          }
        };
        await Promise.all([
          apply(0),
          apply(1),
          ...added.map(([place, change]) => addItem(place, change)),
          // Like the workers, which do not know of each other.
          ...(fold ? workers.map(({ pool }) => foldArrivals(pool.sql, 60_000, itemBlock)) : []),
          expectSamePages(batches.sql, asked),
        ]);
        await expectSamePages(batches.sql, asked);
      },
    ),
    { numRuns: 150 },
  );
  const [made] = await batches.sql`
    select (select count(*) from lot where units = 0) as empty_lots,
      (select min(largest) from (
        select max(records) as largest from list_count where tier > 0 group by list, tier
      ) as tiers) as largest,
      (select count(*) from list_count where other_wid > 0 and tier = 0) as of_two,
      (select count(*) from list_count where list = 'lots' and tier = 3) as large_buckets,
      (select count(*) from item_block) as item_blocks`;
  expect(made!.empty_lots).toBeGreaterThan(1800);
  // More than are read at once, in each tier of both lists.
  expect(made!.largest).toBeGreaterThan(2048);
  expect(made!.of_two).toBeGreaterThan(0);
  expect(made!.large_buckets).toBeGreaterThan(80);
  expect(made!.item_blocks).toBeGreaterThan(20);
}, 120_000);

test('a recount gives the same pages', async () => {
  const asked = fc.sample(pages, 50);
  await batches.sql`select recount_lists(), recount_items(), collect_levels()`;
  await expectSamePages(batches.sql, asked);
  await foldArrivals(batches.sql, 60_000, itemBlock);
  await expectSamePages(batches.sql, asked);
});

test('pages stay right when an operator changes or deletes records', async () => {
  const asked = fc.sample(pages, 50);
  const undone = new Error('undone');
  const changed = batches.sql.begin('isolation level repeatable read', async (tx) => {
    await tx`lock table list_count, item_block, level_set in share row exclusive mode`;
    await tx`update lot set received = received + interval '1 second' * (rec_no % 100 - 50) where rec_no % 3 = 0`;
    await tx`update lot set units = 0, active = false, shipped = now() where rec_no % 5 = 0`;
    await tx`update lot set units = 1, active = true, shipped = null where rec_no % 8 = 0`;
    await tx`
      update lot
      set units = (not active)::integer, active = not active, shipped = case when active then now() end, wid = 3 - wid,
        received = received + interval '1 minute' * (rec_no % 2)
      where rec_no % 11 = 0`;
    await tx`delete from lot where rec_no % 7 = 0`;
    await tx`update item set short_id = 'N' || short_id where part_no % 3 = 0`;
    await tx`delete from item where part_no % 7 = 0 and part_no not in (select part_no from stock_level)`;
    await tx`delete from stock_level where part_no % 5 = 0`;
    await tx`update stock_level set used = not used where part_no % 3 = 0`;
    for (let time = 0; time < 2; time++) {
      for (const each of asked) {
        const { found, expected } = await bothWays(tx as unknown as Sql, each);
        expect(found, JSON.stringify(each)).toEqual(expected);
      }
      await tx`
        select fold_list_arrivals(), fold_item_arrivals(${itemBlock}), fold_level_arrivals()`;
    }
    throw undone;
  });
  await expect(changed).rejects.toBe(undone);
});
