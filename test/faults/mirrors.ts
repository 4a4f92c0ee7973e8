import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Change } from '@inventory/domain/contract/change';
import type { Sql } from '@inventory/postgres/pool';
import { addCaller } from '../harness/service/caller.ts';
import { createMirror, gateTexts, type Lists, type Mirror } from '../harness/stock/mirror.ts';
import type { Cluster } from './cluster.ts';
import { pickOne } from './random.ts';
import { startReceiver } from './receiver.ts';
import { startToken, type Token } from './token.ts';

/** Beside the load, a client follows the change feed, and one with a smaller scope receives webhooks. */
export type Mirrors = {
  /**
   * Reads on to the end, once nobody writes any more. Returns what differs from the lists, and how many stock
   * transactions were told. `ofClient`: the records of a mirror of warehouse 1, by kind, to be compared, too.
   */
  finish(ofClient: Record<string, object[]>): Promise<{ unlike: string[]; toldCount: number }>;
};

type Get = (path: string) => Promise<{ status: number; text: string; since: string | null } | null>;
type Follower = { stop(): Promise<string[]>; toldCount(): number };

const answerWithinMs = 30_000;
const catchUpWithinMs = 120_000;
const pageSize = 250;

/** Begins to follow: first a cursor, then the lists. The apis must be up. */
export async function startMirrors(cluster: Cluster, random: () => number): Promise<Mirrors> {
  const startFollowed = async (clientId: string, wids: number[]) => {
    const secret = await addCaller(cluster.sql, clientId, wids.length);
    const token = await startToken(cluster, clientId, secret);
    return { name: clientId, wids, get: createGet(cluster, token, random), random };
  };
  const ofOne = await startFollowed('mirror-1', [1]);
  const followers = [
    await receive(cluster, ofOne),
    await follow(cluster, await startFollowed('mirror-2', [1, 2])),
    // It reads the lists again and again, which takes a good part of a machine.
    ...(cluster.clocks === null ? [] : [sync(await startFollowed('mirror-3', [1, 2]))]),
  ];
  return {
    async finish(ofClient) {
      const unlike: string[] = [];
      // One after the other: this process also carries every connection of the service.
      for (const { stop } of followers)
        unlike.push(...(await stop().catch((error: Error) => [error.message])));
      unlike.push(...(await differencesOfClient(createInsist(ofOne), ofClient)));
      return { unlike, toldCount: followers.reduce((sum, { toldCount }) => sum + toldCount(), 0) };
    },
  };
}

/** Asks any api that is up; null: none answered. */
function createGet(cluster: Cluster, token: Token, random: () => number): Get {
  return async (path) => {
    const ports = cluster.apis.map(({ port }) => port).filter((port) => port !== 0);
    if (ports.length === 0) return null;
    const used = token.current();
    try {
      const answer = await fetch(`http://127.0.0.1:${pickOne(random, ports)}/api/v1${path}`, {
        headers: { authorization: `Bearer ${used}` },
        signal: AbortSignal.timeout(answerWithinMs),
      });
      const text = await answer.text();
      if (answer.status === 401) {
        await token.renew(used);
        return null;
      }
      return { status: answer.status, text, since: answer.headers.get('X-Next-Modified-Since') };
    } catch {
      return null;
    }
  };
}

/** `name`: its client's id. */
type Followed = { name: string; wids: number[]; get: Get; random: () => number };

/** Asks until the answer is good. */
function createInsist({ name, get }: Pick<Followed, 'name' | 'get'>) {
  // biome-ignore lint/suspicious/noExplicitAny: answers have their own names.
  return async (path: string): Promise<any> => {
    let last: Awaited<ReturnType<Get>> = null;
    for (const until = performance.now() + catchUpWithinMs; performance.now() < until; await pause(50)) {
      last = await get(path);
      if (last?.status === 200) return JSON.parse(last.text);
    }
    throw new Error(`${name}: ${path} got ${last?.status} ${last?.text} for ${catchUpWithinMs / 1000} s`);
  };
}

/** A copy that begins with the lists, and the transactions that it was told. */
async function createCopy(cluster: Cluster, insist: Insist, wids: number[]) {
  const told: number[] = [];
  // Items of changes that came without all of their lots, as a webhook tells what is large.
  const cut = new Set<string>();
  const mirror = createMirror(await readLists(insist, wids));
  return {
    told,
    take(changes: readonly Change[]) {
      for (const change of changes) {
        mirror.apply(change);
        if (change.type !== 'stock') continue;
        told.push(change.transactionNo);
        if ('moreLines' in change) cut.add(change.itemID!);
      }
    },
    /** Waits for as long as more is told. Comparing takes seconds, in which nothing arrives. */
    async untilToldToTheEnd() {
      const last = await readLastNumber(cluster.sql, wids);
      let count = 0;
      let since = performance.now();
      while (told.at(-1) !== last && performance.now() - since < catchUpWithinMs) {
        await pause(500);
        if (told.length > count) since = performance.now();
        count = told.length;
      }
    },
    readDifferingOrder: async () => differingOrder(told, await readNumbers(cluster.sql, wids)),
    async readDifferences() {
      for (const itemID of cut) {
        const lots: Lists['lots'] = await readAll(insist, `/Inventory?view=full&itemID=${itemID}`);
        mirror.apply({ type: 'stock', lots } as unknown as Change);
      }
      const lists = await readLists(insist, wids);
      const levels: object[] = await readAll(insist, '/Inventory/StockLevels');
      return differences(mirror.state(), { ...lists, levels });
    },
  };
}

/** A copy that webhooks keep up to date. */
async function receive(cluster: Cluster, followed: Followed): Promise<Follower> {
  const insist = createInsist(followed);
  // Messages that come while the lists are read are applied after them.
  const early: Change[][] = [];
  let take = (changes: Change[]): void => void early.push(changes);
  const { name: clientId, random } = followed;
  const receiver = await startReceiver(cluster, { clientId, random, take: (changes) => take(changes) });
  const copy = await createCopy(cluster, insist, followed.wids);
  for (const changes of early) copy.take(changes);
  take = copy.take;
  return {
    toldCount: () => copy.told.length,
    async stop() {
      const look = async () => {
        const unlike = await copy.readDifferingOrder();
        return unlike.length > 0 ? unlike : copy.readDifferences();
      };
      await copy.untilToldToTheEnd();
      let unlike = await look();
      for (const until = performance.now() + catchUpWithinMs; performance.now() < until; ) {
        if (unlike.length === 0) break;
        await pause(1000);
        unlike = await look();
      }
      await receiver.stop();
      return [...receiver.problems, ...unlike].map((problem) => `webhook of ${followed.name}: ${problem}`);
    },
  };
}

async function follow(cluster: Cluster, followed: Followed): Promise<Follower> {
  const { name, wids, get, random } = followed;
  const problems: string[] = [];
  const insist = createInsist(followed);
  let cursor: string = (await insist('/Me')).cursor;
  const copy = await createCopy(cluster, insist, wids);
  let running = true;

  function take({ value, nextCursor }: { value: Change[]; nextCursor: string }) {
    copy.take(value);
    cursor = nextCursor;
  }

  const following = (async () => {
    while (running) {
      // Sometimes late, so a fault finds it behind: what it reads then shows lots as they are then.
      await pause(pickOne(random, [0, 0, 0, 0, 0, 2000]));
      // Sometimes with fewer than there are, or none to wait for.
      const limit = pickOne(random, [1, 7, 100, 1000]);
      const answer = await get(`/Changes?after=${cursor}&limit=${limit}&wait=${pickOne(random, [0, 1, 5])}`);
      if (answer?.status === 200) take(JSON.parse(answer.text));
      else await pause(50);
      // Busy or away; the same cursor must still be good.
      if (answer !== null && answer.status !== 200 && answer.status < 500) {
        problems.push(`${name}: ${answer.status} for a cursor that was given: ${answer.text.slice(0, 200)}`);
        return;
      }
    }
  })();

  return {
    toldCount: () => copy.told.length,
    async stop() {
      running = false;
      await following;
      if (problems.length > 0) return problems;
      for (let hasMore = true; hasMore; ) {
        const page = await insist(`/Changes?after=${cursor}&limit=1000`);
        take(page);
        ({ hasMore } = page);
      }
      problems.push(...(await copy.readDifferences()), ...(await copy.readDifferingOrder()));
      return problems.map((problem) => `${name}: ${problem}`);
    },
  };
}

/** A copy of the lists by `modifiedSince` alone. */
function sync({ name, wids, get }: Followed): Follower {
  const lists = [
    { path: '/Inventory?view=full', kind: 'lots' as const },
    { path: '/Item/All', kind: 'items' as const },
    ...wids.map((wid) => ({ path: `/Inventory/StockLevels/${wid}`, kind: 'levels' as const, wid })),
  ].map((list) => ({ ...list, since: '', records: new Map<number, Record<string, unknown>>() }));
  let running = true;
  const insist = createInsist({ get, name });

  /** Reads what was modified. If a page is not answered, the next round reads it all again. */
  async function read(list: (typeof lists)[number]): Promise<void> {
    let next = '';
    for (let page = 1, hasMore = true; hasMore; page++) {
      const query = `pageSize=${pageSize}&page=${page}${list.since && `&modifiedSince=${encodeURIComponent(list.since)}`}`;
      const answer = await get(`${list.path}${list.path.includes('?') ? '&' : '?'}${query}`);
      if (answer?.status !== 200) return;
      if (page === 1) next = answer.since!;
      const { value, ...paging } = JSON.parse(answer.text);
      for (const record of value) list.records.set(record[list.kind === 'lots' ? 'recNo' : 'partNo'], record);
      ({ hasMore } = paging);
    }
    list.since = next;
  }

  const following = (async () => {
    while (running) {
      for (const list of lists) await read(list);
      await pause(2000);
    }
  })();

  return {
    toldCount: () => 0,
    async stop() {
      running = false;
      await following;
      await insist('/Me');
      for (const list of lists) await read(list);
      const problems: string[] = [];
      for (const { path, kind, records } of lists) {
        const listed: object[] = await readAll(insist, path);
        const key = kind === 'lots' ? 'recNo' : 'partNo';
        problems.push(...compare(path, [key], [...records.values()], listed));
      }
      return problems.map((problem) => `${name}, by modifiedSince: ${problem}`);
    },
  };
}

type Insist = (path: string) => Promise<{ value: never[]; hasMore: boolean }>;

async function readAll<Record>(insist: Insist, path: string): Promise<Record[]> {
  const all: Record[] = [];
  for (let page = 1; ; page++) {
    const { value, hasMore } = await insist(
      `${path}${path.includes('?') ? '&' : '?'}pageSize=${pageSize}&page=${page}`,
    );
    all.push(...value);
    if (!hasMore) return all;
  }
}

async function readLists(insist: Insist, wids: readonly number[]): Promise<Lists> {
  const lots: Lists['lots'] = await readAll(insist, '/Inventory?view=full');
  const levels = [];
  const low = [];
  for (const wID of wids) {
    const own: Lists['levels'] = await readAll(insist, `/Inventory/StockLevels/${wID}`);
    levels.push(...own.map((level) => ({ ...level, wID })));
    const below: Lists['levels'] = await readAll(insist, `/Inventory/StockLevels/${wID}?belowMinimum=true`);
    low.push(...below.map(({ partNo }) => ({ partNo, wID })));
  }
  return { lots, levels, items: await readAll(insist, '/Item/All'), low };
}

/** The records of the mirror and of the lists that are not the same, field by field. */
function differences(
  mirrored: ReturnType<Mirror['state']>,
  listed: Omit<Lists, 'levels'> & { levels: object[] },
): string[] {
  const shown = listed.lots.map(({ modified, ...lot }) => lot);
  return [
    ...compare('lot', ['recNo'], mirrored.lots, shown),
    ...compare('level', ['partNo'], mirrored.levels, listed.levels),
    ...compare('item', ['partNo'], mirrored.items, listed.items),
    ...compare('low', ['gate'], asRecords(mirrored.low), asRecords(gateTexts(listed.low))),
  ];
}

const asRecords = (gates: readonly string[]) => gates.map((gate) => ({ gate }));

/** The same for a mirror of warehouse 1 that the client's package keeps, also in when lots were modified. */
async function differencesOfClient(insist: Insist, mirrored: Record<string, object[]>): Promise<string[]> {
  const { lots, items } = await readLists(insist, [1]);
  const full: (Lists['levels'][number] & Record<'shortID' | 'description' | 'modified', string>)[] =
    await readAll(insist, '/Inventory/StockLevels/1?view=full');
  const levels = full.map(({ shortID, description, modified, ...level }) => ({ ...level, wID: 1 }));
  const { warehouses } = (await insist('/Me')) as unknown as { warehouses: object[] };
  return [
    ...compare('lot', ['recNo'], mirrored.lot!, lots),
    ...compare('level', ['partNo', 'wID'], mirrored.level!, levels),
    ...compare('item', ['partNo'], mirrored.item!, items),
    ...compare('warehouse', ['wID'], mirrored.warehouse!, warehouses),
  ].map((difference) => `mirror of the client: ${difference}`);
}

function compare(what: string, key: string[], mine: readonly object[], theirs: readonly object[]): string[] {
  const byKey = (records: readonly object[]) =>
    new Map(
      (records as Record<string, unknown>[]).map((record) => [
        key.map((name) => record[name]).join(),
        record,
      ]),
    );
  const [one, other] = [byKey(mine), byKey(theirs)];
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((no) => !isDeepStrictEqual(one.get(no), other.get(no)))
    .map((no) => `${what}: mirrored ${JSON.stringify(one.get(no))}, listed ${JSON.stringify(other.get(no))}`);
}

/** Every transaction since the first one must have been told once, in the order of the ledger. */
function differingOrder(told: readonly number[], ledger: readonly number[]): string[] {
  const from = ledger.indexOf(told[0]!);
  const at = ledger.slice(from).findIndex((no, index) => no !== told[index]);
  if (from >= 0 && at < 0 && told.length === ledger.length - from) return [];
  return [`told ${told.length} transactions in another order than the ledger, from place ${at} on`];
}

// A hold is told as its lot.
const isTold = (sql: Sql, wids: number[]) =>
  sql`kind <> 'hold' and (wid = any(${wids}::integer[]) or to_wid = any(${wids}::integer[]))`;

async function readNumbers(sql: Sql, wids: number[]): Promise<number[]> {
  const rows = await sql<{ no: number }[]>`
    select transaction_no as no from stock_transaction where ${isTold(sql, wids)} order by transaction_no`;
  return rows.map(({ no }) => no);
}

async function readLastNumber(sql: Sql, wids: number[]): Promise<number | undefined> {
  const [last] = await sql<{ no: number }[]>`
    select transaction_no as no from stock_transaction where ${isTold(sql, wids)} order by transaction_no desc limit 1`;
  return last?.no;
}
