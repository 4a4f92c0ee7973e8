import { createItem, drawPartNo, updateItem } from '@inventory/db/catalog/items';
import { listItems } from '@inventory/db/lists/list-items';
import { listLots } from '@inventory/db/lists/list-lots';
import { listStockLevels } from '@inventory/db/lists/list-stock-levels';
import { readNextModifiedSince } from '@inventory/db/lists/next-modified-since';
import { holdLot, releaseLot } from '@inventory/db/operator/holds';
import { setOrderQuantities } from '@inventory/db/operator/order-quantities';
import { connect, type Sql } from '@inventory/db/postgres/pool';
import type { Page } from '@inventory/paging/page';
import type { PageQuery } from '@inventory/paging/page-query';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { meanwhile } from '../harness/meanwhile.ts';
import { applyHeld, holdOpen } from '../harness/network/held-open.ts';
import { useBatches } from '../harness/queue/batches.ts';
import { uniqueName } from '../harness/service/service.ts';

const batches = useBatches();
let pool: Sql | undefined;
afterAll(() => pool?.end({ timeout: 5 }));

type Record = { [field: string]: unknown };

/**
 * A client that mirrors a list from its pages alone, starting each walk at the moment that the first page of
 * the previous walk gave.
 */
type Mirror = { sync(betweenPages?: () => Promise<void>): Promise<void>; expectExact(): Promise<void> };

function mirrorOf(sql: Sql, key: string, read: (query: PageQuery) => Promise<Page>): Mirror {
  const kept = new Map<unknown, Record>();
  let since: Date | undefined;
  const pageOf = async (page: number, pageSize: number, modifiedSince?: Date) => {
    const query = { page, pageSize, sort: undefined, direction: 'asc', modifiedSince } as const;
    const { totalCount, records } = await read(query);
    return { totalCount, records: JSON.parse(`[${records}]`) as Record[] };
  };
  return {
    async sync(betweenPages = async () => {}) {
      let next: Date | undefined;
      for (let page = 1; ; page++) {
        // As the api does, but without its margin for the clock, which would hide the error this looks for.
        next ??= await readNextModifiedSince(sql, { margin: 0 });
        const { totalCount, records } = await pageOf(page, 3, since);
        for (const record of records) kept.set(record[key], record);
        if (page * 3 >= totalCount) break;
        await betweenPages();
      }
      since = next;
    },
    async expectExact() {
      const whole: Record[] = [];
      for (let page = 1; ; page++) {
        const { totalCount, records } = await pageOf(page, 250);
        whole.push(...records);
        if (page * 250 >= totalCount) break;
      }
      expect([...kept.values()].sort(byKey(key))).toEqual(whole.sort(byKey(key)));
    },
  };
}

const byKey = (key: string) => (one: Record, other: Record) =>
  String(one[key]) < String(other[key]) ? -1 : 1;

const writes = fc.record({
  kind: fc.constantFrom(
    ...([
      'receive',
      'receive',
      'issue',
      'move',
      'describe',
      'describe',
      'recategorize',
      'discontinue',
    ] as const),
    ...(['create', 'hold', 'release', 'order'] as const),
  ),
  item: fc.nat(3),
  wid: fc.integer({ min: 1, max: 2 }),
  units: fc.integer({ min: 1, max: 3 }),
});
type Write = typeof writes extends fc.Arbitrary<infer T> ? T : never;

// The steps of a run: a write begins and stays open, the oldest or the newest open one commits, a client
// walks, and between its pages writers commit or not.
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ write: writes }) },
    { weight: 2, arbitrary: fc.record({ commit: fc.constantFrom('oldest' as const, 'newest' as const) }) },
    { weight: 2, arbitrary: fc.record({ walk: fc.nat(5), commits: fc.boolean() }) },
  ),
  { minLength: 5, maxLength: 25 },
);

test('a client that asks only from X-Next-Modified-Since ends with an exact mirror, in whatever order writes commit', async () => {
  const { sql } = batches;
  pool = connect(batches.url, { name: 'test-writers', connectionsMax: 40 });
  const items: string[] = [];
  for (let item = 0; item < 4; item++) items.push(await batches.item());
  const walks = { sql: connect(batches.url, { name: 'test-walks', connectionsMax: 2 }) };
  const mirrors = [
    ...[[1, 2], [1], [2]].map((wids) =>
      mirrorOf(walks.sql, 'recNo', (query) => listLots(walks.sql, query, wids, {})),
    ),
    ...[[1, 2], [2]].map((wids) =>
      mirrorOf(walks.sql, 'partNo', (query) => listStockLevels(walks.sql, query, wids)),
    ),
    mirrorOf(walks.sql, 'partNo', (query) => listItems(walks.sql, query, { discontinuedToo: true })),
  ];

  const write = async ({ kind, item, wid, units }: Write, own: Sql): Promise<unknown> => {
    const shortId = items[item]!;
    const lot = async () => {
      const [row] = await sql<{ rec_no: number }[]>`
        select rec_no
        from lot
        join item using (part_no)
        where short_id = ${shortId} and wid = ${wid} and active
        order by rec_no desc
        limit 1`;
      return row?.rec_no ?? 0;
    };
    const stock = (body: object, of: 'receive' | 'issue' | 'move') =>
      applyHeld(pool!, own, [batches.request(of, { itemID: shortId, units, wid, ...body })]);
    switch (kind) {
      case 'receive':
        return stock({}, kind);
      case 'issue':
        return stock({}, kind);
      case 'move':
        return stock({ shipToWid: 3 - wid }, kind);
      case 'describe':
        return updateItem(own, shortId, { description: uniqueName('text') });
      case 'recategorize':
        return updateItem(own, shortId, { category: units });
      case 'discontinue':
        return updateItem(own, shortId, { discontinued: units === 1 });
      case 'create':
        return createItem(own, await drawPartNo(own), uniqueName('NEW'), {}, 'tests');
      case 'hold':
        return holdLot(own, { recNo: await lot(), reason: 'inspection' });
      case 'release':
        return releaseLot(own, await lot());
      case 'order':
        return setOrderQuantities(own, { shortId, wid }, { onOrder: String(units) });
    }
  };

  let lateCommits = 0;
  const run = await fc.check(
    fc.asyncProperty(steps, async (done) => {
      const open: { committed: Promise<() => Promise<void>>; isWritten: boolean; walked: boolean }[] = [];
      const commit = async (which: 'oldest' | 'newest') => {
        // A writer that waits for another's lock can commit only after it.
        const written = open.filter(({ isWritten }) => isWritten);
        const next = which === 'oldest' ? written[0] : written.at(-1);
        if (next === undefined) return;
        open.splice(open.indexOf(next), 1);
        if (next.walked) lateCommits += 1;
        await (await next.committed)();
      };
      for (const step of done) {
        if ('commit' in step) await commit(step.commit);
        else if ('walk' in step) {
          const between = step.commits ? () => commit('oldest') : undefined;
          for (const each of open) each.walked = true;
          await mirrors[step.walk]!.sync(between);
        } else if (open.length < 10) {
          const committed = meanwhile(holdOpen(pool!, (own) => write(step.write, own)));
          const entry = { committed, isWritten: false, walked: false };
          open.push(entry);
          void committed.then(
            () => {
              entry.isWritten = true;
            },
            () => {},
          );
          await Promise.race([committed, untilBlocked(sql, open.length)]);
        }
      }
      while (open.length > 0) {
        await Promise.race(open.map(({ committed }) => committed));
        await commit('oldest');
      }
      for (const mirror of mirrors) {
        await mirror.sync();
        await mirror.expectExact();
      }
    }),
    { numRuns: 30 },
  );
  if (run.failed) {
    console.error(fc.defaultReportMessage(run));
    // Rethrown as it was: an assertion, or an error that proves nothing.
    throw run.errorInstance;
  }
  await walks.sql.end({ timeout: 5 });
  expect(lateCommits).toBeGreaterThan(25);
});

/** Waits until one of the writers waits for a lock that another holds. */
async function untilBlocked(sql: Sql, openCount: number): Promise<void> {
  if (openCount < 2) return new Promise(() => {});
  for (const until = performance.now() + 60_000; performance.now() < until; ) {
    const [row] = await sql<{ waiting: number }[]>`
      select count(*) as waiting
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and application_name = 'test-writers'`;
    if (row!.waiting > 0) return;
  }
}
