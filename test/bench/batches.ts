import { readOptions } from '../harness/read-options.ts';
import { type LoadRequest, type LoadResult, medianOf, runLoad } from './load.ts';
import { memoryOf } from './memory.ts';
import { atLeast, atMost, csvOf, marksTable, writeBeside, writeSection } from './report.ts';
import { batched, mixed, receive, spread } from './requests.ts';
import { startSite } from './site.ts';
import { startBenchStack } from './stack.ts';
import { ways } from './ways.ts';

// pnpm bench batches [--runs 3] [--seconds 3] [--dry]: many operations in one call, compared with the same
// operations one by one, through the queue and straight on the database, in turns within one run.
const values = readOptions(
  'bench batches',
  'Measures many operations in one call beside the same one by one, and writes docs/benchmarks.md.',
  {
    runs: { value: 'number', default: '3', about: 'how often each is measured' },
    seconds: { value: 'number', default: '3', about: 'how long each time' },
    dry: { flag: true, about: 'leave docs/benchmarks.md as it is' },
  },
);
const runs = Number(values.runs);
const seconds = Number(values.seconds);
const operations = 500;
const fewCallers = 8;
const loneCallers = 32;
const manyCallers = 64;

type Next = () => LoadRequest;
const kinds: [kind: string, next: Next][] = [
  ['receive', receive(spread)],
  ['mixed', mixed(spread)],
];
const seen = new Map<string, LoadResult[]>();

function note(what: string, result: LoadResult): LoadResult {
  seen.set(what, [...(seen.get(what) ?? []), result]);
  const { rate, p50Ms, p99Ms, errors } = result;
  console.log(
    `${what.padEnd(56)} ${rate.toFixed(0).padStart(7)}/s p50 ${p50Ms.toFixed(1)} ms p99 ${p99Ms.toFixed(1)} ms errors ${errors}`,
  );
  return result;
}

const stack = await startBenchStack();
const ours = await startSite(stack, ways.ours, 'bench_batches');
const plain = await startSite(stack, ways.plain, 'bench_batches_plain');
const memory: number[] = [];
try {
  for (const site of [ours, plain]) {
    for (const [, next] of kinds)
      await runLoad({ ...site, callers: loneCallers, seconds: 3, warmUpSeconds: 0, next });
    await site.sql`analyze`;
  }
  for (let run = 1; run <= runs; run++) {
    for (const [kind, next] of kinds) await measureKind(kind, next);
    await measureNeighbours();
  }
  await measureMemory();
} finally {
  await ours.stop();
  await plain.stop();
  await stack.stop();
}

async function measure(what: string, load: Partial<Parameters<typeof runLoad>[0]> & { next: Next }) {
  const result = await runLoad({ ...ours, callers: 128, seconds, warmUpSeconds: 1, ...load });
  await ours.settle();
  await plain.settle();
  return note(what, result);
}

async function measureKind(kind: string, next: Next) {
  const full = await measure(`${kind}: batches`, { callers: fewCallers, next: batched(operations, next) });
  await measure(`${kind}: one by one`, { next });
  await measure(`${kind}: plain`, { ...plain, next });
  const pacePerSecond = full.rate / operations / 2;
  const half = { callers: fewCallers, next: batched(operations, next), pacePerSecond };
  // Longer, because few batches come at half load.
  await measure(`${kind}: batches at half load`, { ...half, seconds: 3 * seconds });
}

/** The latency of single requests beside a client that sends batch after batch, and beside an idle one. */
async function measureNeighbours() {
  const alone = { callers: loneCallers, next: receive(spread) };
  await measure('beside nobody', alone);
  const neighbour = runLoad({
    ...ours,
    callers: 1,
    seconds: seconds + 1,
    warmUpSeconds: 0,
    next: batched(operations, receive(spread)),
  });
  await measure('beside batches', alone);
  note('the batches beside them', await neighbour);
  await measure('one caller', { callers: 1, next: receive(spread) });
}

/** The api's memory while many send full batches, sampled every second. */
async function measureMemory() {
  const timer = setInterval(() => memory.push(memoryOf(ours.processes.api.child)), 1000);
  const load = { callers: manyCallers, next: batched(operations, receive(spread)), seconds: 10 * seconds };
  await measure(`receive: batches of ${manyCallers} callers`, load);
  clearInterval(timer);
}

const median = (what: string, read: (result: LoadResult) => number) =>
  medianOf((seen.get(what) ?? []).map(read));
const rate = (what: string) => median(what, (result) => result.rate);
const p99 = (what: string) => median(what, (result) => result.p99Ms);
const half = memory.length >> 1;
const grown = medianOf(memory.slice(half)) / medianOf(memory.slice(0, half));

const marks = [
  ...kinds.flatMap(([kind], index) => [
    atLeast(
      `${kind}: batches / one by one`,
      rate(`${kind}: batches`) / rate(`${kind}: one by one`),
      [2.5, 2][index]!,
    ),
    atLeast(`${kind}: batches / plain`, rate(`${kind}: batches`) / rate(`${kind}: plain`), [8, 6][index]!),
    // A batch may take 1.5 s where a lone receipt takes 3 ms.
    atMost(
      `${kind}: p99 of a batch at half load / p50 of a lone receipt`,
      p99(`${kind}: batches at half load`) / median('one caller', (result) => result.p50Ms),
      500,
    ),
  ]),
  atMost(
    `p99 of ${loneCallers} callers beside batches / beside nobody`,
    p99('beside batches') / p99('beside nobody'),
    2,
  ),
  atMost(`memory of the api under ${manyCallers} callers of full batches: second half / first`, grown, 1.2),
];
const lines = [...seen].map(([what]) => {
  const ms = (read: (result: LoadResult) => number) => median(what, read).toFixed(1);
  const perSecond = Math.round(rate(what)).toLocaleString('en');
  return [what, perSecond, ms((r) => r.p50Ms), ms((r) => r.p99Ms), String(median(what, (r) => r.errors))];
});
const text = [
  `Medians of ${runs} runs of ${seconds} s each, alternating. Batches: ${fewCallers} callers with ${operations} operations in each call, mode \`each\`; ` +
    'one by one and plain: 128 callers. Half load is half the highest ' +
    `rate of batches. The api's memory was ${Math.min(...memory).toFixed(0)} to ${Math.max(...memory).toFixed(0)} MB under ${manyCallers} callers of full batches. ` +
    'All rates (of applied operations) and times (of a call) are in [batches.csv](benchmarks/batches.csv).',
  marksTable(marks),
].join('\n\n');
const csv = csvOf(['load', 'operations/s', 'p50 ms', 'p99 ms', 'errors'], lines);
console.log(`\n${text}\n\n${csv}`);
if (!values.dry) {
  await writeSection('batches', `\`pnpm bench batches --runs ${runs} --seconds ${seconds}\``, text);
  await writeBeside('batches.csv', csv);
}
