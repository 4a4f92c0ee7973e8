import { parseArgs } from 'node:util';
import { type LoadResult, runLoad } from './load.ts';
import { type Mark, marksTable, tableOf, writeSection } from './report.ts';
import { mixed, one, receive, spread } from './requests.ts';
import { startBenchStack, startSite } from './site.ts';
import { type WayId, ways } from './ways.ts';

// pnpm bench:write [--runs 3] [--seconds 3] [--ways ours,plain] [--dry]: the ways of writing, beside each other in one run.
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    ways: { type: 'string', default: Object.keys(ways).join(',') },
    dry: { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs);
const seconds = Number(values.seconds);
const warmUp = [
  { callers: 32, seconds: 3, next: receive(spread) },
  { callers: 32, seconds: 3, next: mixed(spread) },
  // One request at a time goes another way through the code; at some hundred a second it takes that long to be compiled.
  { callers: 1, seconds: 8, next: receive(spread) },
];
const wayIds = values.ways.split(',') as WayId[];

const scenarios = [1, 32, 128].flatMap((callers) => [
  { name: 'receive, 1,000 items', callers, next: receive(spread) },
  { name: 'receive, one item', callers, next: receive(one) },
  { name: 'mixed, 1,000 items', callers, next: mixed(spread) },
  { name: 'mixed, one item', callers, next: mixed(one) },
]);

const results = new Map<string, LoadResult[]>();
const keep = (key: string, result: LoadResult) => results.set(key, [...(results.get(key) ?? []), result]);
const keyOf = (way: string, scenario: { name: string; callers: number }) =>
  `${way}|${scenario.callers}|${scenario.name}`;
const halfLoad = { name: 'mixed, 1,000 items, half load', callers: 128 };

const stack = await startBenchStack();
try {
  for (let run = 1; run <= runs; run++) {
    for (const id of wayIds) await measure(id, run);
  }
} finally {
  await stack.stop();
}

async function measure(id: WayId, run: number) {
  const site = await startSite(stack, ways[id], `bench_${id}_${run}`);
  // A service that has run for a while: compiled, connected, its gates made, and Postgres has looked at its tables.
  for (const load of warmUp) await runLoad({ ...site, ...load, warmUpSeconds: 0 });
  await site.sql`analyze`;
  for (const scenario of scenarios) {
    const result = await runLoad({ ...site, ...scenario, seconds, warmUpSeconds: 1 });
    keep(keyOf(id, scenario), result);
    show(run, id, scenario, result);
    if (scenario.name === 'mixed, 1,000 items' && scenario.callers === 128) {
      const paced = { ...site, ...scenario, seconds, warmUpSeconds: 1, pacePerSecond: result.rate / 2 };
      const half = await runLoad(paced);
      keep(keyOf(id, halfLoad), half);
      show(run, id, halfLoad, half);
    }
  }
  await site.stop();
}

function show(
  run: number,
  id: string,
  { name, callers }: { name: string; callers: number },
  result: LoadResult,
) {
  const { rate, p50Ms, p99Ms, errors } = result;
  console.log(
    `run ${run} ${id.padEnd(8)} ${String(callers).padStart(3)} callers, ${name.padEnd(30)} ${rate.toFixed(0).padStart(6)}/s ` +
      `p50 ${p50Ms.toFixed(1)} ms p99 ${p99Ms.toFixed(1)} ms errors ${errors}`,
  );
}

const middle = (numbers: number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
const median = (
  way: WayId,
  scenario: { name: string; callers: number },
  read: (result: LoadResult) => number,
) => middle((results.get(keyOf(way, scenario)) ?? []).map(read));
const rate = (way: WayId, scenario: { name: string; callers: number }) =>
  median(way, scenario, (result) => result.rate);

const rows = [...scenarios, halfLoad].flatMap((scenario) =>
  wayIds.map((id) => {
    const of = (read: (result: LoadResult) => number) => median(id, scenario, read);
    const ratio = rate('ours', scenario) / rate(id, scenario);
    return [
      String(scenario.callers),
      scenario.name,
      ways[id].name,
      Math.round(of((result) => result.rate)).toLocaleString('en'),
      of((result) => result.p50Ms).toFixed(1),
      of((result) => result.p99Ms).toFixed(1),
      String(of((result) => result.errors)),
      id === 'ours' ? '' : `${ratio.toFixed(1)} x`,
    ];
  }),
);
const busiest = { name: 'mixed, 1,000 items', callers: 128 };
const hottest = { name: 'mixed, one item', callers: 128 };
const alone = { name: 'receive, 1,000 items', callers: 1 };
const p50 = (way: WayId, scenario: { name: string; callers: number }) =>
  median(way, scenario, (result) => result.p50Ms);
const marks: Mark[] = [];
const mark = (what: string, value: number, bound: string, met: boolean) => {
  if (!Number.isNaN(value)) marks.push([what, value.toFixed(2), bound, met]);
};
const atLeast = (what: string, value: number, bound: number) =>
  mark(what, value, `>= ${bound}`, value >= bound);
const atMost = (what: string, value: number, bound: number) =>
  mark(what, value, `<= ${bound}`, value <= bound);
atLeast(
  '128 callers, mixed: ours / one request per batch',
  rate('ours', busiest) / rate('single', busiest),
  3,
);
atLeast('128 callers, mixed: ours / plain', rate('ours', busiest) / rate('plain', busiest), 1.5);
atLeast('128 callers, mixed: ours / waitUntilFinished', rate('ours', busiest) / rate('waiting', busiest), 3);
atLeast('128 callers, mixed, one item: ours / plain', rate('ours', hottest) / rate('plain', hottest), 4);
atLeast('128 callers, mixed: one item / 1,000 items', rate('ours', hottest) / rate('ours', busiest), 0.9);
atLeast(
  '128 callers, mixed: ours / without what pages and totals are kept exact by',
  rate('ours', busiest) / rate('uncounted', busiest),
  0.9,
);
atMost('one caller, receive: p50 of ours, ms', p50('ours', alone), 3);
atMost('one caller, receive: p50 of ours / plain', p50('ours', alone) / p50('plain', alone), 2.5);
atMost(
  'half load, mixed: p99 of ours, ms',
  median('ours', halfLoad, (result) => result.p99Ms),
  40,
);

const text = [
  `Medians of ${runs} runs of ${seconds} s each, everything (load, api, worker, Postgres, Redis) on one machine of 2 cores. ` +
    'Trust the ratios. `ours / it` says how many times as many requests ours serves. Rates count only answers of success. ' +
    'Before its measurements every way serves 32 callers for 6 s and one for 8 s.',
  marksTable(marks),
  tableOf(['callers', 'load', 'way', 'requests/s', 'p50 ms', 'p99 ms', 'errors', 'ours / it'], rows),
].join('\n\n');
console.log(`\n${text}`);
if (!values.dry)
  await writeSection('write', `\`pnpm bench:write --runs ${runs} --seconds ${seconds}\``, text);
