import { randomInt } from 'node:crypto';
import { findImbalances } from '@inventory/db/audit/audit';
import { foldArrivals } from '@inventory/db/lists/fold-arrivals';
import { lotPage } from '@inventory/db/lists/list-lots';
import { type TransactionFilters, transactionPage } from '@inventory/db/lists/list-transactions';
import { seed } from '@inventory/db/operator/seed';
import { removeOutdatedPiece } from '@inventory/db/requests/remove-outdated';
import { readOutcomes } from '@inventory/db/requests/settle';
import type { SingleRequest } from '@inventory/domain/kinds/kinds';
import type { Sql } from '@inventory/postgres/pool';
import { readOptions } from '../harness/read-options.ts';
import { addCaller } from '../harness/service/caller.ts';
import { timed } from './load.ts';
import { type Column, columnsTable, tableOf } from './report.ts';
import { itemCount, makeDatabase } from './site.ts';
import { createDatabase, startBenchStack } from './stack.ts';
import { openApplier, queued, weighTransactions } from './transaction-bytes.ts';

// pnpm bench growth [--count 20000] [--sizes 100000,1000000,5000000]: the size of a transaction, and the cost
// of age.
const values = readOptions(
  'bench growth',
  'Weighs transactions in each table and index, and measures claims, lists and the audit on databases of different age. Prints Markdown; docs/scaling.md has the tables.',
  {
    count: { value: 'number', default: '20000', about: 'transactions of each kind to weigh; 0: none' },
    sizes: {
      value: 'list',
      default: '100000,1000000,5000000',
      about: 'transactions in the databases; empty: none',
    },
  },
);
const warehouses = 10;
const wids = Array.from({ length: warehouses }, (_, index) => index + 1);
const page = (number: number, pageSize = 25) =>
  ({ page: number, pageSize, sort: undefined, direction: 'asc' }) as const;

async function weigh(count: number) {
  const { url, sql } = await makeDatabase(stack, 'growth_bytes');
  const growths = await weighTransactions(sql, url, itemCount, count);
  await sql.end();
  const relations = [...new Set(growths.flatMap(({ bytes }) => [...bytes.keys()]))].sort();
  const lines = relations.map((name) => [
    `\`${name}\``,
    ...growths.map(({ bytes }) => (bytes.has(name) ? Math.round(bytes.get(name)!).toString() : '')),
  ]);
  const sums = growths.map(({ bytes }) =>
    Math.round([...bytes.values()].reduce((sum, each) => sum + each, 0)),
  );
  console.log(
    `${tableOf(['bytes', ...growths.map(({ name }) => name)], [...lines, ['together', ...sums.map(String)]])}\n`,
  );
}

type Line = Column['lines'][number];

async function claims(url: string, items: number): Promise<Line[]> {
  const applier = openApplier(url);
  const receive = (): SingleRequest => ({
    kind: 'receive',
    body: {
      itemID: `SEED-${String(1 + randomInt(items)).padStart(8, '0')}`,
      units: 5,
      wid: 1 + randomInt(warehouses),
      reasonCode: 1,
      spot: 'A-1',
    },
  });
  const batch = (size: number, key: boolean) =>
    applier.apply(Array.from({ length: size }, () => queued(receive(), { key })));
  // Warms up connections, plans and pages.
  for (let run = 0; run < 50; run++) await batch(64, true);
  const lines: Line[] = [
    ['a lone receipt', await timed(() => batch(1, false), 400)],
    ['a lone receipt with a key', await timed(() => batch(1, true), 400)],
    ['64 receipts in a batch', await timed(() => batch(64, false), 100)],
    ['64 receipts with keys in a batch', await timed(() => batch(64, true), 100)],
  ];
  await applier.end();
  return lines;
}

/** `total`: the number of transactions in the counts. */
async function lists(sql: Sql, total: number, items: number): Promise<Line[]> {
  const itemID = () => `SEED-${String(1 + randomInt(items)).padStart(8, '0')}`;
  const history = (filters: TransactionFilters, number = 1, scope = wids) =>
    timed(() => transactionPage(page(number), scope, filters).read(sql));
  return [
    ['history, newest page, 10 warehouses', await history({})],
    ['history, newest page, one warehouse', await history({}, 1, [3])],
    ['history, page in the middle', await history({}, Math.floor(total / 50))],
    ['history, last page', await history({}, Math.floor(total / 25))],
    ['history of an item', await timed(() => transactionPage(page(1), wids, { itemID: itemID() }).read(sql))],
    ['lots, newest page, 10 warehouses', await timed(() => lotPage(page(1), wids, {}).read(sql))],
    ['lots, newest page, one warehouse', await timed(() => lotPage(page(1), [3], {}).read(sql))],
  ];
}

async function lookUps(sql: Sql): Promise<Line[]> {
  const rows = await sql<{ request_id: string }[]>`
    select request_id from stock_transaction tablesample system (0.05) limit 1000`;
  const ids = rows.map(({ request_id }) => request_id);
  let at = 0;
  const one = () => readOutcomes(sql, [{ requestId: ids[at++ % ids.length]!, clientId: 'bench' }]);
  return [['an outcome by its request id', await timed(one, 500)]];
}

async function age(size: number) {
  const { url, sql, drop } = await createDatabase(stack, `growth_${size}`);
  const lots = Math.round(size / 1.4);
  const items = Math.ceil(lots / 5);
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  await seed(sql, { items, lots, warehouses, transactions: size }, () => {});
  console.error(`${size}: seeded after ${seconds()} s`);
  await addCaller(sql, 'bench', warehouses);
  const measured: Line[] = await claims(url, items);
  // The workers would have done this.
  await foldArrivals(sql, 60_000);
  measured.push(...(await lookUps(sql)), ...(await lists(sql, size, items)));
  await sql`update retention set ended = ended - interval '2 hours'`;
  measured.push(['a piece of removing old rows', await timed(() => removeOutdatedPiece(sql, 8), 5)]);
  measured.push(['the audit of everything', await timed(() => findImbalances(sql), 1)]);
  const [bytes] = await sql<{ bytes: number }[]>`select pg_database_size(current_database()) as bytes`;
  measured.push(['size, GB', Number(bytes!.bytes) / 1e9]);
  columns.push({ name: size.toLocaleString('en'), lines: measured });
  // Printed now, so that a later failure does not lose it.
  console.error(measured.map(([what, ms]) => `${what}: ${ms.toFixed(2)}`).join('\n'));
  console.error(`${size}: measured after ${seconds()} s`);
  await drop();
}

const columns: Column[] = [];
const sizes = values.sizes === '' ? [] : values.sizes.split(',').map(Number);
const stack = await startBenchStack();
try {
  if (Number(values.count) > 0) await weigh(Number(values.count));
  for (const size of sizes) await age(size);
  if (columns.length > 0) console.log(columnsTable('median, ms', columns));
} finally {
  await stack.stop();
}
