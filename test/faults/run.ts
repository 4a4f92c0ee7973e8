import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findImbalances } from '@inventory/db/audit';
import { startCallers, type Told } from './callers.ts';
import { compareWithLedger } from './check.ts';
import { startCluster } from './cluster.ts';
import { type Fault, faults } from './faults.ts';
import { createRandom } from './random.ts';

// pnpm test:faults [--long] [--seed N] [--only NAME]: breaks the running service again and again and checks every single answer.
const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    seed: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    folder: { type: 'string', default: join(import.meta.dirname, '../../.local/faults') },
    source: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const chosen = faults.filter((fault) => values.only === undefined || fault.name.includes(values.only));
const rounds = Number(values.rounds ?? (values.long ? 12 : 2));
const callerCount = 32;
const ackedMin = values.only === undefined ? (values.long ? 100_000 : 20_000) : 100;
// Until writes go through again once everything is back; 2 s are promised, two cores for all of this get some air on top.
const recoveryMaxMs = 5000;
// An answer is due after 3.5 s; a machine that runs all of this on two cores gets some air on top.
const answerMaxMs = 3500 + 1500;

console.log(`seed ${seed}: ${rounds} rounds of ${chosen.length} faults, ${callerCount} callers`);
const cluster = await startCluster({
  folder: values.folder,
  ...(values.source === undefined ? {} : { sourceRoot: values.source }),
  report: console.log,
});
const startedAt = performance.now();
const random = createRandom(seed);
const callers = await startCallers(cluster, {
  count: callerCount,
  random: createRandom(seed + 1),
  startedAt,
  pauseMs: 0,
});
const pause = (timeMs: number) => new Promise((resolve) => setTimeout(resolve, timeMs));
const problems: string[] = [];
const recoveries = new Map<string, number[]>();
const strikes: { fault: Fault; from: number; until: number }[] = [];

try {
  await pause(3000);
  for (let round = 0; round < rounds; round++) {
    for (const fault of shuffled(chosen)) await strike(fault);
  }
  await pause(2000);
} finally {
  await callers.stop();
}
await report();
await cluster.stop();
process.exit(problems.length > 0 ? 1 : 0);

async function strike(fault: Fault) {
  // What the fault before did to a request is told to its caller by then, and not laid to this one.
  if (!fault.hurts) await pause(answerMaxMs);
  const from = performance.now() - startedAt;
  await fault.strike(cluster, random);
  const until = performance.now() - startedAt;
  strikes.push({ fault, from, until });
  await pause(1000 + random() * 1000);
  let firstMs = firstYesAfter(until);
  while (firstMs === Number.POSITIVE_INFINITY && performance.now() - startedAt < until + recoveryMaxMs) {
    await pause(50);
    firstMs = firstYesAfter(until);
  }
  recoveries.set(fault.name, [...(recoveries.get(fault.name) ?? []), firstMs]);
  const during = callers.log.filter((each) => each.at + each.tookMs >= from);
  const count = (told: Told['told']) => during.filter((each) => each.told === told).length;
  const unavailable = during.filter((each) => each.status >= 500);
  console.log(
    `${(from / 1000).toFixed(0).padStart(4)} s  ${fault.name.padEnd(24)} yes ${count('yes')}, no ${count('no')} ` +
      `(5xx ${unavailable.length}), unknown ${count('unknown')}, lost ${count('lost')}, ` +
      `first yes ${firstMs === Number.POSITIVE_INFINITY ? 'never' : `${firstMs.toFixed(0)} ms`} after`,
  );
  if (!fault.hurts && unavailable.length + count('lost') > 0) {
    problems.push(
      `${fault.name}: ${unavailable.length} 5xx, ${count('lost')} lost answers where there should be none`,
    );
    for (const each of [...unavailable, ...during.filter((one) => one.told === 'lost')].slice(0, 3)) {
      problems.push(
        `  ${each.reference} ${each.status} after ${each.tookMs.toFixed(0)} ms: ${each.text.slice(0, 200)}`,
      );
    }
  }
}

/** Milliseconds until a request sent after the fault was over was answered with yes. */
function firstYesAfter(until: number): number {
  const answered = callers.log.filter((each) => each.at >= until && each.told === 'yes');
  return Math.min(...answered.map((each) => each.at + each.tookMs)) - until;
}

/** The faults that met a request between its sending and its answer. */
function metBy({ at, tookMs }: (typeof callers.log)[number]) {
  return strikes.filter(({ from, until }) => at <= until && at + tookMs >= from);
}

async function report() {
  const { log } = callers;
  const count = (told: Told['told']) => log.filter((each) => each.told === told).length;
  const findings = await compareWithLedger(cluster.sql, log);
  const imbalances = await findImbalances(cluster.sql);
  const [{ deadlocks }] = (await cluster.sql`
    select deadlocks from pg_stat_database where datname = current_database()`) as unknown as [
    { deadlocks: number },
  ];
  // Who asked a process that stood still waits until it goes on.
  const lateMs = (each: (typeof log)[number]) =>
    each.tookMs -
    metBy(each).reduce((sum, { fault, from, until }) => sum + (fault.stopsApi ? until - from : 0), 0);
  const slow = log.filter(
    (each) => each.told !== 'lost' && each.tookMs > answerMaxMs && lateMs(each) > answerMaxMs,
  );
  const slowest = log.reduce(
    (worst, each) => (each.tookMs > worst.tookMs && each.told !== 'lost' ? each : worst),
    log[0]!,
  );
  const doubtful = log.filter(
    (each) => each.told === 'unknown' && !metBy(each).some(({ fault }) => fault.hidesDatabase),
  );
  for (const [name, list] of Object.entries({
    LOST: findings.lost,
    DOUBLE: findings.doubled,
    GHOST: findings.ghosts,
  })) {
    for (const each of list.slice(0, 10)) problems.push(`${name} ${each.slice(0, 300)}`);
  }
  for (const each of imbalances.slice(0, 10)) problems.push(`does not add up: ${JSON.stringify(each)}`);
  if (deadlocks > 0) problems.push(`${deadlocks} deadlocks`);
  for (const each of slow.slice(0, 10))
    problems.push(`an answer took ${each.tookMs.toFixed(0)} ms: ${each.text.slice(0, 200)}`);
  for (const each of doubtful.slice(0, 10)) {
    const met = metBy(each).map(({ fault }) => fault.name);
    problems.push(`${each.reference} was left in doubt while Postgres could be asked (${met.join(', ')})`);
  }
  if (count('yes') < ackedMin)
    problems.push(`only ${count('yes')} acknowledged writes, ${ackedMin} make a run count`);
  if (values.only === undefined && findings.appliedAfterAll === 0)
    problems.push('no fault hit a request in the middle');
  for (const [name, times] of recoveries) {
    console.log(`${name.padEnd(24)} first yes at most ${Math.max(...times).toFixed(0)} ms after`);
    if (times.some((time) => time > recoveryMaxMs))
      problems.push(`${name}: not back after ${recoveryMaxMs} ms`);
  }
  console.log(
    `\nseed ${seed}: ${recoveries.size === 0 ? 0 : [...recoveries.values()].flat().length} faults, ${log.length} requests: ` +
      `yes ${count('yes')}, no ${count('no')}, unknown ${count('unknown')}, lost ${count('lost')}; ` +
      `unanswered but applied after all ${findings.appliedAfterAll}; slowest answer ${slowest.tookMs.toFixed(0)} ms`,
  );
  console.log(
    `LOST ${findings.lost.length}, DOUBLE ${findings.doubled.length}, GHOST ${findings.ghosts.length}, ` +
      `sums that differ ${imbalances.length}, deadlocks ${deadlocks}`,
  );
  for (const problem of problems) console.log(`PROBLEM ${problem}`);
  console.log(problems.length === 0 ? 'faults: passed' : 'faults: FAILED');
}

function shuffled<T>(values: readonly T[]): T[] {
  const rest = [...values];
  const result: T[] = [];
  while (rest.length > 0) result.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return result;
}
