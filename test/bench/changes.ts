import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readChanges } from '@inventory/db/changes/read-changes';
import { readFeedPosition } from '@inventory/db/changes/read-position';
import { seed } from '@inventory/db/operator/seed';
import { connect, type Sql } from '@inventory/postgres/pool';
import { types } from '../harness/compiled.ts';
import { readOptions } from '../harness/read-options.ts';
import type { FollowersAsked, FollowersTold } from './change-followers.ts';
import { medianOf, runLoad, timed } from './load.ts';
import { memoryOf } from './memory.ts';
import { atLeast, atMost, type Column, columnsTable, type Mark, marksTable } from './report.ts';
import { mixed, receive, spread } from './requests.ts';
import { type Site, startSite } from './site.ts';
import { createDatabase, startBenchStack } from './stack.ts';
import { ways } from './ways.ts';

// pnpm bench changes [--sizes 100000,1000000] [--callers 1000] [--seconds 5] [--runs 3]: what following
// changes costs, and what it costs others. Prints Markdown.
const values = readOptions(
  'bench changes',
  'Reads the change feed of databases of different age, and lets many callers wait for changes while others write. Prints Markdown.',
  {
    sizes: { value: 'list', default: '100000,1000000', about: 'transactions in the databases; empty: none' },
    callers: { value: 'number', default: '1000', about: 'callers that wait; 0: none' },
    seconds: { value: 'number', default: '5', about: 'how long each load lasts' },
    runs: { value: 'number', default: '3', about: 'how often each load is measured' },
  },
);
const warehouses = 10;
const wids = Array.from({ length: warehouses }, (_, index) => index + 1);
const callers = Number(values.callers);
const seconds = Number(values.seconds);
const marks: Mark[] = [];

/** Pages of the feed in a database of this size, and a walk through all of it. */
async function readAll(size: number): Promise<Column['lines']> {
  const { url, sql, drop } = await createDatabase(stack, `changes_${size}`);
  const lots = Math.round(size / 1.4);
  await seed(sql, { items: Math.ceil(lots / 5), lots, warehouses, transactions: size }, () => {});
  // As the api's connections are.
  const own: Sql = connect(url, { name: 'bench', connectionsMax: 1, byKeys: true });
  const { knownNo: until } = await readFeedPosition(own, 0);
  const page = (after: number, scope = wids, limit = 250) =>
    readChanges(own, { wids: scope, after, until, limit });
  const measured: Column['lines'] = [
    ['the position, ms', await timed(() => readFeedPosition(own, 0))],
    // Transactions come after the items, from which they were made.
    ['first page of the second half, ms', await timed(() => page(Math.floor(until / 2)))],
    ['the same of one warehouse, ms', await timed(() => page(Math.floor(until / 2), [3]))],
    ['the last page, ms', await timed(() => page(until - 250))],
  ];
  const startedAt = performance.now();
  let count = 0;
  for (let after = 0, hasMore = true; hasMore; ) {
    const read = await page(after, wids, 1000);
    count += read.changes.length;
    ({ through: after, hasMore } = read);
  }
  const rate = (count / (performance.now() - startedAt)) * 1000;
  measured.push(['changes a second, walking through all', rate]);
  marks.push(atLeast(`changes read a second of ${size.toLocaleString('en')}`, rate, 10_000));
  await own.end();
  await drop();
  return measured;
}

/** Callers that wait, answer after answer, until `stop`, in a process of their own. */
function followAll({ origin, token }: Site, count: number) {
  const follower = fork(join(import.meta.dirname, 'change-followers.ts'), { execArgv: ['--import', types] });
  follower.send({ origin, token, count } satisfies FollowersAsked);
  return {
    async stop(): Promise<FollowersTold> {
      follower.send('stop');
      const [told] = await once(follower, 'message');
      return told as FollowersTold;
    },
  };
}

async function waitBeside() {
  const site = await startSite(stack, ways.ours, 'bench_changes');
  const load = (options: Partial<Parameters<typeof runLoad>[0]>) =>
    runLoad({ ...site, callers: 128, seconds, warmUpSeconds: 1, next: mixed(spread), ...options });
  try {
    await load({ callers: 32, next: receive(spread) });
    await load({ seconds: 10 });
    const seen: { alone: number; beside: number }[] = [];
    const lone = await load({ callers: 1, next: receive(spread) });
    const full = await load({});
    const few = followAll(site, 10);
    await load({ pacePerSecond: full.rate / 2 });
    const { delays } = await few.stop();
    let more = 0;
    for (let run = 0; run < Number(values.runs); run++) {
      await site.settle();
      const alone = await load({});
      await site.settle();
      const before = memoryOf(site.processes.api.child);
      const following = followAll(site, callers);
      await setTimeout(5000);
      more = Math.max(more, memoryOf(site.processes.api.child) - before);
      const beside = await load({});
      const { answers } = await following.stop();
      console.error(
        `alone ${alone.rate.toFixed(0)}/s, beside ${beside.rate.toFixed(0)}/s, ${answers} answers to those who wait`,
      );
      seen.push({ alone: alone.rate, beside: beside.rate });
    }
    marks.push(
      atMost(`MB more with ${callers} callers that wait`, more, 100),
      atLeast('writes beside them / without them', medianOf(seen.map((run) => run.beside / run.alone)), 0.95),
      atMost(
        'a change reaches a caller at half load, p50 / p50 of a lone receipt',
        medianOf(delays) / lone.p50Ms,
        50,
      ),
    );
  } finally {
    await site.stop();
  }
}

const stack = await startBenchStack();
try {
  const columns: Column[] = [];
  for (const size of values.sizes === '' ? [] : values.sizes.split(',').map(Number)) {
    columns.push({ name: size.toLocaleString('en'), lines: await readAll(size) });
    console.error(
      columns
        .at(-1)!
        .lines.map(([what, value]) => `${what}: ${value.toFixed(2)}`)
        .join('\n'),
    );
  }
  if (columns.length > 0) console.log(columnsTable('', columns));
  if (callers > 0) await waitBeside();
  console.log(marksTable(marks));
} finally {
  await stack.stop();
}
