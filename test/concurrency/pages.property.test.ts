import type { Sql } from '@inventory/db/client';
import { foldLotArrivals } from '@inventory/db/fold-lot-arrivals';
import { listLots } from '@inventory/db/lots';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useBatches } from '../harness/batches.ts';

const batches = useBatches();

// Small, so that a few hundred lots make many of them and cut them often.
const sizes = { block: 4, chapter: 3 };

const pages = fc.record({
  wids: fc.constantFrom([1], [2], [1, 2], [2, 1], [3], [1, 2, 3]),
  page: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 400 }), fc.constant(10 ** 9)),
  pageSize: fc.constantFrom(1, 2, 3, 7, 25, 250),
  order: fc.constantFrom('default', 'asc', 'desc'),
});
type Asked = typeof pages extends fc.Arbitrary<infer T> ? T : never;

/** What the list says and what counting and skipping says, both at the moment of `sql`. */
async function bothWays(sql: Sql, { wids, page, pageSize, order }: Asked) {
  const listed = await listLots(
    sql,
    {
      page,
      pageSize,
      sort: order === 'default' ? undefined : 'received',
      direction: order === 'asc' ? 'asc' : 'desc',
    },
    wids,
    {},
  );
  const direction = sql.unsafe(order === 'asc' ? 'asc' : 'desc');
  const rows = await sql<{ rec_no: number }[]>`
    select rec_no
    from lot
    where wid = any(${wids}::integer[])
    order by received ${direction}, rec_no ${direction}
    limit ${pageSize} offset ${(page - 1) * pageSize}::bigint`;
  const [count] = await sql<
    { count: number }[]
  >`select count(*) from lot where wid = any(${wids}::integer[])`;
  const records: { recNo: number }[] = JSON.parse(`[${listed.records}]`);
  return {
    found: { totalCount: listed.totalCount, recNos: records.map(({ recNo }) => recNo) },
    expected: { totalCount: count!.count, recNos: rows.map((row) => row.rec_no) },
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
  item: fc.integer({ min: 0, max: 4 }),
  units: fc.integer({ min: 1, max: 9 }),
  wid: fc.integer({ min: 1, max: 2 }),
  spot: fc.constantFrom('A', 'B'),
});
type Asking = typeof transactions extends fc.Arbitrary<infer T> ? T : never;

test('every page is what plain ORDER BY and OFFSET give at that moment, while two workers receive, move and issue', async () => {
  const items = await Promise.all(Array.from({ length: 5 }, () => batches.item()));
  const workers = [batches.worker(), batches.worker()];
  const toRequest = ({ kind, item, units, wid, spot }: Asking) => {
    const itemID = items[item];
    if (kind === 'receive') return batches.request(kind, { itemID, units, wid, spot });
    if (kind === 'issue') return batches.request(kind, { itemID, units, wid });
    // Half of them to the other warehouse: a new lot with an old date, in the middle of the list.
    const to = spot === 'A' ? { toSpot: 'C' } : { shipToWid: 3 - wid };
    return batches.request(kind, { itemID, units, wid, ...to });
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(fc.integer({ min: 0, max: 1 }), fc.array(transactions, { minLength: 1, maxLength: 12 })),
        {
          minLength: 2,
          maxLength: 6,
        },
      ),
      fc.array(pages, { minLength: 4, maxLength: 8 }),
      fc.boolean(),
      async (work, asked, fold) => {
        const apply = async (own: number) => {
          for (const [worker, requests] of work) {
            if (worker === own) await workers[own]!.apply(requests.map(toRequest));
          }
        };
        await Promise.all([
          apply(0),
          apply(1),
          fold ? foldLotArrivals(batches.sql, sizes) : undefined,
          expectSamePages(batches.sql, asked),
        ]);
        await expectSamePages(batches.sql, asked);
      },
    ),
    { numRuns: 150 },
  );
  const [made] = await batches.sql`
    select (select count(*) from lot) as lots, (select count(*) from lot_block) as blocks,
      (select count(distinct chapter) from lot_block) as chapters`;
  expect(made!.lots).toBeGreaterThan(1000);
  expect(made!.blocks).toBeGreaterThan(100);
  expect(made!.chapters).toBeGreaterThan(20);
}, 120_000);

test('counting anew gives the same pages', async () => {
  const asked = fc.sample(pages, 50);
  await batches.sql`select recount_lots()`;
  await expectSamePages(batches.sql, asked);
  await foldLotArrivals(batches.sql, sizes);
  await expectSamePages(batches.sql, asked);
});

test('a lot that an operator relocates or deletes leaves the counts right', async () => {
  const asked = fc.sample(pages, 50);
  const { sql } = batches;
  const undone = new Error('undone');
  await sql
    .begin('isolation level repeatable read', async (tx) => {
      await tx`lock table lot_block in share row exclusive mode`;
      await tx`alter table stock_entry drop constraint stock_entry_rec_no_fkey`;
      await tx`update lot set received = received + interval '1 second' * (rec_no % 100 - 50) where rec_no % 3 = 0`;
      await tx`delete from lot where rec_no % 7 = 0`;
      for (let time = 0; time < 2; time++) {
        for (const each of asked) {
          const { found, expected } = await bothWays(tx as unknown as Sql, each);
          expect(found, JSON.stringify(each)).toEqual(expected);
        }
        await tx`select fold_lot_arrivals(${sizes.block}, ${sizes.chapter})`;
      }
      throw undone;
    })
    .catch((error) => {
      if (error !== undone) throw error;
    });
});
