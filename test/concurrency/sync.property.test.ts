import { itemPage } from '@inventory/db/lists/list-items';
import { lotPage } from '@inventory/db/lists/list-lots';
import { stockLevelPage } from '@inventory/db/lists/list-stock-levels';
import { readNextModifiedSince } from '@inventory/db/lists/next-modified-since';
import type { Page } from '@inventory/paging/page';
import type { PageQuery } from '@inventory/paging/page-query';
import { connect, type Sql } from '@inventory/postgres/pool';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { useBatches } from '../harness/queue/batches.ts';
import { createLateWriters, lateSteps } from '../harness/stock/late-writers.ts';

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

test('a client that asks only from X-Next-Modified-Since ends with an exact mirror, in whatever order writes commit', async () => {
  pool = connect(batches.url, { name: 'test-writers', connectionsMax: 40 });
  const items: string[] = [];
  for (let item = 0; item < 4; item++) items.push(await batches.item());
  const walks = { sql: connect(batches.url, { name: 'test-walks', connectionsMax: 2 }) };
  const mirrors = [
    ...[[1, 2], [1], [2]].map((wids) =>
      mirrorOf(walks.sql, 'recNo', (query) => lotPage(query, wids, {}).read(walks.sql)),
    ),
    ...[[1, 2], [2]].map((wids) =>
      mirrorOf(walks.sql, 'partNo', (query) => stockLevelPage(query, wids).read(walks.sql)),
    ),
    mirrorOf(walks.sql, 'partNo', (query) => itemPage(query, { discontinuedToo: true }).read(walks.sql)),
  ];

  const writers = createLateWriters(batches, pool, items, (walk, betweenPages) =>
    mirrors[walk]!.sync(betweenPages),
  );
  const run = await fc.check(
    fc.asyncProperty(lateSteps(mirrors.length), async (steps) => {
      await writers.run(steps);
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
  expect(writers.lateCommits()).toBeGreaterThan(25);
});
