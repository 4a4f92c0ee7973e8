import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findImbalances } from '@inventory/db/audit/audit';
import { compileCheckout } from '../harness/compiled.ts';
import { readOptions } from '../harness/read-options.ts';
import { startCallers } from './callers.ts';
import { compareWithTables } from './check.ts';
import { startClientPrograms } from './client-programs.ts';
import { clockFaults } from './clock-faults.ts';
import { startCluster } from './cluster.ts';
import type { Fault } from './fault.ts';
import { findBadEnds, findUnexcused, limits, type Strike } from './judge.ts';
import { judgeClients } from './judge-clients.ts';
import { loadFaults } from './load-faults.ts';
import { startMinimums } from './minimums.ts';
import { startMirrors } from './mirrors.ts';
import { networkFaults } from './network-faults.ts';
import { killingAll, processFaults } from './process-faults.ts';
import { createRandom } from './random.ts';
import { sentinelFaults, serverFaults } from './server-faults.ts';
import { standbyFaults } from './standby-faults.ts';
import { clientsText, faultsText, kindsText } from './summary.ts';
import { endedSince, isTransaction, type Read, type Told } from './told.ts';

// pnpm test:faults [--long] [--seed N] [--only NAME] [--rounds N] [--shards N] [--redis sentinel]
// [--postgres standby] [--clocks]: breaks the running service again and again and checks every single answer.
const values = readOptions(
  'test:faults',
  'Breaks the running service again and again and checks every single answer.',
  {
    long: { flag: true, about: 'ten rounds instead of one' },
    seed: { value: 'number', about: 'the order of an earlier run, which printed it' },
    only: { value: 'name', about: 'only faults with this in their names' },
    rounds: { value: 'number', about: 'how often each fault strikes' },
    clients: { value: 'number', about: 'goes on until more programs than usual made this many operations' },
    shards: { value: 'number', default: '64', about: 'QUEUE_SHARDS of the service' },
    postgres: { value: 'single or standby', default: 'single', about: 'how Postgres is run' },
    clocks: { flag: true, about: 'clocks of Postgres and of the processes jump, too; needs libfaketime' },
    redis: { value: 'single or sentinel', default: 'single', about: 'how Redis is run' },
    folder: {
      value: 'folder',
      default: join(import.meta.dirname, '../../.local/faults'),
      about: 'where its data and logs are kept',
    },
  },
);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const onSentinels = values.redis === 'sentinel';
const onStandby = values.postgres === 'standby';
// A synchronous pair has its own faults: only these start its servers again.
const onServers = onStandby ? standbyFaults : [...serverFaults, ...loadFaults];
const faults = [
  ...[...processFaults, ...networkFaults, ...onServers],
  ...(onSentinels ? sentinelFaults : []),
  ...(values.clocks ? clockFaults : []),
];
const chosen = faults.filter(({ name }) => values.only === undefined || name.includes(values.only));
const rounds = Number(values.rounds ?? (values.long ? 10 : 1));
// With --clients, most of the work is that of the programs.
const areProgramsFew = values.clients === undefined;
const callerCount = areProgramsFew ? 32 : 4;
const ackedMin = values.only === undefined ? (values.long ? 100_000 : 10_000) : 100;
const clientsMin = Number(values.clients ?? (values.long ? 100_000 : 0));
const watchMs = values.long ? 1000 : 500;
const listedMax = 10;
const wholeWithinMs = 30_000;
const warmAfter = 2000;

// An end by default would leave the processes that this one started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

console.log(`seed ${seed}: ${rounds} rounds of ${chosen.length} faults, ${callerCount} callers`);
// Processes are killed all the time, and start again in a third of the time.
const folder = resolve(values.folder);
const compiled = join(folder, 'compiled');
compileCheckout(compiled);
process.env.COMPILED_CHECKOUT = compiled;
const begunAt = performance.now();
const now = () => performance.now() - begunAt;
const cluster = await startCluster({
  folder,
  env: { QUEUE_SHARDS: values.shards },
  sentinel: onSentinels,
  standby: onStandby,
  clocks: values.clocks === true,
  now,
  report: console.log,
});
const random = createRandom(seed);
for (const fault of chosen) await fault.prepare?.(cluster, rounds);
const callers = await startCallers(cluster, { count: callerCount, random: createRandom(seed + 1), now });
const mirrors = await startMirrors(cluster, createRandom(seed + 2));
const minimums = await startMinimums(cluster, createRandom(seed + 4));
const problems: string[] = [];

const strikes: (Strike & { firstMs: number })[] = [];

const harmless = chosen.filter(({ hurts }) => !hurts);
const hurting = chosen.filter(({ hurts }) => hurts);
await untilWarm();
callers.startBatches();
// The harmless faults come first: nothing may fail in them. Later, callers that were struck before are still
// waiting, and programs that start again and again take the processors.
for (const fault of shuffled(harmless)) await strike(fault);
const clients = await startClientPrograms(cluster, {
  folder,
  seed: seed + 3,
  isHarsh: values.long === true || values.clocks === true || !areProgramsFew,
  ...(areProgramsFew ? { scannerCount: 2, burstMax: 100 } : { scannerCount: 6, burstMax: 400 }),
});

try {
  for (let round = 0, before = -1; round < rounds || clients.count() < clientsMin; round++) {
    if (round >= rounds && clients.count() === before) break;
    before = clients.count();
    if (round > 0 && harmless.length > 0) {
      await pause(limits.answerMaxMs);
      for (const fault of shuffled(harmless)) await strike(fault);
    }
    for (const fault of shuffled(hurting)) await strike(fault);
  }
  await pause(2000);
} finally {
  await callers.stop();
}
await untilWhole();
const lows = await minimums.finish();
const { unlike, toldCount } = await mirrors.finish(await clients.finish());
await cluster.stopMembers();
await report();
await cluster.stop();
process.exit(problems.length > 0 ? 1 : 0);

/** A process that has just started is slow, on a busy machine for long. */
async function untilWarm() {
  const from = now();
  while (now() < from + 3000 || (callers.log.length < warmAfter && now() < from + wholeWithinMs)) {
    await pause(50);
  }
}

async function strike(fault: Fault) {
  if (strikes.at(-1)?.fault !== fault) await untilWhole();
  const from = now();
  const report = (problem: string) => problems.push(problem);
  await fault.strike({ cluster, callers, random, now, report });
  if (fault === killingAll) await untilWhole();
  const until = now();
  const struck = { fault, from, until, firstMs: Number.POSITIVE_INFINITY };
  strikes.push(struck);
  const ports = cluster.apis.map(({ port }) => port);
  await pause(fault.watchMs ?? watchMs + random() * watchMs);
  const backWithinMs = fault.backWithinMs ?? limits.recoveryMaxMs;
  let back = backAfter(until, ports);
  while (back.ms === Number.POSITIVE_INFINITY && now() < until + backWithinMs) {
    await pause(50);
    back = backAfter(until, ports);
  }
  struck.firstMs = back.ms;
  const during = endedSince(callers.log, from);
  const count = (told: string) => during.filter((each) => each.told === told).length;
  const failedReads = endedSince(callers.reads, from).filter(({ failed }) => failed).length;
  const isBack = struck.firstMs <= backWithinMs;
  console.log(
    `${(from / 1000).toFixed(0).padStart(4)} s  ${fault.name.padEnd(26)} yes ${count('yes')}, no ${count('no')} ` +
      `(5xx ${during.filter(({ status }) => status >= 500).length}), unknown ${count('unknown')}, lost ${count('lost')}, ` +
      `failed reads ${failedReads}, ${isBack ? `back after ${struck.firstMs.toFixed(0)} ms` : 'NOT BACK'}`,
  );
  if (isBack || fault === killingAll) return;
  problems.push(`${fault.name}: no ${back.what} ${backWithinMs} ms after it`);
  await strike(killingAll);
}

/** Waits until every killed process is up again, so that a fault strikes a whole service. */
async function untilWhole() {
  // The exit of a killed process is noticed a little later.
  await pause(50);
  const from = now();
  while (!cluster.members.every(({ isUp }) => isUp)) {
    if (now() > from + wholeWithinMs) {
      problems.push(`not every process was up ${wholeWithinMs / 1000} s after a fault`);
      return;
    }
    await pause(50);
  }
}

/**
 * Finds when the service was back after `until`: every api that was up then and still is had answered a
 * transaction and a read sent after it. Returns the last of these answers and its delay in milliseconds.
 */
function backAfter(until: number, ports: readonly number[]): { what: string; ms: number } {
  const good: Record<string, (Told | Read)[]> = {
    transactions: endedSince(callers.log, until).filter((each) => each.told === 'yes' && isTransaction(each)),
    reads: endedSince(callers.reads, until).filter(({ failed }) => !failed),
  };
  const lasting = cluster.apis.filter(({ port }) => port !== 0 && ports.includes(port));
  const firsts = Object.entries(good).flatMap(([what, log]) => {
    const sent = log.filter(({ at }) => at >= until);
    const first = (those: typeof sent) => Math.min(...those.map(({ at, tookMs }) => at + tookMs)) - until;
    return [
      { what, ms: first(sent) },
      ...lasting.map(({ name, port }) => ({
        what: `${what} by ${name}`,
        ms: first(sent.filter((each) => each.port === port)),
      })),
    ];
  });
  return firsts.reduce((last, each) => (each.ms > last.ms ? each : last));
}

async function report() {
  const { log, reads } = callers;
  const findings = await compareWithTables(cluster.sql, log, callers.wholes);
  const ofClients = await judgeClients(cluster.sql, clients.lines);
  const imbalances = await findImbalances(cluster.sql);
  const [{ deadlocks }] = (await cluster.sql`
    select deadlocks from pg_stat_database where datname = current_database()`) as unknown as [
    { deadlocks: number },
  ];
  const { lost, doubled, ghosts, torn, appliedAfterAll, appliedAfterCut } = findings;
  for (const [what, found] of Object.entries({
    ...{ LOST: lost, DOUBLE: doubled, GHOST: ghosts, TORN: torn, CONTRADICTED: callers.contradictions },
    ...{ MIRROR: unlike, LOW: lows.wrong },
    ...{ INTERNAL: cluster.internalErrors() },
  }))
    list(found.map((each) => `${what} ${each.slice(0, what === 'INTERNAL' ? 2000 : 500)}`));
  for (const [what, found] of Object.entries(ofClients.found))
    list(found.map((each) => `${what} by a program: ${each.slice(0, 500)}`));
  list(clients.problems);
  if (clients.count() < clientsMin)
    problems.push(`only ${clients.count()} operations of programs, ${clientsMin} make a run count`);
  list(imbalances.map((each) => `does not add up: ${JSON.stringify(each)}`));
  list(findBadEnds(cluster.badEnds, cluster.failedStarts, strikes));
  if (deadlocks > 0) problems.push(`${deadlocks} deadlocks`);
  const unexcused = findUnexcused(log, reads, strikes);
  if (!unexcused.areFew) list(unexcused.lines);
  list(callers.neverAnswered);
  const acked = log.filter(({ told }) => told === 'yes').length;
  if (acked < ackedMin) problems.push(`only ${acked} acknowledged writes, ${ackedMin} make a run count`);
  if (values.only === undefined && lows.toldCount < 20)
    problems.push('stock hardly ever went below a minimum');
  if (values.only === undefined && appliedAfterAll === 0)
    problems.push('no fault hit a request in the middle');
  if (values.only === undefined && appliedAfterCut === 0)
    problems.push('no caller hung up in the middle of a batch');
  const slowestMs = log.reduce(
    (worst, { told, tookMs }) => (told === 'lost' ? worst : Math.max(worst, tookMs)),
    0,
  );
  console.log(`\n${kindsText(log, reads)}\n\n${faultsText(log, reads, strikes)}\n`);
  console.log(
    `seed ${seed}: ${strikes.length} faults in ${(now() / 1000).toFixed(0)} s, ${log.length} writes, ${acked} of them yes; ` +
      `unanswered but applied after all ${appliedAfterAll}; slowest answer ${slowestMs.toFixed(0)} ms`,
  );
  const operations = log.filter(({ batch }) => batch !== null);
  console.log(
    `${operations.length} operations in batches, ${operations.filter(({ told }) => told === 'yes').length} of them yes; ` +
      `hung up on and applied after all ${appliedAfterCut}; ${callers.wholes.length} atomic batches whole or not at all`,
  );
  console.log(
    `LOST ${lost.length}, DOUBLE ${doubled.length}, GHOST ${ghosts.length}, TORN ${torn.length}, CONTRADICTED ${callers.contradictions.length}, MIRROR ${unlike.length} (${toldCount} transactions told), LOW ${lows.wrong.length} (told ${lows.toldCount} times), sums that differ ${imbalances.length}, ` +
      `deadlocks ${deadlocks}, ends that nobody asked for ${cluster.badEnds.length}, starts that failed ${cluster.failedStarts.length}`,
  );
  console.log(clientsText(clients, ofClients));
  if (unexcused.areFew) for (const line of unexcused.lines) console.log(`by the machine? ${line}`);
  for (const problem of problems) console.log(`PROBLEM ${problem}`);
  console.log(problems.length === 0 ? 'faults: passed' : 'faults: FAILED');
}

function list(found: readonly string[]) {
  problems.push(...found.slice(0, listedMax));
  if (found.length > listedMax) problems.push(`  … and ${found.length - listedMax} more of that kind`);
}

function shuffled<T>(values: readonly T[]): T[] {
  const rest = [...values];
  const result: T[] = [];
  while (rest.length > 0) result.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return result;
}
