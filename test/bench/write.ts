import { parseArgs } from 'node:util';
import { type LoadResult, runLoad } from './load.ts';
import { marksTable, tableOf, writeSection } from './report.ts';
import { mixed, receive, spread } from './requests.ts';
import { beside, busiest, halfLoad, type Scenario, scenarios, tracked, withKeys } from './scenarios.ts';
import { type Site, startBenchStack, startSite } from './site.ts';
import { addTrackedStock } from './tracked-stock.ts';
import { type Way, wayOf, ways } from './ways.ts';
import { marksOf } from './write-marks.ts';

// pnpm bench:write [--runs 3] [--seconds 3] [--ways ours,plain] [--scenarios serial,keys] [--source DIR] [--dry]: the ways of writing,
// beside each other in one run. `--scenarios`: only loads with one of these words in their names. `--source`: also the service as
// it stands in another checkout, with its libraries installed, load by load in turns with ours. Neither changes the docs.
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    ways: { type: 'string', default: Object.keys(ways).join(',') },
    scenarios: { type: 'string', default: '' },
    source: { type: 'string' },
    dry: { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs);
const seconds = Number(values.seconds);
const words = values.scenarios.split(',');
const dry = values.dry || values.scenarios !== '' || values.source !== undefined;
const known: Record<string, Way> = {
  ...ways,
  ...(values.source === undefined ? {} : { before: wayOf(values.source) }),
};
// Each group runs at the same time, and its loads take turns.
const groups = values.ways
  .split(',')
  .map((id) => (id === 'ours' && 'before' in known ? ['ours', 'before'] : [id]));
const wayIds = groups.flat();

const warmUp = [
  { callers: 32, seconds: 3, next: receive(spread) },
  { callers: 32, seconds: 3, next: mixed(spread) },
];
// One request at a time goes another way through the code; at some hundred a second it takes that long to be compiled.
const warmUpAlone = { callers: 1, seconds: 8, next: receive(spread) };
const warmUpFull = { callers: 128, seconds: 3, next: mixed(spread) };

const chosen = (all: readonly Scenario[]) =>
  all.filter(({ name }) => words.some((word) => name.includes(word)));
const small = chosen(scenarios);
const onTracked = chosen(tracked);
const keys = chosen([withKeys]);
// The way the others are compared with is measured whenever they are: before, between and after, for a
// machine that is not always as fast.
const large = onTracked.length + keys.length > 0 ? [beside, ...keys, beside, ...onTracked, beside] : [];
/** The ways measured beside much stock; only the service itself has keys. */
const measuresLarge = (id: string, { name }: { name: string }) =>
  ['ours', 'before'].includes(id) || (id === 'plain' && name !== withKeys.name);

const results = new Map<string, LoadResult[]>();
type Named = { name: string; callers: number };
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

/** Ways that take turns, each on a site of its own. */
async function measure(ids: string[], run: number, loads: readonly Scenario[], size: 'small' | 'large') {
  const sites: { id: string; site: Site }[] = [];
  for (const id of ids) {
    const seed = size === 'large' ? addTrackedStock : undefined;
    sites.push({ id, site: await startSite(stack, known[id]!, `bench_${id}_${size}_${run}`, seed) });
  }
  // A service that has run for a while: compiled, connected, its gates made, and Postgres has looked at its tables.
  for (const { site } of sites) {
    for (const load of warmUp) await runLoad({ ...site, ...load, warmUpSeconds: 0 });
    const last = loads.some(({ callers }) => callers === 1) ? warmUpAlone : warmUpFull;
    await runLoad({ ...site, ...last, warmUpSeconds: 0 });
    await site.sql`analyze`;
  }
  for (const [index, scenario] of loads.entries()) {
    // Each is first as often as it is second.
    const inTurn = (index + run) % 2 === 0 ? sites : sites.toReversed();
    for (const { id, site } of inTurn) {
      if (size === 'large' && !measuresLarge(id, scenario)) continue;
      const result = await measureOne(run, id, site, scenario);
      if (scenario.name !== busiest.name || scenario.callers !== busiest.callers) continue;
      await measureOne(run, id, site, { ...scenario, ...halfLoad }, result.rate / 2);
    }
  }
  for (const { site } of sites) await site.stop();
}

async function measureOne(
  run: number,
  id: string,
  site: Site,
  scenario: Scenario,
  pacePerSecond?: number,
): Promise<LoadResult> {
  const { name, callers, load } = scenario;
  const paced = pacePerSecond === undefined ? {} : { pacePerSecond };
  const result = await runLoad({ ...site, callers, seconds, warmUpSeconds: 1, next: load(), ...paced });
  await site.settle();
  results.set(keyOf(id, scenario), [...(results.get(keyOf(id, scenario)) ?? []), result]);
  const { rate, p50Ms, p99Ms, errors } = result;
  console.log(
    `run ${run} ${id.padEnd(8)} ${String(callers).padStart(3)} callers, ${name.padEnd(42)} ${rate.toFixed(0).padStart(6)}/s ` +
      `p50 ${p50Ms.toFixed(1)} ms p99 ${p99Ms.toFixed(1)} ms errors ${errors}`,
  );
  return result;
}

const middle = (numbers: number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
/** NaN for what was not measured. */
const median = (way: string, scenario: Named, read: (result: LoadResult) => number) =>
  middle((results.get(keyOf(way, scenario)) ?? []).map(read));

const rows = [...small, halfLoad, ...new Set(large)].flatMap((scenario) =>
  wayIds
    .filter((id) => results.has(keyOf(id, scenario)))
    .map((id) => {
      const of = (read: (result: LoadResult) => number) => median(id, scenario, read);
      const ratio = median('ours', scenario, ({ rate }) => rate) / of(({ rate }) => rate);
      return [
        String(scenario.callers),
        scenario.name,
        known[id]!.name,
        Math.round(of(({ rate }) => rate)).toLocaleString('en'),
        of(({ p50Ms }) => p50Ms).toFixed(1),
        of(({ p99Ms }) => p99Ms).toFixed(1),
        String(of(({ errors }) => errors)),
        id === 'ours' || !Number.isFinite(ratio)
          ? ''
          : `${ratio.toFixed(values.source === undefined ? 1 : 2)} x`,
      ];
    }),
);
const text = [
  `Medians of ${runs} runs of ${seconds} s each, everything (load, api, worker, Postgres, Redis) on one machine of 2 cores. ` +
    'Trust the ratios. `ours / it` says how many times as many requests ours serves. Rates count only answers of success. ' +
    'Before its measurements every way serves 32 callers for 6 s, then one for 8 s or, beside much stock, 128 for 3 s. ' +
    'The other database has 20,000 lots of an item with a serial each, 20,000 of one with an RFID tag each and 100,000 of a third; ' +
    'each third of a load by serial, tag or spot are receipts, moves and issues.',
  marksTable(marksOf(median)),
  tableOf(['callers', 'load', 'way', 'requests/s', 'p50 ms', 'p99 ms', 'errors', 'ours / it'], rows),
].join('\n\n');
console.log(`\n${text}`);
if (!dry) await writeSection('write', `\`pnpm bench:write --runs ${runs} --seconds ${seconds}\``, text);
