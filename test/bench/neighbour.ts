import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { seed, transactionsFor } from '@inventory/db/operator/seed';
import { types } from '../harness/compiled.ts';
import { readOptions } from '../harness/read-options.ts';
import { addCaller, askToken, fetchToken } from '../harness/service/caller.ts';
import { startProcess } from '../harness/service/processes.ts';
import { days, fillShared, shared } from '../harness/stock/shared-marks.ts';
import type { NeighbourCaller } from './neighbour-caller.ts';
import { createDatabase, startBenchStack } from './stack.ts';

// pnpm bench neighbour [--lots 400000] [--items 80000] [--rounds 2] [--together 20]: the latency of a client
// while another sends its 100 costliest lists and picks.
const values = readOptions(
  'bench neighbour',
  'Measures the latency of a client while another sends its 100 costliest lists and picks.',
  {
    lots: { value: 'number', default: '400000', about: 'how many lots there are' },
    items: { value: 'number', default: '80000', about: 'how many items there are' },
    searches: { flag: true, about: 'the neighbour only searches items, for one to three letters' },
    rounds: { value: 'number', default: '2', about: 'how often it is measured' },
    together: { value: 'number', default: '20', about: 'how many lists are asked for at once' },
  },
);
const lots = Number(values.lots);
const rounds = Number(values.rounds);
const together = Number(values.together);
const warehouses = 3;
const worstRatio = 2;
// The neighbour's lists, and the largest category.
const costlyPaths = [
  '/Inventory?sort=description',
  '/Inventory?sort=remark&direction=DESC&pageSize=250',
  '/Inventory?hold=false&sort=units',
  '/Inventory?modifiedSince=2000-01-01&sort=serial',
  '/Inventory/StockLevels?sort=available&direction=DESC',
  '/Inventory/1?sort=spot&page=400&pageSize=250',
  '/Item/All?sort=description&modifiedSince=2000-01-01',
  '/Item?Category=1',
];
const searches = ['i', 'e', 'te', '1', '00', 'ite', 'ent', '123'].flatMap((text) => [
  `/Item?search=${text}`,
  `/Item/All?search=${text}&sort=description&direction=DESC&pageSize=250`,
]);
// The neighbour's picks: 500 in one transaction, from an item of 100,000 lots, by marks that half of them
// share.
const costlyItem = { itemID: 'COSTLY', lots: 100_000 };
const picks = (op: 'issue' | 'move', make: (n: number) => object) => ({
  path: '/Inventory/Batch',
  body: {
    mode: 'atomic',
    operations: Array.from({ length: 500 }, (_, n) => {
      return { op, itemID: costlyItem.itemID, wid: 1, units: 1, reasonCode: 1, ...make(n) };
    }),
  },
});
const costlyPicks = [
  picks('issue', () => ({ rfidTag: shared.even.rfidTag, serial: shared.odd.serial })),
  picks('issue', (n) => ({ rfidTag: shared.even.rfidTag, serial: `S-${costlyItem.lots - 2 * n}` })),
  picks('move', (n) => ({ received: days[0], fromSpot: shared.odd.spot, toSpot: `T-${n}` })),
];
const callsMax = 100;
const everyMs = 25;

const stack = await startBenchStack();
const name = 'neighbour';
const { url: databaseUrl, sql, drop } = await createDatabase(stack, name);
const items = Number(values.items);
await seed(sql, { items, lots, warehouses, transactions: transactionsFor(lots) }, () => {});
await sql`insert into item (short_id, created_by) values (${costlyItem.itemID}, 'bench')`;
await fillShared(sql, costlyItem.itemID, costlyItem.lots);
await sql`alter table item disable trigger user`;
await sql`update item set category = 1`;
await sql`alter table item enable trigger user`;
await sql`vacuum analyze`;

const env = { DATABASE_URL: databaseUrl, REDIS_URL: stack.redisUrl, PORT: '0', QUEUE_PREFIX: name };
const worker = await startProcess('apps/worker/src/main.ts', env);
const api = await startProcess('apps/api/src/main.ts', env);
const origin = `http://127.0.0.1:${api.port}`;
const baseUrl = `${origin}/api/v1`;

async function startCaller(clientId: string) {
  const secret = await addCaller(sql, clientId, warehouses);
  const token = await fetchToken(origin, clientId, secret);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return {
    askToken: () => askToken(origin, clientId, secret),
    get: (path: string) => fetch(baseUrl + path, { headers }),
    headers,
  };
}

const victim = await startCaller('victim');
const neighbour = await startCaller('neighbour');
const [item] = await sql<{ short_id: string }[]>`select short_id from item order by part_no limit 1`;
const itemID = item!.short_id;
const receive = { itemID, units: 1, wid: 1, reasonCode: 0 };
const asked: Record<string, () => Promise<Response>> = {
  lots: () => victim.get('/Inventory'),
  levels: () => victim.get('/Inventory/StockLevels/1'),
  item: () => victim.get(`/Item?key=${itemID}&type=id`),
  'lots of an item': () => victim.get(`/Inventory?serial=NONE`),
  receive: () =>
    fetch(`${baseUrl}/Inventory/Receive`, {
      method: 'POST',
      headers: victim.headers,
      body: JSON.stringify(receive),
    }),
  token: victim.askToken,
};

type Times = Record<string, number[]>;
const quiet: Times = {};
const beside: Times = {};
let refused = 0;

/** Sends one request after the other until told to stop. */
async function callAsVictim(times: Times, mayStop: () => boolean, least: number) {
  const names = Object.keys(asked);
  for (let count = 0; count < least || !mayStop(); count++) {
    const name = names[count % names.length]!;
    const startedAt = performance.now();
    const answer = await asked[name]!();
    await answer.text();
    if (answer.status >= 400) refused += 1;
    times[name] = [...(times[name] ?? []), performance.now() - startedAt];
    await setTimeout(everyMs);
  }
}

const statuses = new Map<number | string, number>();
/** The neighbour's lists and picks, this many at a time, as fast as they are answered. */
async function callAsNeighbour() {
  const { headers } = neighbour;
  const lists = (values.searches ? searches : costlyPaths).map((path) => ({ path }));
  const calls = values.searches ? lists : [...lists, ...costlyPicks];
  const told: NeighbourCaller = { baseUrl, headers, calls, callsMax, together };
  const caller = fork(join(import.meta.dirname, 'neighbour-caller.ts'), { execArgv: ['--import', types] });
  caller.send(told);
  const [found] = (await once(caller, 'message')) as [[number | string, number][]];
  for (const [status, count] of found) statuses.set(status, (statuses.get(status) ?? 0) + count);
}

const p95 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!;

await callAsVictim({}, () => true, 60);
for (let round = 0; round < rounds; round++) {
  await callAsVictim(quiet, () => true, 300);
  let isDone = false;
  const lists = callAsNeighbour().finally(() => {
    isDone = true;
  });
  await callAsVictim(beside, () => isDone, 300);
  await lists;
}
const rows = Object.keys(asked).map((name) => {
  const without = p95(quiet[name]!);
  const withIt = p95(beside[name]!);
  return { name, without, with: withIt, ratio: withIt / without };
});
const all = {
  name: 'all of it',
  without: p95(Object.values(quiet).flat()),
  with: p95(Object.values(beside).flat()),
};
rows.push({ ...all, ratio: all.with / all.without });
console.log(
  `\n${lots} lots, ${callsMax} costly lists and picks a round, ${together} at once, ${rounds} rounds; p95 in ms`,
);
console.table(
  rows.map((row) => ({
    asked: row.name,
    without: row.without.toFixed(1),
    with: row.with.toFixed(1),
    ratio: row.ratio.toFixed(2),
  })),
);
console.log(`neighbour's calls by status: ${JSON.stringify([...statuses])}; victim refused: ${refused}`);
await api.stop();
await worker.stop();
await drop();
await stack.stop();
const isGood = refused === 0 && all.with / all.without <= worstRatio;
console.log(isGood ? 'neighbour: passed' : 'neighbour: FAILED');
process.exit(isGood ? 0 : 1);
