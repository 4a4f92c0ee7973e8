import { updateItem } from '@inventory/db/catalog/items';
import { itemList } from '@inventory/db/lists/list-items';
import { type LotFilters, lotList, lotPage } from '@inventory/db/lists/list-lots';
import { stockLevelPage } from '@inventory/db/lists/list-stock-levels';
import { type TransactionFilters, transactionPage } from '@inventory/db/lists/list-transactions';
import { firstOfFew, type ListReading } from '@inventory/db/lists/pages/list-reading';
import { orderBy } from '@inventory/db/lists/pages/sort-columns';
import type { PageQuery } from '@inventory/paging/page-query';
import { piece } from '@inventory/postgres/piece';
import { connect, type Sql } from '@inventory/postgres/pool';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { receiveLots, useBatches } from '../harness/queue/batches.ts';
import { countRowsRead } from '../harness/watch/rows-read.ts';

const batches = useBatches();

type Plan = { 'Node Type': string; Plans?: Plan[] };

const nodesOf = (plan: Plan): string[] => [plan['Node Type'], ...(plan.Plans ?? []).flatMap(nodesOf)];

test.each([
  ['lot', lotList, 'recNo'],
  ['lot', lotList, 'partNo'],
  ['item', itemList, 'partNo'],
  ['item', itemList, 'modified'],
  ['item', itemList, 'shortID'],
] as const)(
  '%s: an index gives the order by %3$s in both directions, so a page does not sort everything',
  async (table, list, field) => {
    const { tieBreaker, sortColumns } = list;
    const column = (sortColumns as Record<string, { by: string; emptyLast: boolean }>)[field]!;
    for (const direction of ['asc', 'desc'] as const) {
      const order = orderBy(column, direction, tieBreaker);
      const plan = await batches.sql.begin(async (tx) => {
        // The tables are small here, so any other plan would be cheaper.
        await tx`set local enable_seqscan = off`;
        await tx`set local enable_sort = off`;
        const [row] = await tx.unsafe(
          `explain (format json) select ${tieBreaker} from ${table} order by ${order} limit 25`,
        );
        return (row!['QUERY PLAN'] as { Plan: Plan }[])[0]!.Plan;
      });
      // An incremental sort only orders neighbours that are equal in the column.
      expect(nodesOf(plan), direction).not.toContain('Sort');
      expect(nodesOf(plan).join(), direction).toMatch(/Index/);
    }
  },
);

/** The stock the tests list: much of one item, little of another. */
let world: {
  many: { itemID: string; recNos: number[] };
  /** Much of another item, without serials. */
  plain: { itemID: string };
  rare: { itemID: string; recNo: number; transactionNo: number };
  looks: Sql;
  /** After all stock of the other items, but before most items were created. */
  beforeItems: Date;
  /** Before the stock of the rare item and the changes with it, but after everything else. */
  since: Date;
};

const scope = [1];
const beforeAllElse = new Date(0);
const firstPage: PageQuery = { page: 1, pageSize: 25, sort: undefined, direction: 'asc' };

beforeAll(async () => {
  const { sql } = batches;
  const worker = batches.worker();
  const looks = connect(batches.url, { name: 'looks', connectionsMax: 1, byIndex: true });
  const clock = async () => {
    const [row] = await sql<{ now: Date }[]>`
      select clock_timestamp() + interval '1 millisecond' as now, pg_sleep(0.01)`;
    return row!.now;
  };
  // More than a few of each.
  const many = await receiveLots(batches, 2100, { serial: 'COMMON', spot: 'S', reference: 'ALL' }, worker);
  const plain = await receiveLots(batches, 2100, { reference: 'ALL' }, worker);
  const beforeItems = await clock();
  await sql`
    insert into item (short_id, created_by)
    select 'OTHER-' || n, 'tests' from generate_series(1, 2100) as n`;
  const since = await clock();
  const itemID = await batches.item();
  const receive = (body: object) =>
    batches.request('receive', { itemID, units: 1, wid: 1, spot: 'R', reference: 'ALL', ...body });
  await worker.apply([receive({ serial: 'COMMON' }), receive({ wid: 2, serial: 'COMMON' })]);
  const evidence = { capturedAt: null, correctedAt: null, deviceId: 'D', deviceSeq: null };
  const [blank] = await worker.apply([{ ...receive({}), evidence }]);
  await updateItem(sql, itemID, { description: 'new' });
  const [received] = await sql<{ no: number }[]>`select min(transaction_no) as no from stock_transaction`;
  const of = { kind: 'receive' as const, itemID: many.itemID, wids: [1], lines: 1 };
  const body = { transactionNo: received!.no };
  await worker.apply([{ ...batches.request('reverse', {}), body, of }]);
  await worker.apply([receive({ serial: 'OTHER' })]);
  const { recNo, transactionNo } = JSON.parse(blank!.result!);
  world = { many, plain, rare: { itemID, recNo, transactionNo }, looks, beforeItems, since };
});

afterAll(() => world?.looks.end());

/** Returns the read of a list from the few records that a filter leaves; fails if no filter leaves few. */
async function findFew(reading: ListReading): Promise<ListReading['read']> {
  const found = reading.cost === 'matches' ? await reading.findFew(world.looks) : null;
  expect(found).not.toBe(null);
  return found!;
}

/**
 * A page, and the number of rows it read. `isMisled`: with a generic plan, and as if each lot had its own
 * serial, as Postgres believes of a serial that came after its last look at the table.
 */
async function countRead(read: ListReading['read'], { isMisled = false } = {}) {
  const tables = ['lot', 'stock_entry', 'stock_transaction', 'item', 'stock_level'];
  const without = ['seqscan', 'hashjoin', 'mergejoin'];
  const { result, rows } = await countRowsRead(batches.sql, { tables, without }, async (connection) => {
    if (isMisled) {
      await connection`set local plan_cache_mode = force_generic_plan`;
      await connection`select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'lot', 'attname', 'serial',
        'inherited', false, 'null_frac', 0::real, 'avg_width', 8, 'n_distinct', -1::real)`;
    }
    return read(connection);
  });
  return { ...result, rows };
}

describe('a filter that leaves few records leads, and the other filters are checked on those', () => {
  test('the history, by a serial that many lots or none have', async () => {
    const { many, rare, since } = world;
    const ways = [
      [{}, { recNo: many.recNos[1]!, serial: 'COMMON' }, 1],
      [{}, { recNo: rare.recNo, serial: '' }, 1],
      [{}, { itemID: rare.itemID, serial: '' }, 1],
      [{}, { itemID: rare.itemID, serial: 'COMMON' }, 1],
      [{}, { itemID: rare.itemID, reference: 'ALL' }, 3],
      [{}, { deviceID: 'D', serial: '' }, 1],
      [{}, { startDate: since, serial: '' }, 1],
      [{}, { startDate: since, serial: 'COMMON' }, 2],
      [{ modifiedSince: since }, { serial: '' }, 1],
      [{ modifiedSince: since }, { serial: 'COMMON' }, 3],
      [{ modifiedSince: beforeAllElse }, { itemID: rare.itemID }, 3],
    ] as const;
    for (const [page, filters, count] of ways) {
      const reading = transactionPage({ ...firstPage, ...page }, scope, filters);
      for (const isMisled of [false, true]) {
        const { totalCount, rows } = await countRead(await findFew(reading), { isMisled });
        expect({ filters, totalCount }).toEqual({ filters, totalCount: count });
        expect(rows, JSON.stringify({ ...page, ...filters, isMisled })).toBeLessThan(150);
      }
    }
  });

  test('the history, by the serial of a named lot or none, even when Postgres chooses the plan', async () => {
    const { many, rare } = world;
    const ways = [
      { recNo: many.recNos[1]!, serial: 'COMMON' },
      { itemID: rare.itemID, serial: '' },
      { deviceID: 'D', serial: '' },
    ];
    for (const filters of ways) {
      const { totalCount, rows } = await countRead(transactionPage(firstPage, scope, filters).read);
      expect({ filters, totalCount }).toEqual({ filters, totalCount: 1 });
      expect(rows, JSON.stringify(filters)).toBeLessThan(150);
    }
  });

  test('the history, by a serial that few lots in scope have; lots of other warehouses do not count', async () => {
    const reading = transactionPage(firstPage, [2, 3], { serial: 'COMMON' });
    const { totalCount, rows } = await countRead(await findFew(reading));
    expect(totalCount).toBe(1);
    expect(rows).toBeLessThan(50);
  });

  test('the long history of an item, found and counted in an index alone', async () => {
    const { many } = world;
    await batches.sql`vacuum (analyze) stock_transaction`;
    const reading = transactionPage(firstPage, scope, { itemID: many.itemID });
    expect(reading.cost === 'matches' && (await reading.findFew(world.looks))).toBe(null);
    const { totalCount, rows } = await countRead(reading.read);
    expect(totalCount).toBeGreaterThan(2000);
    expect(rows).toBeLessThan(200);
  });

  test('after one slow look no other begins: the list is read as one of many', async () => {
    const { looks } = world;
    const many = piece`select from (select pg_sleep(0.5)) as slept, generate_series(1, 3000)`;
    const few = { selection: piece`select` };
    expect(await firstOfFew(looks, [few])).toBe(few);
    expect(await firstOfFew(looks, [{ selection: many }, few])).toBe(null);
  });

  test('lots, by a serial that many have, and since a moment before everything else', async () => {
    const { rare, since } = world;
    const ways = [
      [{}, { itemID: rare.itemID, serial: 'COMMON' }],
      [{}, { spot: 'R', serial: 'COMMON' }],
      [{}, { serial: 'COMMON', recNo: rare.recNo }],
      [{ modifiedSince: beforeAllElse }, { itemID: rare.itemID, serial: 'COMMON' }],
      [{ modifiedSince: beforeAllElse }, { spot: 'R' }],
      [{ modifiedSince: since }, { serial: 'COMMON' }],
      [{ modifiedSince: since }, { spot: 'S' }],
    ] as const;
    for (const [page, filters] of ways) {
      const reading = lotPage({ ...firstPage, ...page }, scope, filters);
      const { rows } = await countRead(await findFew(reading));
      expect(rows, JSON.stringify({ ...page, ...filters })).toBeLessThan(150);
    }
  });

  test('the levels of an item, with its description, since a moment before everything else', async () => {
    const { plain, rare, beforeItems } = world;
    for (const [itemID, count] of [
      [rare.itemID, 1],
      [plain.itemID, 0],
    ] as const) {
      const query = { ...firstPage, modifiedSince: beforeItems };
      const reading = stockLevelPage(query, scope, { itemID, view: 'full' });
      const { totalCount, rows } = await countRead(reading.read);
      expect({ itemID, totalCount }).toEqual({ itemID, totalCount: count });
      expect(rows).toBeLessThan(50);
    }
  });
});

/** Each of these filters alone, and each pair. */
function pairsOf<Filters extends object>(values: { [Name in keyof Filters]?: Filters[Name][] }): Filters[] {
  const single = Object.entries(values).flatMap(([name, each]) =>
    (each as unknown[]).map((value) => ({ [name]: value })),
  );
  const pairs = single.flatMap((one, at) => single.slice(at + 1).map((other) => ({ ...one, ...other })));
  return [...single, ...pairs] as Filters[];
}

describe('a page is the same whichever filter leads', () => {
  /** The page by Postgres' own plan, beside the page by the few where a filter leaves few. */
  async function compare(reading: ListReading, asked: object): Promise<'few' | 'many'> {
    if (reading.cost !== 'matches') return 'many';
    const few = await reading.findFew(world.looks);
    if (few === null) return 'many';
    expect({ asked, ...(await few(batches.sql)) }).toEqual({ asked, ...(await reading.read(batches.sql)) });
    return 'few';
  }

  test('lots', async () => {
    const { many, rare, since } = world;
    const filters = pairsOf<LotFilters>({
      itemID: [rare.itemID, many.itemID],
      spot: ['R', 'S', ''],
      serial: ['COMMON', ''],
      hold: [true, false],
      recNo: [rare.recNo, many.recNos[1]!],
      inStock: [true, false],
    });
    const seen: string[] = [];
    for (const filter of filters) {
      for (const modifiedSince of [undefined, beforeAllElse, since]) {
        for (const sort of [undefined, 'description'] as const) {
          const query = { ...firstPage, pageSize: 3, sort, modifiedSince };
          seen.push(await compare(lotPage(query, scope, filter), { ...query, ...filter }));
        }
      }
    }
    expect(new Set(seen)).toEqual(new Set(['few', 'many']));
  });

  test('the history', async () => {
    const { many, rare, since } = world;
    const filters = pairsOf<TransactionFilters>({
      itemID: [rare.itemID, many.itemID],
      recNo: [rare.recNo, many.recNos[0]!],
      serial: ['COMMON', ''],
      reference: ['ALL'],
      deviceID: ['D'],
      startDate: [since],
      endDate: [since],
      kind: ['receive', 'reverse'],
      wid: [1],
    });
    const seen: string[] = [];
    for (const filter of filters) {
      for (const modifiedSince of [undefined, beforeAllElse, since]) {
        const query = { ...firstPage, pageSize: 3, modifiedSince };
        seen.push(await compare(transactionPage(query, scope, filter), { ...query, ...filter }));
      }
    }
    expect(new Set(seen)).toEqual(new Set(['few', 'many']));
  });

  test('levels of an item', async () => {
    const { many, rare, since } = world;
    for (const itemID of [rare.itemID, many.itemID]) {
      for (const modifiedSince of [beforeAllElse, since]) {
        const [record] = await batches.sql<{ part_no: number }[]>`
          select part_no from item where short_id = ${itemID}`;
        const query = { ...firstPage, pageSize: 1000, modifiedSince };
        const all = await stockLevelPage(query, scope, { view: 'full' }).read(batches.sql);
        const ofItem = await stockLevelPage(query, scope, { itemID, view: 'full' }).read(batches.sql);
        const levels: { partNo: number }[] = JSON.parse(`[${all.records}]`);
        expect(JSON.parse(`[${ofItem.records}]`)).toEqual(
          levels.filter(({ partNo }) => partNo === record!.part_no),
        );
      }
    }
  });
});
