import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SingleRequest } from '@inventory/domain/kinds/kinds';
import { connect, type Sql } from '@inventory/postgres/pool';
import { databaseOf } from '../harness/global-setup.ts';
import { readOptions } from '../harness/read-options.ts';
import { tableOf } from './report.ts';
import { itemCount, makeDatabase } from './site.ts';
import { startBenchStack } from './stack.ts';
import { openApplier, queued } from './transaction-bytes.ts';

// pnpm bench indexes [--rounds 20] [--lots 100000]: the cost of each index to a receipt. Each index is
// missing in one copy of a database, and all copies take turns. A twin that has all of them shows how much
// two equal copies differ.
const values = readOptions(
  'bench indexes',
  'Measures the processor time that each index of lot, stock_transaction and stock_entry costs a receipt. Prints Markdown; docs/reads.md has the table.',
  {
    rounds: { value: 'number', default: '20', about: 'how often each copy takes its turn' },
    lots: { value: 'number', default: '100000', about: 'lots that are there before' },
  },
);
const batchSize = 64;
const batchesOfATurn = 20;
const whole = 'all indexes';
const twin = 'all indexes, again';

const receive = () => ({
  itemID: `I${randomInt(itemCount)}`,
  units: 100,
  wid: 1,
  reasonCode: 1,
  spot: `A-${randomInt(60)}-${randomInt(5)}`,
});
const loads: Record<string, () => SingleRequest> = {
  receive: () => ({ kind: 'receive', body: receive() }),
  'receive with every field': () => ({
    kind: 'receive',
    body: {
      ...receive(),
      serial: `S${randomUUID().slice(0, 12)}`,
      serial2: `T${randomUUID().slice(0, 12)}`,
      rfidTag: randomUUID(),
      jobID: 1 + randomInt(100_000),
      reference: `PO-${randomInt(100_000)}`,
    },
  }),
};

/** A copy of the database, and what applies receipts to it. */
type Copy = { name: string; sql: Sql; applier: ReturnType<typeof openApplier> };

const stack = await startBenchStack();
try {
  const { url, sql } = await makeDatabase(stack, 'indexes');
  await fill(url, Number(values.lots));
  const names = await indexNames(sql);
  await sql.end();
  const copies: Copy[] = [];
  for (const name of [whole, twin, ...names]) copies.push(await copyWithout(name, copies.length));
  for (const copy of copies) for (const next of Object.values(loads)) await applyTurn(copy, next);

  const times = new Map<string, number[]>();
  const keyOf = (load: string, copy: string) => `${load}|${copy}`;
  for (let round = 0; round < Number(values.rounds); round++) {
    const first = (round * 7) % copies.length;
    for (const [load, next] of Object.entries(loads)) {
      for (const copy of [...copies.slice(first), ...copies.slice(0, first)]) {
        const key = keyOf(load, copy.name);
        times.set(key, [...(times.get(key) ?? []), await applyTurn(copy, next)]);
      }
    }
    console.error(`round ${round + 1} of ${values.rounds}`);
  }
  for (const { sql, applier } of copies) {
    await applier.end();
    await sql.end();
  }

  // Whatever disturbs a turn only adds to its time.
  const quickest = (load: string, name: string) => Math.min(...times.get(keyOf(load, name))!);
  const lines = [whole, twin, ...names].map((name) => [
    name === whole || name === twin ? name : `\`${name}\``,
    ...Object.keys(loads).map((load) => {
      const [time, all] = [name, whole].map((each) => quickest(load, each));
      return name === whole ? `${time!.toFixed(1)} µs` : `${((1 - time! / all!) * 100).toFixed(1)} %`;
    }),
  ]);
  console.log(tableOf(['without', ...Object.keys(loads)], lines));
} finally {
  await stack.stop();
}

async function fill(url: string, lots: number): Promise<void> {
  const applier = openApplier(url);
  for (let done = 0; done < lots; done += 256) {
    await applier.apply(Array.from({ length: 256 }, () => queued(loads['receive with every field']!())));
  }
  await applier.end();
}

/** The indexes that no constraint needs. */
async function indexNames(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select indexrelid::regclass::text as name
    from pg_index
    where indrelid in ('lot'::regclass, 'stock_transaction'::regclass, 'stock_entry'::regclass) and not indisunique
    order by indrelid::regclass::text, 1`;
  return rows.map(({ name }) => name);
}

async function copyWithout(name: string, number: number): Promise<Copy> {
  const database = `indexes_${number}`;
  const server = connect(stack.databaseUrl, { name: 'bench', connectionsMax: 1 });
  await server.unsafe(`create database ${database} template indexes`);
  await server.end();
  const url = databaseOf(stack.databaseUrl, database);
  const sql = connect(url, { name: 'bench', connectionsMax: 1 });
  if (name !== whole && name !== twin) await sql.unsafe(`drop index ${name}`);
  return { name, sql, applier: openApplier(url) };
}

/** Applies some batches of receipts. Returns microseconds of Postgres' processes for each. */
async function applyTurn({ sql, applier }: Copy, next: () => SingleRequest): Promise<number> {
  const before = await busyNs(sql);
  for (let batch = 0; batch < batchesOfATurn; batch++) {
    await applier.apply(Array.from({ length: batchSize }, () => queued(next())));
  }
  return ((await busyNs(sql)) - before) / 1000 / (batchSize * batchesOfATurn);
}

/** Nanoseconds that the processes behind all other connections to this database have been busy. */
async function busyNs(sql: Sql): Promise<number> {
  const rows = await sql<{ pid: number }[]>`
    select pid
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;
  return rows.reduce(
    (sum, { pid }) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]),
    0,
  );
}
