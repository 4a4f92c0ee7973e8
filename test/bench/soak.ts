import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../harness/read-options.ts';
import { runLoad } from './load.ts';
import { isFlat, memoryOf, quartersOf } from './memory.ts';
import { type Mark, marksTable, tableOf, writeSection } from './report.ts';
import { mixed, spread } from './requests.ts';
import { databaseDisk, postgresMemory, redisMemory } from './servers-memory.ts';
import { startSite } from './site.ts';
import { benchFolder, startBenchStack } from './stack.ts';
import { ways } from './ways.ts';

// pnpm bench soak [--seconds 3600] [--dry]: full load for this long. Does anything grow that should not?
const values = readOptions(
  'bench soak',
  'Runs at full load for an hour, and shows whether anything grows that should not.',
  {
    seconds: { value: 'number', default: '3600', about: 'how long' },
    dry: { flag: true, about: 'leave docs/benchmarks.md as it is' },
  },
);
const samplesMin = 16;
const redisMaxMb = 100;
const errorsMax = 0.001;
const smallTableMb = 1;

const stack = await startBenchStack();
const serverPid = JSON.parse(readFileSync(join(benchFolder, 'postgres.pid'), 'utf8')).pid as number;
const site = await startSite(stack, ways.ours, 'bench_soak');
const walMaxMb = await readWalMax();
const series = new Map<string, number[]>();
const note = (name: string, value: number) => series.set(name, [...(series.get(name) ?? []), value]);
const of = (name: string) => series.get(name) ?? [];
let served = 0;
let errors = 0;
const startedAt = performance.now();
const secondsSoFar = () => (performance.now() - startedAt) / 1000;
// Short enough for several samples in each quarter, even of a short run.
const stepSeconds = Math.min(15, Math.max(1, Number(values.seconds) / samplesMin));

while (secondsSoFar() < Number(values.seconds) || of('api').length < samplesMin) {
  const load = { callers: 64, seconds: stepSeconds, warmUpSeconds: 0, next: mixed(spread) };
  const result = await runLoad({ ...site, ...load });
  served += result.succeeded;
  errors += result.errors;
  await sample();
}
const seconds = secondsSoFar();
await site.stop();
await stack.stop();

const flat = (name: string, noise: number): Mark => [
  `${name} is flat: last quarter against the second`,
  `${quartersOf(of(name))[3]!.toFixed(1)} MB`,
  `<= ${(quartersOf(of(name))[1]! * 1.2 + noise).toFixed(1)} MB`,
  isFlat(of(name), noise),
];
const atMost = (what: string, seen: number, bound: number, unit: string): Mark => [
  what,
  `${seen.toFixed(unit === '' ? 4 : 0)}${unit}`,
  `<= ${bound}${unit}`,
  seen <= bound,
];
gatherSmallTables();
const tables = [...series.keys()].filter((name) => name.startsWith('table'));
const marks: Mark[] = [
  flat('api', 16),
  flat('worker', 16),
  flat('Postgres, its own', 16),
  flat('Redis', 8),
  atMost('Redis: most of any sample', Math.max(...of('Redis')), redisMaxMb, ' MB'),
  ...tables.map((name) => flat(name, 4)),
  atMost('write-ahead log: most of any sample', Math.max(...of('write-ahead log')), walMaxMb, ' MB'),
  atMost('share of requests that failed', errors / served, errorsMax, ''),
];
const lines = [...series].map(([name, values]) => [
  name,
  values[0]!.toFixed(1),
  ...quartersOf(values).map((value) => value.toFixed(1)),
  values.at(-1)!.toFixed(1),
]);
const text = [
  `${served.toLocaleString('en')} mixed requests by 64 callers in ${seconds.toFixed(0)} s. Memory and disk in MB: first sample, median of each quarter, last sample. ` +
    'The ledger grows with the business, and the counts of the lists by a row in two seconds.',
  tableOf(['what', 'first', '1st quarter', '2nd', '3rd', '4th', 'last'], lines),
  marksTable(marks),
].join('\n\n');
console.log(`\n${text}`);
if (!values.dry) await writeSection('soak', `\`pnpm bench soak --seconds ${values.seconds}\``, text);
process.exit(marks.every(([, , , met]) => met) ? 0 : 1);

async function sample() {
  const { api, worker } = site.processes;
  note('api', memoryOf(api.child));
  note('worker', memoryOf(worker!.child));
  const postgres = postgresMemory(serverPid);
  note('Postgres, its own', postgres.own);
  note('Postgres, with shared buffers', postgres.whole);
  const redis = await redisMemory(stack.redisUrl);
  note('Redis', redis.usedMb);
  note('Redis: entries of streams (a number)', redis.streamEntries);
  const disk = await databaseDisk(site.sql);
  note('ledger', disk.ledgerMb);
  for (const [name, size] of disk.others) note(`table ${name}`, size);
  note('write-ahead log', disk.walMb);
  const [apiMb, workerMb, postgresMb] = ['api', 'worker', 'Postgres, its own'].map((name) => of(name).at(-1));
  console.log(
    `${secondsSoFar().toFixed(0)} s, ${served} requests: api ${apiMb?.toFixed(0)} MB, worker ${workerMb?.toFixed(0)} MB, ` +
      `Postgres ${postgresMb?.toFixed(0)} MB, Redis ${redis.usedMb.toFixed(1)} MB in ${redis.streamEntries} entries, ` +
      `ledger ${disk.ledgerMb.toFixed(0)} MB, write-ahead log ${disk.walMb.toFixed(0)} MB`,
  );
}

/** Tables that stayed below a megabyte share one line. */
function gatherSmallTables() {
  const small = [...series].filter(
    ([name, sizes]) => name.startsWith('table ') && Math.max(...sizes) < smallTableMb,
  );
  for (const [name] of small) series.delete(name);
  const sums = of('api').map((_, index) => small.reduce((sum, [, sizes]) => sum + sizes[index]!, 0));
  series.set(`tables, the ${small.length} others together`, sums);
}

/** The write-ahead log stays within this limit, except for writes during a checkpoint. */
async function readWalMax(): Promise<number> {
  const [row] = await site.sql<{ mb: number }[]>`
    select setting::integer as mb from pg_settings where name = 'max_wal_size'`;
  return row!.mb * 1.5;
}
