import { basename } from 'node:path';
import type { Sql } from '@inventory/postgres/pool';
import { readOptions } from '../harness/read-options.ts';
import { differs, ratioText } from './compare.ts';
import { type CpuTime, canTellCpu, cpuPerRequest, readCpu } from './cpu-time.ts';
import { type LoadResult, medianOf, runLoad } from './load.ts';
import { csvOf, marksTable, tableOf, writeBeside, writeSection } from './report.ts';
import { mixed, receive, spread } from './requests.ts';
import { beside, busiest, halfLoad, ownLoads, type Scenario, scenarios, tracked } from './scenarios.ts';
import { type Site, startSite } from './site.ts';
import { startBenchStack } from './stack.ts';
import { addTrackedStock } from './tracked-stock.ts';
import { type Way, wayOf, ways } from './ways.ts';
import { marksOf } from './write-marks.ts';

// pnpm bench write [--runs 5] [--seconds 5] [--ways ours,plain] [--scenarios 'serial;keys']
// [--source DIR,DIR] [--start 'node --import x'] [--minimums] [--dry]: compares the ways of writing in one
// run. `--scenarios`: only loads whose names contain one of these. `--source`: also the service in other
// checkouts, with their libraries installed, load by load in turns with ours, and a twin of ours, which shows
// how much two equal ways differ. `--start`: the Node and the loader that these checkouts shipped with. The
// docs then get a table of all of them and keep their marks. Half load is measured of ours and of those only
// together with the plain way, because it is half of the plain way's rate.
const values = readOptions(
  'bench write',
  'Measures the ways of writing stock, beside each other in one run, and writes docs/benchmarks.md.',
  {
    runs: { value: 'number', default: '5', about: 'how often each is measured' },
    seconds: { value: 'number', default: '5', about: 'how long each time' },
    ways: { value: 'list', default: Object.keys(ways).join(','), about: 'only these ways' },
    scenarios: {
      value: 'words',
      default: '',
      about: 'only loads whose names contain one of these, separated by ;',
    },
    source: {
      value: 'list',
      default: '',
      about: 'also the service as it stands in these other checkouts, in turns with ours',
    },
    start: {
      value: 'command',
      default: '',
      about: 'what runs the processes of these checkouts, if not this Node',
    },
    minimums: { flag: true, about: 'also ours with a minimum for each item, in turns with ours' },
    dry: { flag: true, about: 'leave docs/benchmarks.md as it is' },
  },
);
const runs = Number(values.runs);
const seconds = Number(values.seconds);
const words = values.scenarios.split(';');
const folders = values.source === '' ? [] : values.source.split(',');
const starter = values.start === '' ? [] : values.start.split(' ');
const comparesSources = folders.length > 0 || values.minimums === true;
const twin = { ...ways.ours, name: 'ours again' };
const sources: Record<string, Way> = comparesSources
  ? {
      twin,
      ...(values.minimums && { minimums: { ...ways.ours, name: 'ours, with minimums' } }),
      ...Object.fromEntries(folders.map((folder) => [basename(folder), wayOf(folder, starter)])),
    }
  : {};
const known: Record<string, Way> = { ...ways, ...sources };
const wayIds = values.ways.split(',').flatMap((id) => (id === 'ours' ? [id, ...Object.keys(sources)] : [id]));
// The ways of a group run at the same time and take turns under each load: a machine of varying speed is
// equally fast for all of them.
const inTurns = ['ours', 'plain', ...Object.keys(sources)];
const groups = [
  wayIds.filter((id) => inTurns.includes(id)),
  ...wayIds.filter((id) => !inTurns.includes(id)).map((id) => [id]),
].filter((ids) => ids.length > 0);

const warmUp = [
  { callers: 32, seconds: 3, next: receive(spread) },
  { callers: 32, seconds: 3, next: mixed(spread) },
  // A worker's code is still being compiled for the first ten thousand requests or so. Until then, a request
  // costs half as much again.
  { callers: 128, seconds: 10, next: mixed(spread) },
];
// Single requests take another path through the code. At some hundred a second, compiling it takes this long.
const warmUpAlone = { callers: 1, seconds: 8, next: receive(spread) };
// Before each measurement, because a process that stood still has become cold.
const warmUpSeconds = 2;

const chosen = (all: readonly Scenario[]) =>
  all.filter(({ name }) => words.some((word) => name.includes(word)));
const small = chosen(scenarios);
const onTracked = chosen(tracked);
const own = chosen(ownLoads);
// The load to compare with is measured before, between and after the others, because a machine's speed
// varies.
const large = onTracked.length + own.length > 0 ? [beside, ...own, beside, ...onTracked, beside] : [];
/** The ways measured beside much stock. */
const measuresLarge = (id: string, scenario: Scenario) =>
  id === 'ours' || id in sources || (id === 'plain' && !ownLoads.includes(scenario));

type Named = { name: string; callers: number };
/** `cpu`: microseconds per request. `batch`: requests in a transaction of the database. */
type Measured = LoadResult & { cpu: CpuTime | null; batch: number };
const results = new Map<string, Measured[]>();
const isSame = (a: Named, b: Named) => a.name === b.name && a.callers === b.callers;
const keyOf = (way: string, { name, callers }: Named) => `${way}|${callers}|${name}`;

const stack = await startBenchStack();
try {
  for (let run = 1; run <= runs; run++) {
    for (const ids of groups) {
      if (small.length > 0) await measure(ids, run, small, 'small');
      const stocked = ids.filter((id) => measuresLarge(id, beside));
      if (large.length > 0 && stocked.length > 0) await measure(stocked, run, large, 'large');
    }
  }
} finally {
  await stack.stop();
}

/** Measures ways in turns, each on a site of its own. */
async function measure(ids: string[], run: number, loads: readonly Scenario[], size: 'small' | 'large') {
  const sites: { id: string; site: Site }[] = [];
  // The site that was warmed up first has become cold again by its turn, so each is the first as often.
  const first = run % ids.length;
  for (const id of [...ids.slice(first), ...ids.slice(0, first)]) {
    const seed = async (sql: Sql) => {
      if (size === 'large') await addTrackedStock(sql);
      if (id === 'minimums') await addMinimums(sql);
    };
    sites.push({ id, site: await startSite(stack, known[id]!, `bench_${id}_${size}_${run}`, seed) });
  }
  // Warms up each service: compiled, connected, its gates created. The tables are not analysed, because picks
  // must find their index whatever Postgres assumes about them.
  const alone = loads.some(({ callers }) => callers === 1) ? [warmUpAlone] : [];
  for (const { site } of sites) site.pause();
  for (const load of [...warmUp, ...alone]) {
    for (const { site } of sites) await runAlone(site, load);
  }
  for (const [index, scenario] of loads.entries()) {
    // Each goes first as often as it goes second.
    const inTurn = (index + run) % 2 === 0 ? sites : sites.toReversed();
    const taking = inTurn.filter(({ id }) => size === 'small' || measuresLarge(id, scenario));
    for (const { id, site } of taking) await measureOne(run, id, site, scenario);
    const plain = results.get(keyOf('plain', busiest))?.[run - 1];
    if (!isSame(scenario, busiest) || plain === undefined || !ids.includes('plain')) continue;
    const half = { ...scenario, ...halfLoad };
    for (const { id, site } of taking) await measureOne(run, id, site, half, plain.rate / 2);
  }
  for (const { site } of sites) {
    site.resume();
    await site.stop();
  }
}

/** Each item gets a minimum that the loads cross now and then. */
async function addMinimums(sql: Sql): Promise<void> {
  await sql`
    insert into stock_level (part_no, wid, minimum, used)
    select part_no, 1, 20, true from item
    on conflict (part_no, wid) do update set minimum = excluded.minimum`;
}

/** Puts a load on a site while all others stand still. */
async function runAlone(
  site: Site,
  load: Omit<Parameters<typeof runLoad>[0], 'origin' | 'token' | 'warmUpSeconds'>,
) {
  site.resume();
  const result = await runLoad({ ...site, ...load, warmUpSeconds: 0 });
  await site.settle();
  site.pause();
  return result;
}

async function measureOne(
  run: number,
  id: string,
  site: Site,
  scenario: Scenario,
  pacePerSecond?: number,
): Promise<void> {
  const { name, callers, load } = scenario;
  const paced = pacePerSecond === undefined ? {} : { pacePerSecond };
  const next = load();
  await runAlone(site, { callers, seconds: warmUpSeconds, next, ...paced });
  const last = await lastTransaction(site);
  const before = readCpu(site);
  const result = await runAlone(site, { callers, seconds, next, ...paced });
  const after = readCpu(site);
  const cpu = before === null || after === null ? null : cpuPerRequest(before, after, result.answered);
  const batch = await batchSizeSince(last, site);
  results.set(keyOf(id, scenario), [...(results.get(keyOf(id, scenario)) ?? []), { ...result, cpu, batch }]);
  const { rate, p50Ms, p99Ms, errors } = result;
  console.log(
    `run ${run} ${id.padEnd(8)} ${String(callers).padStart(3)} callers, ${name.padEnd(42)} ${rate.toFixed(0).padStart(6)}/s ` +
      `p50 ${p50Ms.toFixed(1)} ms p99 ${p99Ms.toFixed(1)} ms errors ${errors}` +
      (cpu === null ? '' : ` cpu ${cpuText(cpu)}`),
  );
}

async function lastTransaction({ sql }: Site): Promise<string> {
  const rows = await sql<{ no: string }[]>`
    select coalesce(max(transaction_no), 0)::text as no from stock_transaction`;
  return rows[0]!.no;
}

/** The mean number of requests that one transaction of the database has applied. */
async function batchSizeSince(transactionNo: string, { sql }: Site): Promise<number> {
  const rows = await sql<{ size: number }[]>`
    select count(*)::float8 / greatest(count(distinct xmin::text), 1) as size
    from stock_transaction
    where transaction_no > ${transactionNo}`;
  return rows[0]!.size;
}

function cpuText({ api, worker, postgres, redis }: CpuTime): string {
  return [api, worker, postgres, redis].map((part) => part.toFixed(0)).join(' + ');
}

const cpuOf = ({ cpu }: Measured) =>
  cpu === null ? Number.NaN : cpu.api + cpu.worker + cpu.postgres + cpu.redis;

/** A figure of ours divided by that of another way, turn by turn. */
function ratiosTo(way: string, scenario: Named, read: (result: Measured) => number): number[] {
  const [ours, others] = ['ours', way].map((id) => results.get(keyOf(id, scenario)) ?? []);
  return ours!
    .slice(0, others!.length)
    .map((result, turn) => read(result) / read(others![turn]!))
    .filter(Number.isFinite);
}

/** How ours compares with another way, and whether a twin of ours differs as much. */
function ratioTo(way: string, scenario: Named, read: (result: Measured) => number): string {
  const ratios = ratiosTo(way, scenario, read);
  const isTold = !comparesSources || way === 'twin' || differs(ratios, ratiosTo('twin', scenario, read));
  return `${ratioText(ratios)}${isTold || ratios.length === 0 ? '' : ', no difference'}`;
}

/** NaN if not measured. */
const median = (way: string, scenario: Named, read: (result: Measured) => number) =>
  medianOf((results.get(keyOf(way, scenario)) ?? []).map(read));

const rows = [...small, halfLoad, ...new Set(large)].flatMap((scenario) =>
  wayIds
    .filter((id) => results.has(keyOf(id, scenario)))
    .map((id) => {
      const of = (read: (result: Measured) => number) => median(id, scenario, read);
      const cpu = (part: keyof CpuTime) => of((result) => result.cpu?.[part] ?? Number.NaN);
      return [
        String(scenario.callers),
        scenario.name,
        known[id]!.name,
        Math.round(of(({ rate }) => rate)).toLocaleString('en'),
        of(({ p50Ms }) => p50Ms).toFixed(1),
        of(({ p99Ms }) => p99Ms).toFixed(1),
        String(of(({ errors }) => errors)),
        of(({ batch }) => batch).toFixed(1),
        id === 'ours' ? '' : ratioTo(id, scenario, cpuOf),
        id === 'ours' ? '' : ratioTo(id, scenario, ({ rate }) => rate),
        Number.isNaN(cpu('api'))
          ? ''
          : cpuText({
              api: cpu('api'),
              worker: cpu('worker'),
              postgres: cpu('postgres'),
              redis: cpu('redis'),
            }),
      ];
    }),
);
const head = [
  'callers',
  'load',
  'way',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'errors',
  'requests a batch',
  'CPU: ours / it',
  'rate: ours / it',
  'CPU, µs',
];
const text = [
  `Medians of ${runs} runs of ${seconds} s each, in turns, while the other ways stand still. \`ours / it\` is ` +
    'our figure divided by that of the other way: the median of the turns, the lowest and the highest. ' +
    'Each way first warms up: 32 callers for 6 s, 128 for 10 s, one for 8 s (not for loads on much stock), and ' +
    `before each load for ${warmUpSeconds} s. ` +
    'A load by serial, tag or spot is one third each of receipts, moves and issues. ' +
    'All figures are in [write.csv](benchmarks/write.csv). ' +
    (canTellCpu
      ? 'There, `CPU` is microseconds a request, of api, worker, all processes of Postgres and Redis.'
      : 'This system does not tell how much CPU time processes use.'),
  marksTable(marksOf(median)),
].join('\n\n');
console.log(`\n${text}\n\n${tableOf(head, rows)}`);
if (!values.dry && comparesSources) {
  const options = [
    `--runs ${runs} --seconds ${seconds} --ways ${values.ways}`,
    ...(folders.length > 0 ? [`--source ${folders.map((folder) => basename(folder))}`] : []),
    ...(starter.length > 0 ? [`--start "${starter.map((part) => basename(part)).join(' ')}"`] : []),
    ...(values.minimums ? ['--minimums'] : []),
  ].join(' ');
  await writeSection('sources', `\`pnpm bench write ${options}\``, tableOf(head, rows));
} else if (!values.dry && values.scenarios === '') {
  await writeSection('write', `\`pnpm bench write --runs ${runs} --seconds ${seconds}\``, text);
  await writeBeside('write.csv', csvOf(head, rows));
}
