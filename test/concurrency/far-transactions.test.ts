import { stockAtPage } from '@inventory/db/lists/list-stock-at';
import { readLot } from '@inventory/db/lists/read-lot';
import { stockDays } from '@inventory/db/lists/stock-days';
import { seed } from '@inventory/db/operator/seed';
import type { Sql } from '@inventory/postgres/pool';
import { expect, test } from 'vitest';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';
import { countRowsRead } from '../harness/watch/rows-read.ts';

const service = useService();
const old = 300;

/** How many transactions some work reads from the ledger, by its indexes. */
async function countRead(work: (sql: Sql) => Promise<unknown>): Promise<number> {
  const without = ['seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin'];
  return (await countRowsRead(service.sql, { tables: ['stock_transaction'], without }, work)).rows;
}

test('the stock of a moment reads what came since, not what was moved between the warehouses before', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const recNo = await receiveLot(client, itemID, 10);
  expect(recNo).toBeGreaterThan(0);
  const operations = Array.from({ length: old }, (_, nth) => ({
    ...{ op: 'move', itemID, units: 10, wid: 1 + (nth % 2), shipToWid: 2 - (nth % 2) },
  }));
  for (let from = 0; from < old; from += 50) {
    const part = operations.slice(from, from + 50);
    const { body } = await client.post('/Inventory/Batch', { mode: 'each', operations: part });
    expect(body.results.filter(({ status }: { status: string }) => status !== 'applied')).toEqual([]);
  }
  await service.sql.begin(async (tx) => {
    await tx`alter table stock_transaction disable trigger stock_transaction_append_only`;
    await tx`update stock_transaction set at = at - interval '2 days'`;
    await tx`alter table stock_transaction enable trigger stock_transaction_append_only`;
  });
  const since = new Date();
  await client.post('/Inventory/Move', { itemID, units: 4, wid: 1, shipToWid: 2 });
  await client.post('/Inventory/Move', { itemID, units: 3, wid: 2, shipToWid: 1 });
  const { partNo } = (await client.get(`/Item?key=${itemID}&type=id`)).body;
  const day = new Date(since.toISOString().slice(0, 10));
  const query = { page: 1, pageSize: 25, sort: undefined, direction: 'asc' as const };
  for (const wids of [[1], [2], [1, 2]]) {
    const page = stockAtPage(query, wids, { time: since, partNo });
    expect(await countRead((sql) => page.read(sql)), `${wids}`).toBeLessThan(old / 3);
    const days = stockDays({ from: day, to: day }, wids, partNo);
    expect(await countRead((sql) => days.read(sql)), `days, ${wids}`).toBeLessThan(old / 3);
  }
});

test('the history of a lot reads its last holds, however many it has', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const recno = await receiveLot(client, itemID, 10);
  const hold = { op: 'hold', recno, hold: true, reason: 'leaks' };
  for (let from = 0; from < old; from += 50) {
    const { body } = await client.post('/Inventory/Batch', {
      mode: 'each',
      operations: Array(50).fill(hold),
    });
    expect(body.results.filter(({ status }: { status: string }) => status !== 'applied')).toEqual([]);
  }
  expect(await countRead((sql) => readLot(sql, recno, [1]))).toBeLessThan(old);
  const { history } = (await client.get(`/Inventory/Lots/${recno}`)).body;
  expect(history.length).toBeGreaterThan(10);
});

test('seeded transactions are numbered in the order of their times', async () => {
  await seed(service.sql, { items: 5, warehouses: 2, lots: 60, transactions: 150 }, () => {});
  const [found] = await service.sql<{ count: number; wrong: number }[]>`
    select count(*)::integer as count, (count(*) filter (where at < before))::integer as wrong
    from (
      select at, lag(at) over (order by transaction_no) as before
      from stock_transaction
      where client_id = 'seed'
    ) as numbered`;
  expect(found).toEqual({ count: 150, wrong: 0 });
  const client = await service.client();
  const at = new Date(Date.now() - 400 * 86_400_000).toISOString();
  const { body } = await client.get(`/Inventory/StockAt?time=${at}&pageSize=250`);
  const ledger = await service.sql<{ part_no: number; units: number }[]>`
    select part_no, sum(delta)::float8 as units
    from stock_entry
    join stock_transaction using (transaction_no, part_no)
    where at <= ${at} and stock_entry.wid in (1, 2)
    group by part_no`;
  const units = new Map(ledger.map(({ part_no: partNo, units: each }) => [partNo, each]));
  const seeded = body.value.filter(({ shortID }: { shortID: string }) => shortID.startsWith('SEED-'));
  expect(seeded).toHaveLength(5);
  for (const { partNo, inStock } of seeded) expect(inStock).toBe(units.get(partNo) ?? 0);
});

test.each(['level_set', 'list_count', 'list_arrival', 'item'])(
  'seed and work that has %s and goes on to read stock do not wait for each other',
  async (table) => {
    let seeding: Promise<void> | undefined;
    await service.sql.begin(async (tx) => {
      await tx`lock table ${tx(table)} in access share mode`;
      seeding = seed(service.sql, { items: 1, warehouses: 1, lots: 1, transactions: 1 }, () => {});
      await expect.poll(() => waitingLocks(table), { interval: 20 }).toBeGreaterThan(0);
      await tx`select from lot limit 1`;
    });
    await seeding;
  },
);

async function waitingLocks(table: string): Promise<number> {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::integer from pg_locks where relation = ${table}::regclass and not granted`;
  return row!.count;
}
