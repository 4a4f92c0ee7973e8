import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Sql } from '@inventory/db/postgres/pool';
import type { Change } from '@inventory/domain/contract/change';
import { addCaller, fetchToken } from '../harness/service/caller.ts';
import { createMirror, type Lists, type Mirror } from '../harness/stock/mirror.ts';
import type { Cluster } from './cluster.ts';
import { pickOne } from './random.ts';

/** Clients with different scopes that follow the change feed beside the load. */
export type Mirrors = {
  /**
   * Reads on to the end, once nobody writes any more. Returns what differs from the lists, and how many stock
   * transactions were told.
   */
  finish(): Promise<{ unlike: string[]; toldCount: number }>;
};

type Get = (path: string) => Promise<{ status: number; text: string } | null>;
type Follower = { stop(): Promise<string[]>; toldCount(): number };

const answerWithinMs = 30_000;
const catchUpWithinMs = 120_000;
const pageSize = 250;

/** Begins to follow: first a cursor, then the lists. The apis must be up. */
export async function startMirrors(cluster: Cluster, random: () => number): Promise<Mirrors> {
  const followers: Follower[] = [];
  for (const wids of [[1, 2], [1]]) {
    const clientId = `mirror-${wids.length}`;
    const secret = await addCaller(cluster.sql, clientId, wids.length);
    const token = await fetchToken(`http://127.0.0.1:${cluster.apis[0]!.port}`, clientId, secret);
    followers.push(
      await follow(cluster, { name: clientId, wids, get: createGet(cluster, token, random), random }),
    );
  }
  return {
    async finish() {
      const unlike = (await Promise.all(followers.map(({ stop }) => stop()))).flat();
      return { unlike, toldCount: followers.reduce((sum, { toldCount }) => sum + toldCount(), 0) };
    },
  };
}

/** Asks any api that is up; null: none answered. */
function createGet(cluster: Cluster, token: string, random: () => number): Get {
  return async (path) => {
    const ports = cluster.apis.map(({ port }) => port).filter((port) => port !== 0);
    if (ports.length === 0) return null;
    try {
      const answer = await fetch(`http://127.0.0.1:${pickOne(random, ports)}/api/v1${path}`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(answerWithinMs),
      });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return null;
    }
  };
}

async function follow(
  cluster: Cluster,
  { name, wids, get, random }: { name: string; wids: number[]; get: Get; random: () => number },
): Promise<Follower> {
  const problems: string[] = [];
  const told: number[] = [];
  let cursor: string = (await insist('/Me')).cursor;
  const mirror = createMirror(await readLists(insist, wids));
  let running = true;

  /** Asks until the answer is good. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have their own names.
  async function insist(path: string): Promise<any> {
    for (const until = performance.now() + catchUpWithinMs; performance.now() < until; await pause(50)) {
      const answer = await get(path);
      if (answer?.status === 200) return JSON.parse(answer.text);
    }
    throw new Error(`${name}: ${path} was not answered within ${catchUpWithinMs / 1000} s`);
  }

  function take({ value, nextCursor }: { value: Change[]; nextCursor: string }) {
    for (const change of value) {
      mirror.apply(change);
      if (change.type === 'stock') told.push(change.transactionNo);
    }
    cursor = nextCursor;
  }

  const following = (async () => {
    while (running) {
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
    toldCount: () => told.length,
    async stop() {
      running = false;
      await following;
      if (problems.length > 0) return problems;
      for (let hasMore = true; hasMore; ) {
        const page = await insist(`/Changes?after=${cursor}&limit=1000`);
        take(page);
        ({ hasMore } = page);
      }
      const lists = await readLists(insist, wids);
      const levels: object[] = await readAll(insist, '/Inventory/StockLevels');
      problems.push(...differences(mirror.state(), { ...lists, levels }));
      problems.push(...differingOrder(told, await readNumbers(cluster.sql, wids)));
      return problems.map((problem) => `${name}: ${problem}`);
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
  for (const wID of wids) {
    const own: Lists['levels'] = await readAll(insist, `/Inventory/StockLevels/${wID}`);
    levels.push(...own.map((level) => ({ ...level, wID })));
  }
  return { lots, levels, items: await readAll(insist, '/Item/All') };
}

/** The records of the mirror and of the lists that are not the same, field by field. */
function differences(
  mirrored: ReturnType<Mirror['state']>,
  listed: { lots: Lists['lots']; levels: object[]; items: Lists['items'] },
): string[] {
  const found: string[] = [];
  const compare = (what: string, key: string, mine: readonly object[], theirs: readonly object[]) => {
    const byKey = (records: readonly object[]) =>
      new Map(records.map((record) => [(record as Record<string, unknown>)[key], record]));
    const [one, other] = [byKey(mine), byKey(theirs)];
    for (const no of new Set([...one.keys(), ...other.keys()])) {
      if (isDeepStrictEqual(one.get(no), other.get(no))) continue;
      found.push(`${what}: mirrored ${JSON.stringify(one.get(no))}, listed ${JSON.stringify(other.get(no))}`);
    }
  };
  const shown = listed.lots.map(({ modified, ...lot }) => lot);
  compare('lot', 'recNo', mirrored.lots, shown);
  compare('level', 'partNo', mirrored.levels, listed.levels);
  compare('item', 'partNo', mirrored.items, listed.items);
  return found;
}

/** Every transaction since the first one must have been told once, in the order of the ledger. */
function differingOrder(told: readonly number[], ledger: readonly number[]): string[] {
  const from = ledger.indexOf(told[0]!);
  const at = ledger.slice(from).findIndex((no, index) => no !== told[index]);
  if (from >= 0 && at < 0 && told.length === ledger.length - from) return [];
  return [`told ${told.length} transactions in another order than the ledger, from place ${at} on`];
}

async function readNumbers(sql: Sql, wids: number[]): Promise<number[]> {
  const rows = await sql<{ no: number }[]>`
    select transaction_no as no
    from stock_transaction
    where wid = any(${wids}::integer[]) or to_wid = any(${wids}::integer[])
    order by transaction_no`;
  return rows.map(({ no }) => no);
}
