import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '@inventory/db/migrate/migrate';
import { seed, transactionsFor } from '@inventory/db/operator/seed';
import type { Stack } from '@inventory/local/stack';
import { Pool } from 'undici';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import { addCaller, fetchToken } from '../harness/service/caller.ts';
import { startProcess } from '../harness/service/processes.ts';
import { readMetrics } from '../harness/watch/metrics.ts';
import { timeWithChildren } from './cpu-time.ts';
import { medianOf } from './load.ts';
import { lists, warehouseCount } from './read-lists.ts';
import { tableOf } from './report.ts';

const lots = 100_000;
const items = lots / 5;
const listsPerSecond = 200;
const forSeconds = 10;
const rounds = 2;
const receiptRates = [0, 100];

/** The addresses for lists and writes; `receipts`: sent beside the lists, per second. */
type Way = { from: 'primary' | 'replica'; receipts: number };
type Seen = Way & { cpuMs: number; byReplica: number };

/**
 * Measures how much of the primary's CPU a replica for lists (`DATABASE_READ_URL`) saves: the same lists at
 * the same pace, with and without it, alone and beside receipts. Returns the text of the page.
 */
export async function measureReplica(stack: Stack): Promise<string> {
  const size = { items, lots, warehouses: warehouseCount, transactions: transactionsFor(lots) };
  const pair = await startPostgresPair({
    async prepare(sql) {
      await migrate(sql);
      await seed(sql, size, () => {});
      await sql`vacuum analyze`;
    },
    synchronous: false,
  });
  try {
    const ways = receiptRates.flatMap((receipts): Way[] => [
      { from: 'primary', receipts },
      { from: 'replica', receipts },
    ]);
    const seen: Seen[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const way of ways) {
        seen.push(await measureWay(stack, pair, way, `replica-${seen.length}`));
        console.log(rowOf(seen.at(-1)!).join('  '));
      }
    }
    return textOf(seen);
  } finally {
    await pair.stop();
  }
}

async function measureWay(stack: Stack, pair: PostgresPair, way: Way, name: string): Promise<Seen> {
  const env: Record<string, string> = {
    DATABASE_URL: pair.urlOf(pair.primary),
    REDIS_URL: stack.redisUrl,
    QUEUE_PREFIX: name,
    PORT: '0',
  };
  if (way.from === 'replica') env.DATABASE_READ_URL = pair.urlOf(pair.standby);
  const worker = await startProcess('apps/worker/src/main.ts', env);
  const api = await startProcess('apps/api/src/main.ts', { ...env, INTERNAL_PORT: '0' });
  const origin = `http://127.0.0.1:${api.port}`;
  const token = await fetchToken(origin, name, await addCaller(pair.primary.sql, name, warehouseCount));
  const http = new Pool(origin, { connections: 32, pipelining: 1 });
  const send = async (path: string, body?: object) => {
    const answer = await http.request({
      method: body === undefined ? 'GET' : 'POST',
      path: `/api/v1${path}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  };
  const paths = Object.values(lists).map(({ path }) => path);
  const list = (count: number) => send(paths[count % paths.length]!);
  const receipt = (count: number) => {
    const itemID = `SEED-${String(1 + (count % items)).padStart(8, '0')}`;
    return send('/Inventory/Receive', { itemID, units: 1, wid: 1 + (count % warehouseCount), reasonCode: 0 });
  };
  const reads = async (by: string) =>
    (await readMetrics(api.internalPort)).value(`inventory_api_list_reads_total{by="${by}"}`) ?? 0;
  try {
    // Opens connections and plans statements.
    await paced(listsPerSecond, 3, list);
    const [cpuBefore, replicaBefore, primaryBefore] = [
      timeWithChildren(pair.primary.pid),
      await reads('replica'),
      await reads('primary'),
    ];
    await Promise.all([paced(listsPerSecond, forSeconds, list), paced(way.receipts, forSeconds, receipt)]);
    const byReplica = (await reads('replica')) - replicaBefore;
    const byPrimary = (await reads('primary')) - primaryBefore;
    const cpuMs = timeWithChildren(pair.primary.pid) - cpuBefore;
    return { ...way, cpuMs, byReplica: byReplica / (byReplica + byPrimary) };
  } finally {
    await http.close();
    await api.stop();
    await worker.stop();
  }
}

/** Starts this many calls a second for this many seconds, each when it is due, and waits for all answers. */
async function paced(perSecond: number, seconds: number, call: (count: number) => Promise<void>) {
  const startedAt = performance.now();
  const calls: Promise<void>[] = [];
  for (let count = 0; count < perSecond * seconds; count++) {
    const wait = startedAt + (count * 1000) / perSecond - performance.now();
    if (wait > 1) await pause(wait);
    calls.push(call(count));
  }
  await Promise.all(calls);
}

function rowOf({ from, receipts, cpuMs, byReplica }: Seen): string[] {
  return [String(receipts), from, (cpuMs / forSeconds / 10).toFixed(1), (byReplica * 100).toFixed(0)];
}

function textOf(seen: readonly Seen[]): string {
  const rows = receiptRates.flatMap((receipts) => {
    const of = (from: Way['from']) => seen.filter((each) => each.from === from && each.receipts === receipts);
    const cpuOf = (from: Way['from']) => medianOf(of(from).map(({ cpuMs }) => cpuMs));
    const saved = 1 - cpuOf('replica') / cpuOf('primary');
    return (['primary', 'replica'] as const).map((from) => [
      ...rowOf({
        from,
        receipts,
        cpuMs: cpuOf(from),
        byReplica: medianOf(of(from).map((each) => each.byReplica)),
      }),
      from === 'replica' ? `${(saved * 100).toFixed(0)} %` : '',
    ]);
  });
  return [
    `${listsPerSecond} lists a second for ${forSeconds} s, ${lots.toLocaleString('en')} lots, all kinds of lists in turn, with and without ` +
      `\`DATABASE_READ_URL\`; ${rounds} alternating rounds. CPU: the primary with all its backends, in percent of one core.`,
    tableOf(
      ['receipts/s beside', 'lists from', 'CPU of the primary', '% read by the replica', 'saved'],
      rows,
    ),
  ].join('\n\n');
}
