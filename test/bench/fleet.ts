import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Sql } from '@inventory/db/postgres/pool';
import { parse } from 'csv-parse/sync';
import { readOptions } from '../harness/read-options.ts';
import { type CpuTime, readCpu } from './cpu-time.ts';
import { type Costs, type Fleet, fitCost, playFleet } from './fleet-model.ts';
import { runLoad } from './load.ts';
import { tableOf } from './report.ts';
import { mixed, spread } from './requests.ts';
import { type Site, startBenchStack, startSite } from './site.ts';
import { ways } from './ways.ts';

// pnpm bench fleet [--measure] [--scanners 20000 …]: predicts the load of a fleet by playing it with measured
// costs. `--measure` measures them on this machine, and compares predictions for other numbers of callers
// with measurements.
const values = readOptions(
  'bench fleet',
  'Plays a fleet of scanners, apis and workers, and predicts their load; with --measure it compares itself with this machine.',
  {
    measure: { flag: true, about: 'measure the costs here, and predictions beside measurements, first' },
    seconds: {
      value: 'number',
      default: '4',
      about: 'how long each load is measured, and each fleet is played',
    },
    scanners: { value: 'number', default: '20000', about: 'scanners of the fleet' },
    every: { value: 'seconds', default: '20', about: 'a scanner sends a transaction this often on average' },
    peak: { value: 'number', default: '2', about: 'times the average, at the height of the arrival curve' },
    apis: { value: 'number', default: '4', about: 'api processes' },
    workers: { value: 'number', default: '2', about: 'worker processes' },
    cores: { value: 'number', default: '8', about: 'processors of Postgres' },
    turn: { value: 'ms', default: '0.5', about: 'from a worker to Postgres and back' },
  },
);
const seconds = Number(values.seconds);

/**
 * The costs in docs/scaling.md, milliseconds: split between parts, requests and batches as `--measure` found,
 * then scaled by one factor for requests and one for batches, so that full load on two free processors
 * matches docs/benchmarks/fleet.csv.
 */
const known: Costs = {
  load: { each: 0.075, batch: 0 },
  api: { each: 0.147, batch: 0.98 },
  redis: { each: 0.015, batch: 0.24 },
  worker: { each: 0.122, batch: 1.45 },
  postgres: { each: 0.138, batch: 0.65 },
  waitMs: 0,
};

if (!values.measure) compareWithTheBenchmark();
const costs = values.measure ? await measure() : known;
showFleet({ ...costs, load: { each: 0, batch: 0 } });

/** Compares predictions from the known costs with docs/benchmarks/fleet.csv of a free machine. */
function compareWithTheBenchmark(): void {
  const rows = parse(readFileSync(join(import.meta.dirname, '../../docs/benchmarks/fleet.csv'), 'utf8'), {
    columns: true,
  }) as Record<string, string>[];
  const numberOf = (text: string | undefined) => Number((text ?? '').replaceAll(',', ''));
  const compared = rows.map(({ callers, load, ...row }) => {
    const [rate, p50Ms] = [numberOf(row['requests/s']), numberOf(row['p50 ms'])];
    const isHalf = load!.endsWith('half load');
    const machine = { apis: 1, workers: 1, cores: 2, isOneMachine: true, turnMs: 0, seconds, costs: known };
    const played = playFleet(
      isHalf ? { ...machine, arrivals: () => rate } : { ...machine, callers: Number(callers) },
    );
    return [
      `${callers}${isHalf ? ', half load' : ''}`,
      ...[rate, played.rate].map((each) => each.toFixed(0)),
      (played.rate / rate).toFixed(2),
      ...[p50Ms, played.p50Ms].map((each) => each.toFixed(1)),
    ];
  });
  console.log(tableOf(['callers', 'measured/s', 'played/s', 'ratio', 'p50 ms', 'played ms'], compared));
}

type Measured = {
  callers: number;
  rate: number;
  p50Ms: number;
  /** The average number of requests in a batch. */
  size: number;
  /** The use of each part per request, milliseconds, less its use when idle. */
  cpu: CpuTime;
  loadMs: number;
  /** The average number of processors in use. */
  processors: number;
};

/** Measures two loads for the costs, and others to compare with. */
async function measure(): Promise<Costs> {
  const stack = await startBenchStack();
  const site = await startSite(stack, ways.ours, 'bench_fleet');
  const load = (callers: number) =>
    runLoad({ ...site, callers, seconds: 6, warmUpSeconds: 0, next: mixed(spread) });
  await load(32);
  await load(128);
  await site.settle();
  const idle = await measureIdle(site);
  const measured: Measured[] = [];
  for (const callers of [8, 16, 32, 64, 128]) measured.push(await measureOne(site, callers, idle));
  await site.stop();
  await stack.stop();
  const [few, many] = [measured[0]!, measured.at(-1)!];
  const machine = { apis: 1, workers: 1, cores: availableParallelism(), isOneMachine: true, turnMs: 0 };
  // Other programs make everything take longer, in proportion to the processors they take.
  const stretch = Math.max(1, machine.cores / many.processors);
  const fitted = fit(few, many);
  const play = (callers: number, waitMs: number) =>
    playFleet({ ...machine, callers, seconds, costs: stretched({ ...fitted, waitMs }, stretch) });
  const waitMs = bisect(0, few.p50Ms, (each) => play(few.callers, each).p50Ms < few.p50Ms);
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toFixed(3)) : value;
  console.log(JSON.stringify({ ...fitted, waitMs, stretch }, rounded));
  const rows = measured.map(({ callers, rate, p50Ms, size }) => {
    const played = play(callers, waitMs);
    return [
      `${callers}${callers === few.callers || callers === many.callers ? ' (fitted)' : ''}`,
      ...[rate, played.rate].map((each) => each.toFixed(0)),
      (played.rate / rate).toFixed(2),
      ...[p50Ms, played.p50Ms, size, played.batchSize].map((each) => each.toFixed(1)),
    ];
  });
  const head = ['callers', 'measured/s', 'played/s', 'ratio', 'p50 ms', 'played ms', 'batch', 'played'];
  console.log(tableOf(head, rows));
  return { ...fitted, waitMs };
}

/** The use of the parts when idle, milliseconds a second. */
async function measureIdle(site: Site): Promise<CpuTime> {
  const [before, startedAt] = [readCpu(site), performance.now()];
  if (before === null) throw new Error('this system does not tell how long its processes have run');
  await setTimeout(seconds * 1000);
  const after = readCpu(site)!;
  return mapParts((part) => (after[part] - before[part]) / ((performance.now() - startedAt) / 1000));
}

async function measureOne(site: Site, callers: number, idle: CpuTime): Promise<Measured> {
  const before = { cpu: readCpu(site)!, own: process.cpuUsage(), stored: await readBatches(site.sql) };
  const startedAt = performance.now();
  const result = await runLoad({ ...site, callers, seconds, warmUpSeconds: 0, next: mixed(spread) });
  const wallMs = performance.now() - startedAt;
  const used = readCpu(site)!;
  const own = process.cpuUsage(before.own);
  const ownMs = (own.user + own.system) / 1000;
  const after = await readBatches(site.sql);
  await site.settle();
  const all = (Object.keys(idle) as (keyof CpuTime)[]).reduce(
    (sum, part) => sum + used[part] - before.cpu[part],
    ownMs,
  );
  return {
    callers,
    rate: result.rate,
    p50Ms: result.p50Ms,
    cpu: mapParts(
      (part) => Math.max(0, used[part] - before.cpu[part] - (idle[part] * wallMs) / 1000) / result.answered,
    ),
    loadMs: ownMs / result.answered,
    processors: all / wallMs,
    size: (after.requests - before.stored.requests) / (after.batches - before.stored.batches),
  };
}

function mapParts(of: (part: keyof CpuTime) => number): CpuTime {
  return { api: of('api'), worker: of('worker'), postgres: of('postgres'), redis: of('redis') };
}

function stretched(costs: Costs, by: number): Costs {
  const of = ({ each, batch }: Costs['api']) => ({ each: each * by, batch: batch * by });
  const { load, api, redis, worker, postgres, waitMs } = costs;
  return {
    load: of(load),
    api: of(api),
    redis: of(redis),
    worker: of(worker),
    postgres: of(postgres),
    waitMs,
  };
}

/** The number between two from which a condition no longer holds. */
function bisect(from: number, to: number, holds: (value: number) => boolean): number {
  let [low, high] = [from, to];
  for (let step = 0; step < 12; step++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** A batch is one database transaction, which every row that it wrote names. */
async function readBatches(sql: Sql): Promise<{ requests: number; batches: number }> {
  const [row] = await sql<{ requests: number; batches: number }[]>`
    select count(*)::integer as requests, count(distinct xmin::text)::integer as batches from stock_transaction`;
  return row!;
}

function fit(few: Measured, many: Measured): Omit<Costs, 'waitMs'> {
  const of = (part: keyof CpuTime) =>
    fitCost({ cpu: few.cpu[part], size: few.size }, { cpu: many.cpu[part], size: many.size });
  return {
    load: { each: many.loadMs, batch: 0 },
    ...{ api: of('api'), redis: of('redis'), worker: of('worker'), postgres: of('postgres') },
  };
}

/** The requested fleet, on its own machines, at the peak of its day and around it. */
function showFleet(costs: Costs): void {
  const average = Number(values.scanners) / Number(values.every);
  const height = average * Number(values.peak);
  // Up from the average to the peak and down again, once.
  const arrivals = (atMs: number) =>
    average + (height - average) * Math.sin((Math.PI * atMs) / (seconds * 1000)) ** 2;
  const fleet: Fleet = {
    apis: Number(values.apis),
    workers: Number(values.workers),
    cores: Number(values.cores),
    isOneMachine: false,
    turnMs: Number(values.turn),
    arrivals,
    seconds,
    costs,
  };
  const { rate, p50Ms, p99Ms, refused, batchSize, busy } = playFleet(fleet);
  const percent = (part: number) => `${(part * 100).toFixed(0)} %`;
  const rows = [
    ['asked for, on average and at the height', `${average.toFixed(0)}/s, ${height.toFixed(0)}/s`],
    ['answered', `${rate.toFixed(0)}/s`],
    ['p50, p99', `${p50Ms.toFixed(1)} ms, ${p99Ms.toFixed(1)} ms`],
    ['refused at once', percent(refused)],
    ['requests in a batch', batchSize.toFixed(1)],
    ['busy: an api, a worker, Postgres', [busy.api, busy.worker, busy.postgres].map(percent).join(', ')],
  ];
  console.log(tableOf(['of the fleet', 'played'], rows));
}
