import { readChanges } from '@inventory/db/changes/read-changes';
import { readFeedPosition } from '@inventory/db/changes/read-position';
import { itemPage } from '@inventory/db/lists/list-items';
import { lotPage } from '@inventory/db/lists/list-lots';
import { stockLevelPage } from '@inventory/db/lists/list-stock-levels';
import { transactionPage } from '@inventory/db/lists/list-transactions';
import type { Change } from '@inventory/domain/contract/change';
import type { Item } from '@inventory/domain/contract/item';
import type { StockLevel } from '@inventory/domain/contract/stock-level';
import type { Transaction } from '@inventory/domain/contract/transaction';
import type { FullLot } from '@inventory/domain/lot';
import type { Page } from '@inventory/paging/page';
import type { PageQuery } from '@inventory/paging/page-query';
import { connect, type Sql } from '@inventory/postgres/pool';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { useBatches } from '../harness/queue/batches.ts';
import { createLateWriters, lateSteps } from '../harness/stock/late-writers.ts';
import { createMirror, gateTexts, type Mirror } from '../harness/stock/mirror.ts';
import { findWrongLows } from '../harness/stock/wrong-lows.ts';

const batches = useBatches();
let pool: Sql | undefined;
let readers: Sql | undefined;
afterAll(() => Promise.all([pool?.end({ timeout: 5 }), readers?.end({ timeout: 5 })]));

const scopes = [[1, 2], [1], [2]];

/** A reader that follows the feed from a cursor that it took before it read the lists. */
type Reader = {
  read(betweenPages?: () => Promise<void>): Promise<void>;
  expectExact(): Promise<void>;
};

async function walk<Record>(read: (query: PageQuery) => Promise<Page>): Promise<Record[]> {
  const all: Record[] = [];
  for (let page = 1; ; page++) {
    const query = { page, pageSize: 250, sort: undefined, direction: 'asc' } as const;
    const { totalCount, records } = await read(query);
    all.push(...(JSON.parse(`[${records}]`) as Record[]));
    if (page * 250 >= totalCount) return all;
  }
}

const lotsOf = (sql: Sql, wids: number[]) =>
  walk<FullLot>((query) => lotPage(query, wids, {}, { view: 'full', scope: wids }).read(sql));
const levelsOf = (sql: Sql, wids: number[]) =>
  walk<StockLevel>((query) => stockLevelPage(query, wids).read(sql));
async function lowOf(sql: Sql, wids: number[]) {
  const low = [];
  for (const wID of wids) {
    const found = await walk<StockLevel>((query) =>
      stockLevelPage(query, [wID], { belowMinimum: true }).read(sql),
    );
    low.push(...found.map(({ partNo }) => ({ partNo, wID })));
  }
  return low;
}
const itemsOf = (sql: Sql) => walk<Item>((query) => itemPage(query, { discontinuedToo: true }).read(sql));

/** The records of the lists, in the form in which a mirror has them. */
async function listed(sql: Sql, wids: number[]): Promise<ReturnType<Mirror['state']>> {
  const lots = await lotsOf(sql, wids);
  return {
    lots: lots.map(({ modified, ...lot }) => lot).sort((one, other) => one.recNo - other.recNo),
    levels: await levelsOf(sql, wids),
    items: (await itemsOf(sql)).sort((one, other) => one.partNo - other.partNo),
    low: gateTexts(await lowOf(sql, wids)),
  };
}

const positionOf = async (sql: Sql) => (await readFeedPosition(sql, 0)).knownNo;

async function openReader(sql: Sql, wids: number[]): Promise<Reader> {
  let after = await positionOf(sql);
  const begunAfter = after;
  const lots = await lotsOf(sql, wids);
  const levels = [];
  for (const wID of wids) levels.push(...(await levelsOf(sql, [wID])).map((level) => ({ ...level, wID })));
  const mirror: Mirror = createMirror({
    ...{ lots, levels, items: await itemsOf(sql), low: await lowOf(sql, wids) },
  });
  const told: number[] = [];
  const balances = new Map<number, number>();

  function take(change: Change) {
    mirror.apply(change);
    if (change.type !== 'stock') return;
    told.push(change.transactionNo);
    for (const { recNo, balance } of change.lines) balances.set(recNo, balance);
  }

  async function read(betweenPages = async () => {}) {
    for (;;) {
      const page = await readChanges(sql, { wids, after, until: await positionOf(sql), limit: 2 });
      for (const { no, text } of page.changes) {
        expect(no).toBeGreaterThan(after);
        after = no;
        take(JSON.parse(text));
      }
      expect(page.through).toBeGreaterThanOrEqual(after);
      after = page.through;
      if (!page.hasMore) return;
      await betweenPages();
    }
  }

  return {
    read,
    async expectExact() {
      await read();
      expect(mirror.state()).toEqual(await listed(sql, wids));
      // Each transaction once, in the order of the ledger, so the last balance is the present one.
      const transactions = await walk<Transaction>((query) => transactionPage(query, wids, {}).read(sql));
      const numbers = transactions.map(({ transactionNo }) => transactionNo).reverse();
      expect(told).toEqual(numbers.filter((no) => no > begunAfter));
      const units = new Map(mirror.state().lots.map((lot) => [lot.recNo, lot.units]));
      for (const [recNo, balance] of balances) expect(balance).toBe(units.get(recNo));
    },
  };
}

test('a mirror that takes a cursor, reads the lists and follows the feed is exact, in whatever order writes commit', async () => {
  pool = connect(batches.url, { name: 'test-writers', connectionsMax: 40 });
  readers = connect(batches.url, { name: 'test-readers', connectionsMax: 2, byKeys: true });
  const sql = readers;
  const items: string[] = [];
  for (let item = 0; item < 4; item++) items.push(await batches.item());
  let open: Reader[] = [];
  const writers = createLateWriters(batches, pool, items, (reader, betweenPages) =>
    open[reader]!.read(betweenPages),
  );
  const run = await fc.check(
    fc.asyncProperty(
      lateSteps(2 * scopes.length),
      lateSteps(2 * scopes.length),
      fc.boolean(),
      async (before, steps, beginsLate) => {
        open = [];
        for (const scope of [...scopes, ...scopes]) open.push(await openReader(sql, scope));
        await writers.run(before);
        // Some begin again in the middle.
        if (beginsLate)
          for (const [place, scope] of scopes.entries()) open[place] = await openReader(sql, scope);
        await writers.run(steps);
        for (const reader of open) await reader.expectExact();
        expect(await findWrongLows(sql)).toEqual([]);
      },
    ),
    { numRuns: 15 },
  );
  if (run.failed) {
    console.error(fc.defaultReportMessage(run));
    // Rethrown as it was: an assertion, or an error that proves nothing.
    throw run.errorInstance;
  }
  expect(writers.lateCommits()).toBeGreaterThan(25);
  const [{ told }] =
    (await sql`select count(*)::integer as told from change where kind = 'low'`) as unknown as [
      { told: number },
    ];
  expect(told).toBeGreaterThan(3);
});

test('from the beginning, a mirror needs no list at all', async () => {
  const { sql } = batches;
  const until = await positionOf(sql);
  expect(until).toBeGreaterThan(100);
  for (const wids of scopes) {
    const mirror = createMirror({ lots: [], levels: [], items: [], low: [] });
    let page: Awaited<ReturnType<typeof readChanges>> | undefined;
    do {
      page = await readChanges(sql, { wids, after: page?.through ?? 0, until, limit: 1000 });
      for (const { text } of page.changes) mirror.apply(JSON.parse(text));
    } while (page.hasMore);
    expect(mirror.state()).toEqual(await listed(sql, wids));
  }
});
