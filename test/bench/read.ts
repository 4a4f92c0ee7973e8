import { findImbalances } from '@inventory/db/audit/audit';
import { seed, transactionsFor } from '@inventory/db/operator/seed';
import { Pool } from 'undici';
import { readOptions } from '../harness/read-options.ts';
import { addCaller, fetchToken } from '../harness/service/caller.ts';
import { startProcess } from '../harness/service/processes.ts';
import { quantiles } from './load.ts';
import { memoryOf } from './memory.ts';
import { byKey, type ListToRead, lists, otherReads, warehouseCount } from './read-lists.ts';
import { measureReplica } from './read-replica.ts';
import { csvOf, tableOf, writeBeside, writeSection } from './report.ts';
import { createDatabase, startBenchStack } from './stack.ts';

// pnpm bench read [--sizes 10000,100000,1000000,5000000] [--seconds 0.5] [--replica] [--dry]: lists by the
// number of lots, and the load that a replica takes from the primary.
const values = readOptions(
  'bench read',
  'Measures the cost of lists by the number of lots, and writes docs/benchmarks.md.',
  {
    sizes: { value: 'list', default: '10000,100000,1000000,5000000', about: 'numbers of lots' },
    seconds: { value: 'number', default: '0.5', about: 'how long each list is read' },
    replica: { flag: true, about: 'only what lists from a replica save of the CPU of the primary' },
    dry: { flag: true, about: 'leave docs/benchmarks.md as it is' },
  },
);
const sizes = values.sizes.split(',').map(Number);
const seconds = Number(values.seconds);
// As many as an api process has.
const connections = 10;
const walkedLots = 1_000_000;
const walkedPageSize = 250;

type Measured = { rate: number; p50Ms: number; p99Ms: number };

/** Keeps `callers` calls under way for some time. */
async function measure(
  callers: number,
  call: () => Promise<unknown>,
  { forSeconds = seconds } = {},
): Promise<Measured> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  const endAt = startedAt + forSeconds * 1000;
  const caller = async () => {
    do {
      const from = performance.now();
      await call();
      latencies.push(performance.now() - from);
    } while (performance.now() < endAt);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const tookSeconds = (performance.now() - startedAt) / 1000;
  return { rate: latencies.length / tookSeconds, ...quantiles(latencies) };
}

const queryOf = (page: number, pageSize: number) =>
  ({ page, pageSize, sort: undefined, direction: 'asc' }) as const;

/**
 * One cell of the table: a page of a list over HTTP, by the driver alone, and in the plain form if requested.
 */
type Cell = {
  lots: number;
  list: string;
  total: number;
  pageSize: number;
  place: string;
  callers: number;
  http: Measured;
  driver: Measured;
  plain: Measured | null;
};
const cells: Cell[] = [];
const facts: string[][] = [];
const number = (value: number, digits = 0) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

const stack = await startBenchStack();
try {
  if (!values.replica) for (const lots of sizes) await measureSize(lots);
  const replica = await measureReplica(stack);
  if (!values.dry) await writeSection('replica', '`pnpm bench read --replica`', replica);
} finally {
  await stack.stop();
}

async function measureSize(lots: number) {
  const site = await startReadSite(lots);
  note(lots, 'seed', `${number(site.seedSeconds, 1)} s`);
  note(lots, 'audit of everything', `${number(site.auditSeconds, 1)} s`);
  const http = new Pool(site.origin, { connections: 32, pipelining: 1 });
  const get = async (path: string) => {
    const answer = await http.request({
      method: 'GET',
      path: `/api/v1${path}`,
      headers: { authorization: `Bearer ${site.token}` },
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return text;
  };
  for (const [name, list] of Object.entries(lists)) {
    for (const pageSize of [25, 250]) await measurePages(site, get, lots, name, list, pageSize);
  }
  await measureKey(site, get, lots);
  await measureFifty(site, get, lots);
  await measureOthers(site, lots);
  await measureMemory(site, get, lots);
  if (lots === walkedLots) await walk(get, lots);
  await http.close();
  await site.stop();
}

type ReadSite = Awaited<ReturnType<typeof startReadSite>>;

/** An api on a database of this many lots. */
async function startReadSite(lots: number) {
  const name = `read_${lots}`;
  const { url, sql, drop } = await createDatabase(stack, name, { connectionsMax: connections });
  const items = Math.ceil(lots / 5);
  const size = { items, lots, warehouses: warehouseCount, transactions: transactionsFor(lots) };
  const seedSeconds = await timed(() => seed(sql, size, () => {}));
  const auditSeconds = await timed(async () => {
    const imbalances = await findImbalances(sql);
    if (imbalances.length > 0) throw new Error(`does not add up: ${JSON.stringify(imbalances.slice(0, 3))}`);
  });
  const env = { DATABASE_URL: url, REDIS_URL: stack.redisUrl, PORT: '0', QUEUE_PREFIX: name };
  const api = await startProcess('apps/api/src/main.ts', env);
  const origin = `http://127.0.0.1:${api.port}`;
  const secret = await addCaller(sql, 'bench', warehouseCount);
  return {
    origin,
    token: await fetchToken(origin, 'bench', secret),
    items,
    seedSeconds,
    auditSeconds,
    sql,
    api,
    async stop() {
      await api.stop();
      await drop();
    },
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

type Get = (path: string) => Promise<string>;

function pathOf({ path }: ListToRead, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

async function measurePages(
  site: ReadSite,
  get: Get,
  lots: number,
  name: string,
  list: ListToRead,
  pageSize: number,
) {
  const { totalCount: total } = await list.read(site.sql, queryOf(1, 1));
  const last = Math.ceil(total / pageSize);
  const places = { first: 1, middle: Math.ceil(last / 2), last };
  // Postgres keeps the plan of a connection's statement after five runs.
  for (let count = 0; count < 8; count++) {
    await Promise.all(
      Array.from({ length: connections }, () =>
        Promise.all([list.read(site.sql, queryOf(1, pageSize)), get(pathOf(list, `pageSize=${pageSize}`))]),
      ),
    );
  }
  for (const [place, page] of Object.entries(places)) {
    const query = queryOf(page, pageSize);
    for (const callers of [1, 32]) {
      const cell: Cell = {
        lots,
        list: name,
        total,
        pageSize,
        place,
        callers,
        http: await measure(callers, () => get(pathOf(list, `page=${page}&pageSize=${pageSize}`))),
        driver: await measure(callers, () => list.read(site.sql, query)),
        plain:
          callers === 1 ? await measure(1, () => list.plain(site.sql, query), { forSeconds: 0.2 }) : null,
      };
      cells.push(cell);
      console.log(show(cell).join('  '));
    }
  }
  const ofPlace = (place: string) => cells.findLast((cell) => cell.place === place && cell.callers === 1)!;
  const [first, end] = [ofPlace('first'), ofPlace('last')];
  const msOf = (measured: Measured | null) => `${number(measured!.p50Ms, 2)} ms`;
  const seen = `${msOf(end.driver)} / ${msOf(first.driver)}; plain ${msOf(end.plain)}`;
  note(lots, `${name}: last page of ${pageSize} / first, driver alone, p50`, seen);
}

async function measureKey(site: ReadSite, get: Get, lots: number) {
  for (const callers of [1, 32]) {
    cells.push({
      lots,
      list: 'item by key',
      total: site.items,
      pageSize: 1,
      place: 'any',
      callers,
      http: await measure(callers, () => get(byKey.path(site.items))),
      driver: await measure(callers, () => byKey.read(site.sql, site.items)),
      plain: null,
    });
    console.log(show(cells.at(-1)!).join('  '));
  }
}

/** The case that must reach half of the driver's rate: a page of 50 lots and 32 callers. */
async function measureFifty(site: ReadSite, get: Get, lots: number) {
  const list = lists['lots, 10 warehouses']!;
  const query = queryOf(3, 50);
  const longer = { forSeconds: seconds * 4 };
  const http = await measure(32, () => get(`${list.path}?page=3&pageSize=50`), longer);
  const driver = await measure(32, () => list.read(site.sql, query), longer);
  note(
    lots,
    'page of 50 lots, 32 callers: HTTP / driver alone',
    `${number(http.rate)}/s / ${number(driver.rate)}/s = ${number(http.rate / driver.rate, 2)}`,
  );
}

async function measureOthers(site: ReadSite, lots: number) {
  for (const [name, prepare] of Object.entries(otherReads)) {
    const read = await prepare(site.sql);
    await read();
    const { p50Ms } = await measure(1, read);
    note(lots, `${name}: first page of 25, driver alone, p50`, `${number(p50Ms, 2)} ms`);
  }
}

/** The largest resident memory of the api while 32 callers read pages of 250. */
async function measureMemory(site: ReadSite, get: Get, lots: number) {
  const megabytes = () => memoryOf(site.api.child);
  const before = megabytes();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, megabytes());
  }, 100);
  await measure(32, () => get('/Inventory?pageSize=250'), { forSeconds: seconds * 10 });
  clearInterval(timer);
  note(
    lots,
    'memory of the api, 32 callers of 250 lots: before, most',
    `${number(before)} MB, ${number(most)} MB`,
  );
}

/**
 * Walks the whole list: every lot must come exactly once, and the last pages must cost as little as the
 * first.
 */
async function walk(get: Get, lots: number) {
  const seen = new Set<number>();
  const tookMs: number[] = [];
  for (let page = 1; ; page++) {
    const from = performance.now();
    const text = await get(`/Inventory?page=${page}&pageSize=${walkedPageSize}`);
    tookMs.push(performance.now() - from);
    const answer = JSON.parse(text) as { value: { recNo: number }[]; hasMore: boolean; totalCount: number };
    for (const { recNo } of answer.value) seen.add(recNo);
    if (answer.totalCount !== lots) throw new Error(`page ${page} counts ${answer.totalCount} lots`);
    if (!answer.hasMore) break;
  }
  const sum = (some: number[]) => some.reduce((total, each) => total + each, 0) / 1000;
  const firstThousand = sum(tookMs.slice(0, 1000));
  const lastThousand = sum(tookMs.slice(-1000));
  note(lots, `walk of ${number(tookMs.length)} pages of ${walkedPageSize}`, `${number(sum(tookMs), 1)} s`);
  note(
    lots,
    'last thousand pages / first thousand',
    `${number(lastThousand, 2)} s / ${number(firstThousand, 2)} s = ${number(lastThousand / firstThousand, 2)}`,
  );
  note(lots, 'different lots seen on the walk', number(seen.size));
}

/** A table with a line for each fact and a column for each number of lots. */
function factsTable(): string {
  const columns = [...new Set(facts.map(([lots]) => lots!))];
  const whats = [...new Set(facts.map(([, what]) => what!))];
  const seenOf = (what: string, lots: string) =>
    facts.find((fact) => fact[0] === lots && fact[1] === what)?.[2] ?? '';
  return tableOf(
    ['lots', ...columns],
    whats.map((what) => [what, ...columns.map((lots) => seenOf(what, lots))]),
  );
}

function note(lots: number, what: string, seen: string) {
  facts.push([number(lots), what, seen]);
  console.log(`${number(lots)} lots: ${what}: ${seen}`);
}

function show({ lots, list, total, pageSize, place, callers, http, driver, plain }: Cell): string[] {
  return [
    number(lots),
    list,
    number(total),
    String(pageSize),
    place,
    String(callers),
    number(driver.p50Ms, 2),
    number(driver.rate),
    number(http.p50Ms, 2),
    number(http.rate),
    plain === null ? '' : number(plain.p50Ms, 2),
  ];
}

const head =
  'lots,list,records,page size,page,callers,driver p50 ms,driver /s,HTTP p50 ms,HTTP /s,plain p50 ms'.split(
    ',',
  );
const text = [
  `The data is in memory. \`driver\`: the same statement through the driver alone, on ${connections} connections. ` +
    'Each figure comes from one short run: trust the ratios. ' +
    'Every list, page size and position is in [read.csv](benchmarks/read.csv); there, `plain` is `count(*)` and `OFFSET` through the driver, one caller.',
  factsTable(),
].join('\n\n');

if (!values.dry && !values.replica) {
  const command = `\`pnpm bench read --sizes ${values.sizes} --seconds ${seconds}\``;
  await writeSection('read', command, text);
  await writeBeside('read.csv', csvOf(head, cells.map(show)));
}
