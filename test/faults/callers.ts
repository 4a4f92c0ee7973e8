import { setTimeout as pause } from 'node:timers/promises';
import { type BatchMeans, callBatches, callFullBatches } from './batch-callers.ts';
import type { Cluster } from './cluster.ts';
import { createHearing } from './operations.ts';
import { createPace } from './pace.ts';
import { pickOne } from './random.ts';
import { type Ask, createRequests } from './requests.ts';
import { type Send, startSending } from './send.ts';
import { type Answer, type ItemKind, isUnclear, type Read, saidBy, type Told } from './told.ts';

export type Callers = {
  log: Told[];
  reads: Read[];
  /** Large issues that got no clear answer however often they were sent. */
  neverAnswered: string[];
  /** Answers to operations of batches that cannot both be true. */
  contradictions: string[];
  /** The references of atomic batches, which must be there whole or not at all. */
  wholes: string[][];
  /** From now on, two callers use only this item and the others avoid it; null: all use all items again. */
  part(itemId: string | null): void;
  /**
   * From now on, some callers also send batches. Not from the start, because a service that has just started
   * is slow.
   */
  startBatches(): void;
  /** Sends a batch of the maximum size in each mode, both at once, until all operations are clear. */
  fullBatches(): Promise<void>;
  /** Issues this many units of an item of one-unit lots, and resends until the answer is clear. */
  issue(itemId: string, units: number): Promise<void>;
  /** The item that the caller of large issues takes from. */
  setLargeItem(itemId: string): void;
  stop(): Promise<void>;
};

const readPaths = ['/Inventory/1?pageSize=5', '/Item?pageSize=5'];
// A caller with a key resends for this long.
const keyWithinMs = 10_000;
// By then, every broken connection is whole again.
const largeWithinMs = 45_000;
const partedCallers = 2;
const batchCallers = 2;
const readEveryMs = 30;

/**
 * Starts callers that send transactions, batches, large issues, item writes and reads one after another until
 * they are stopped.
 */
export async function startCallers(
  cluster: Cluster,
  options: { count: number; random: () => number; now: () => number },
): Promise<Callers> {
  const { random, now } = options;
  const log: Told[] = [];
  const reads: Read[] = [];
  const neverAnswered: string[] = [];
  const wholes: string[][] = [];
  const requests = createRequests(random);
  let running = true;
  let parted: string | null = null;
  let largeItem: string | null = null;
  let larges = 0;
  let fulls = 0;
  const isRunning = () => running;
  const connections = options.count + 8 + 8000 / readEveryMs;
  const pace = createPace({ count: options.count, now, log });
  const { send, close } = await startSending(cluster, { connections, random, isRunning });

  /** Sends a transaction. With a key, resends it for `withinMs` or until the answer is clear. */
  async function transact(
    ask: Ask,
    reference: string,
    key: string | undefined,
    withinMs: number,
  ): Promise<Told | null> {
    const sentAt = now();
    let answer = await send('POST', `/Inventory/${ask.path}`, ask.body, key);
    while (key !== undefined && isUnclear(answer) && running && now() - sentAt < withinMs) {
      await pause(100);
      answer = await send('POST', `/Inventory/${ask.path}`, ask.body, key);
    }
    if (answer.status === -1) return null;
    const told = note(ask.kind, ask.itemID, reference, answer);
    const recNo = told.transactionNo === null ? undefined : JSON.parse(answer.text).recNo;
    requests.learn(ask, told.transactionNo, recNo);
    return told;
  }

  function note(kind: Told['kind'], itemId: string, reference: string, answer: Answer): Told {
    const said = saidBy(answer);
    const { status, port, tookMs, isReplayed = false } = answer;
    const transactionNo = said === 'yes' ? (JSON.parse(answer.text).transactionNo ?? null) : null;
    const text = said === 'yes' ? '' : answer.text.slice(0, 300);
    const told = { reference, kind, itemId, told: said, status, transactionNo, text, port };
    return noteTold({ ...told, tookMs, isReplayed, batch: null, wasCut: false });
  }

  function noteTold(told: Omit<Told, 'at'>): Told {
    const whole = { ...told, at: now() - told.tookMs };
    log.push(whole);
    return whole;
  }

  async function call(caller: number) {
    for (let turn = 0; ; turn++) {
      await pace.turn(caller);
      if (!running) return;
      const reference = `${caller}-${turn}`;
      let ask = requests.next(reference, caller < partedCallers ? (parted ?? undefined) : undefined);
      while (caller >= partedCallers && ask.itemID === parted) ask = requests.next(reference);
      await transact(ask, reference, random() < 0.3 ? reference : undefined, keyWithinMs);
    }
  }

  async function issue(itemID: string, units: number): Promise<void> {
    const reference = `large-${larges++}`;
    const body = { itemID, units, wid: 1, reasonCode: 1, reference };
    const told = await transact(
      { kind: 'large issue', path: 'Issue', itemID, body },
      reference,
      reference,
      largeWithinMs,
    );
    if (told !== null && isUnclear(told) && running) {
      neverAnswered.push(
        `an issue of ${units} units, sent for ${largeWithinMs / 1000} s: ${told.status} ${told.text}`,
      );
    }
  }

  async function callLarge() {
    while (running) {
      await pause(300 + random() * 1500);
      const units = random() < 0.1 ? 5000 : 300 + Math.floor(random() * 600);
      if (largeItem !== null && running) await issue(largeItem, units);
    }
  }

  async function read() {
    const path = pickOne(random, readPaths);
    const answer = await send('GET', path);
    if (answer.status === -1) return;
    const { status, port, tookMs } = answer;
    const failed = status !== 200;
    const text = failed ? answer.text.slice(0, 300) : '';
    reads.push({ path, failed, status, text, port, at: now() - tookMs, tookMs });
  }

  /** Reads at a steady pace: a hanging read must not keep the next one from showing that reads work again. */
  async function callReads() {
    const underWay = new Set<Promise<void>>();
    while (running) {
      const each: Promise<void> = read().finally(() => underWay.delete(each));
      underWay.add(each);
      await pause(readEveryMs);
    }
    await Promise.all(underWay);
  }

  const avoided = () => parted;
  const hearing = createHearing(now, (ask, told) => {
    noteTold(told);
    requests.learn(ask, told.transactionNo);
  });
  const batches: BatchMeans = { random, now, send, requests, hearing, isRunning, avoided, wholes };
  const calls = [
    ...Array.from({ length: options.count }, (_, caller) => call(caller)),
    ...Array.from({ length: 2 }, (_, writer) => writeItems(writer, { send, note, isRunning })),
    callLarge(),
    callReads(),
  ];
  return {
    log,
    reads,
    neverAnswered,
    contradictions: hearing.contradictions,
    wholes,
    issue,
    startBatches() {
      for (let caller = 0; caller < batchCallers; caller++)
        calls.push(callBatches(`batch-${caller}`, batches));
    },
    fullBatches: () => callFullBatches(`full-${fulls++}`, batches),
    part(itemId) {
      parted = itemId;
    },
    setLargeItem(itemId) {
      largeItem = itemId;
    },
    async stop() {
      running = false;
      pace.stop();
      await Promise.all(calls);
      await close();
    },
  };
}

/**
 * Creates items, changes each once and discontinues it. The three writes leave marks that do not cover each
 * other (there, its description, discontinued), so that each answer can be compared with the table at the
 * end.
 */
async function writeItems(
  writer: number,
  callers: {
    send: Send;
    note: (kind: ItemKind, itemId: string, reference: string, answer: Answer) => Told;
    isRunning: () => boolean;
  },
): Promise<void> {
  const { send, note, isRunning } = callers;
  for (let turn = 0; isRunning(); turn++) {
    const shortID = `NEW-${writer}-${turn}`;
    const writes = [
      ['create item', 'POST', '/Item', { shortID, description: `created as ${shortID}` }],
      ['change item', 'PUT', '/Item', { shortID, description: `changed as ${shortID}` }],
      ['discontinue item', 'DELETE', `/Item/${shortID}`, undefined],
    ] as const;
    for (const [kind, method, path, body] of writes) {
      const answer = await send(method, path, body);
      if (answer.status === -1) return;
      note(kind, shortID, `${kind} ${shortID}`, answer);
      await pause(10);
    }
  }
}
