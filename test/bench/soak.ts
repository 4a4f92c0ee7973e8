import { parseArgs } from 'node:util';
import { runLoad } from './load.ts';
import { memoryOf } from './memory.ts';
import { tableOf, writeSection } from './report.ts';
import { mixed, spread } from './requests.ts';
import { startBenchStack, startSite } from './site.ts';
import { ways } from './ways.ts';

// pnpm bench:soak [--requests 360000]: an hour of 60 clients at their limit, in one go; does memory level off?
const { values } = parseArgs({
  options: { requests: { type: 'string', default: '360000' }, dry: { type: 'boolean', default: false } },
});
const requests = Number(values.requests);
const samplesMin = 12;

const stack = await startBenchStack();
const site = await startSite(stack, ways.ours, 'bench_soak');
const samples: { served: number; api: number; worker: number }[] = [];
let served = 0;
const startedAt = performance.now();
while (served < requests || samples.length < samplesMin) {
  const result = await runLoad({ ...site, callers: 64, seconds: 5, warmUpSeconds: 0, next: mixed(spread) });
  if (result.errors > 0) throw new Error(`${result.errors} errors`);
  served += result.succeeded;
  const { api, worker } = site.processes;
  const sample = { served, api: memoryOf(api.child), worker: memoryOf(worker!.child) };
  samples.push(sample);
  console.log(`${served} requests: api ${sample.api.toFixed(0)} MB, worker ${sample.worker.toFixed(0)} MB`);
}
const seconds = (performance.now() - startedAt) / 1000;
await site.stop();
await stack.stop();

const mean = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
const quarter = (part: number, read: (sample: (typeof samples)[number]) => number) =>
  mean(
    samples
      .slice(Math.floor((samples.length * part) / 4), Math.floor((samples.length * (part + 1)) / 4))
      .map(read),
  );
const lines = (['api', 'worker'] as const).map((name) => {
  const quarters = [0, 1, 2, 3].map((part) => quarter(part, (sample) => sample[name]).toFixed(0));
  return [name, samples[0]![name].toFixed(0), ...quarters, samples.at(-1)![name].toFixed(0)];
});
const text = [
  `${served.toLocaleString('en')} mixed requests by 64 callers in ${seconds.toFixed(0)} s; resident memory, MB: the first sample, the mean of each quarter, the last sample.`,
  tableOf(['process', 'first', '1st quarter', '2nd', '3rd', '4th', 'last'], lines),
].join('\n\n');
console.log(`\n${text}`);
if (!values.dry) await writeSection('soak', `\`pnpm bench:soak --requests ${requests}\``, text);
