import { stockAtPage } from '@inventory/db/lists/list-stock-at';
import { stockLevelPage } from '@inventory/db/lists/list-stock-levels';
import type { ListReading } from '@inventory/db/lists/pages/list-reading';
import { stockDays } from '@inventory/db/lists/stock-days';
import { seed } from '@inventory/db/operator/seed';
import type { Sql } from '@inventory/postgres/pool';
import { readOptions } from '../harness/read-options.ts';
import { medianOf } from './load.ts';
import { tableOf } from './report.ts';
import { createDatabase, startBenchStack } from './stack.ts';

// pnpm bench stock-at [--lots 5000000] [--transactions 10000000] [--rounds 9]: pages of the stock as it was
// beside the same pages of today's levels, through the driver. The first items have the most transactions.
const values = readOptions('bench stock-at', 'Measures the stock as it was, and prints the figures.', {
  lots: { value: 'number', default: '5000000', about: 'lots' },
  transactions: { value: 'number', default: '10000000', about: 'transactions, over three years' },
  rounds: { value: 'number', default: '9', about: 'how often each page is read' },
});
const [lots, transactions, rounds] = [values.lots, values.transactions, values.rounds].map(Number) as [
  number,
  number,
  number,
];
const items = Math.ceil(lots / 5);
const warehouses = 3;
const lowGates = 1000;
const wids = Array.from({ length: warehouses }, (_, place) => place + 1);
const dayMs = 86_400_000;
const daysBack = [1, 30, 90, 365, 1000];

const stack = await startBenchStack();
const { sql, drop } = await createDatabase(stack, 'bench_stock_at');
try {
  const step = (name: string, done: number) => process.stderr.write(`${name} ${Math.round(done * 100)} %\n`);
  await seed(sql, { items, warehouses, lots, transactions }, step);
  await sql`vacuum analyze`;
  const rows: string[][] = [];
  for (const place of ['first', 'in the middle']) {
    for (const pageSize of [25, 250]) {
      const page = place === 'first' ? 1 : Math.ceil(items / pageSize / 2);
      const query = { page, pageSize, sort: undefined, direction: 'asc' as const };
      const today = await medianMs(stockLevelPage(query, wids));
      const cells: string[] = [];
      for (const days of daysBack) {
        const ms = await medianMs(stockAtPage(query, wids, { time: new Date(Date.now() - days * dayMs) }));
        cells.push(`${ms.toFixed(1)} ms (${(ms / today).toFixed(1)} x)`);
      }
      rows.push([`${place}, ${pageSize}`, `${today.toFixed(1)} ms`, ...cells]);
    }
  }
  console.log(tableOf(['page', 'levels today', ...daysBack.map((days) => `${days} days back`)], rows));
  const [{ busiest }] = (await sql`
    select part_no as busiest from stock_transaction where part_no is not null group by part_no
    order by count(*) desc limit 1`) as unknown as [{ busiest: number }];
  const to = new Date(Math.floor(Date.now() / dayMs) * dayMs);
  for (const days of [90, 366]) {
    const ms = await medianMs(
      stockDays({ from: new Date(to.getTime() - (days - 1) * dayMs), to }, wids, busiest),
    );
    console.log(`${days} days of the busiest item: ${ms.toFixed(1)} ms`);
  }
  await sql`
    update stock_level set minimum = in_stock + 1
    where (part_no, wid) in (select part_no, wid from stock_level where used order by part_no desc limit ${lowGates})`;
  const query = { page: 1, pageSize: 25, sort: undefined, direction: 'asc' as const };
  const low = await medianMs(stockLevelPage(query, wids, { belowMinimum: true, view: 'full' }));
  console.log(`levels below their minimum, of ${lowGates}: ${low.toFixed(1)} ms`);
} finally {
  await drop();
  await stack.stop();
}

async function medianMs(reading: ListReading): Promise<number> {
  const times: number[] = [];
  for (let round = -2; round < rounds; round++) {
    const from = performance.now();
    await readAlone(sql, reading);
    if (round >= 0) times.push(performance.now() - from);
  }
  return medianOf(times);
}

async function readAlone(own: Sql, reading: ListReading) {
  if (reading.cost !== 'matches') return reading.read(own);
  const few = await reading.findFew(own);
  return (few || reading.read)(own);
}
