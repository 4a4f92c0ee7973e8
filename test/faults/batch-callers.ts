import { setTimeout as pause } from 'node:timers/promises';
import { createOperation, type Hearing, type Mode, type Operation } from './operations.ts';
import { pickOne } from './random.ts';
import type { Requests } from './requests.ts';
import { batchPath, type Send } from './send.ts';
import type { Answer } from './told.ts';

/** `keys`: a key for each operation, one for a whole atomic list, or none. */
type Batch = {
  mode: Mode;
  keys: 'own' | 'list' | 'none';
  listKey: string | undefined;
  operations: Operation[];
};

type Cut = { afterMs: number } | 'in the body';

export type BatchMeans = {
  random: () => number;
  now: () => number;
  send: Send;
  requests: Requests;
  hearing: Hearing;
  isRunning: () => boolean;
  /** The item that these callers must not use now; null: none. */
  avoided: () => string | null;
  /** The references of batches that must be applied whole or not at all. */
  wholes: string[][];
};

/**
 * Sends a batch of this many operations, with or without keys, sometimes cut off or sent twice at once, and
 * resends unclear operations until they are clear.
 */
export type SendOne = (mode: Mode, count: number) => Promise<void>;

const keyWithinMs = 10_000;
// Below the limit of a batch, because some reversals add a twin.
const full = 480;

/** Sends batches one after the other until the run ends. */
export async function callBatches(name: string, means: BatchMeans): Promise<void> {
  const { random, isRunning } = means;
  const sendOne = createBatchCaller(name, means);
  while (isRunning()) {
    await (random() < 0.6
      ? sendOne('each', 1 + Math.floor(random() ** 2 * 30))
      : sendOne('atomic', 1 + Math.floor(random() * 8)));
  }
}

/** One batch of each mode at the maximum size, both at once. */
export async function callFullBatches(name: string, means: BatchMeans): Promise<void> {
  const modes = ['each', 'atomic'] as const;
  await Promise.all(modes.map((mode) => createBatchCaller(`${name}-${mode}`, means)(mode, full)));
}

/** `name`: the beginning of references and keys. */
function createBatchCaller(name: string, means: BatchMeans): SendOne {
  const { random, now, isRunning, hearing } = means;
  const { sendBatch, sendParts } = createSending(means);
  let turn = 0;

  /** Resends until every outcome is clear, in the ways that the keys allow, and sometimes once more. */
  async function settle(batch: Batch) {
    const { operations, keys } = batch;
    const open = () => operations.filter(({ firmAt }) => firmAt === null);
    for (const until = now() + keyWithinMs; open().length > 0 && isRunning() && now() < until; ) {
      await pause(100);
      await (keys === 'list' || random() < 0.3 ? sendBatch(batch) : sendParts(open(), operations));
    }
    if (!isRunning() || random() > 0.15) return;
    await (keys === 'list' || random() < 0.5 ? sendBatch(batch) : sendParts(operations, operations));
  }

  return async (mode, count) => {
    const batch = makeBatch(`${name}-${turn++}`, mode, count, means);
    const { keys, operations } = batch;
    if (mode === 'atomic' && keys !== 'own') {
      means.wholes.push(operations.map(({ reference }) => reference));
    }
    const isTwice = keys !== 'none' && random() < 0.1;
    await Promise.all([sendBatch(batch, chooseCut(random)), ...(isTwice ? [sendBatch(batch)] : [])]);
    if (keys !== 'none') await settle(batch);
    for (const operation of operations) hearing.giveUp(operation);
  };
}

function chooseCut(random: () => number): Cut | undefined {
  if (random() < 0.2) return { afterMs: 1 + random() * 40 };
  return random() < 0.06 ? 'in the body' : undefined;
}

function makeBatch(
  name: string,
  mode: Mode,
  count: number,
  { random, requests, avoided }: BatchMeans,
): Batch {
  const keys = pickOne(random, ['own', 'own', mode === 'atomic' ? 'list' : 'own', 'none'] as const);
  const operations: Operation[] = [];
  const isWhole = mode === 'atomic';
  const keyOf = (reference: string) => (keys === 'own' ? reference : undefined);
  while (operations.length < count) {
    const reference = `${name}-${operations.length}`;
    // A full atomic batch of anything else would be refused.
    const ask = isWhole && count === full ? requests.nextReceipt(reference) : requests.next(reference);
    if (ask.itemID === avoided()) continue;
    operations.push(createOperation(ask, reference, keyOf(reference)));
    if (ask.path !== 'Reverse' || random() < 0.5) continue;
    // Only one of the two can be applied.
    const again = `${reference}-again`;
    const twin = { ...ask, body: { ...ask.body, reference: again } };
    operations.push(createOperation(twin, again, keyOf(again)));
  }
  return { mode, keys, listKey: keys === 'list' ? name : undefined, operations };
}

function createSending({ random, now, send, hearing }: BatchMeans) {
  async function sendBatch({ mode, keys, listKey, operations }: Batch, cut?: Cut): Promise<void> {
    const sentAt = now();
    const body = {
      mode,
      operations: operations.map(({ ask, key }) => ({ op: ask.path.toLowerCase(), key, ...ask.body })),
    };
    const answer = await send('POST', batchPath, body, listKey, cut);
    if (answer.status === -1) return;
    const results = resultsOf(answer);
    if (results !== null && results.length !== operations.length) {
      hearing.contradictions.push(
        `${results.length} results of ${operations.length}: ${answer.text.slice(0, 200)}`,
      );
    }
    for (const [index, operation] of operations.entries()) {
      const result = results?.[index];
      if (result === undefined) {
        hearing.hear(operation, { answer, mode, sentAt, stays: isRefusal(answer) });
        continue;
      }
      if (result.index !== index || (result.key ?? undefined) !== operation.key) {
        hearing.contradictions.push(
          `the result of another operation: ${JSON.stringify(result).slice(0, 200)}`,
        );
      }
      const { status, statusCode, body, error, replayed } = result;
      const own = {
        ...answer,
        status: statusCode,
        text: JSON.stringify(body ?? error),
        isReplayed: replayed,
      };
      // A refused list stays refused under its key, and uses none of its operations' keys.
      const ofThisSend = answer.status === 409 && status !== 'applied' && !replayed;
      const stays = ofThisSend ? keys !== 'own' : status === 'refused';
      hearing.hear(operation, { answer: own, mode, sentAt, stays, ofThisSend });
    }
  }

  async function sendAlone(operation: Operation): Promise<void> {
    const { ask, key } = operation;
    const sentAt = now();
    const answer = await send('POST', `/Inventory/${ask.path}`, ask.body, key);
    if (answer.status === -1) return;
    hearing.hear(operation, { answer, mode: null, sentAt, stays: isRefusal(answer) });
  }

  /** Sends these operations, and some that may be clear already, in concurrent batches and single calls. */
  async function sendParts(some: readonly Operation[], all: readonly Operation[]): Promise<void> {
    // No key may be in a list twice.
    const rest = [...new Set([...some, ...all.filter(() => random() < 0.1)])];
    const mixed: Operation[] = [];
    while (rest.length > 0) mixed.push(...rest.splice(Math.floor(random() * rest.length), 1));
    const alone = mixed.splice(0, Math.floor(random() * 4));
    const parts = [1, 2].map(() => mixed.splice(0, Math.ceil(random() * mixed.length)));
    const batches = [...parts, mixed].filter(({ length }) => length > 0);
    await Promise.all([
      ...alone.map(sendAlone),
      ...batches.map((operations) => {
        const mode = random() < 0.2 ? ('atomic' as const) : ('each' as const);
        return sendBatch({ mode, keys: 'own', listKey: undefined, operations });
      }),
    ]);
  }

  return { sendBatch, sendParts };
}

type Result = {
  index: number;
  key: string | null;
  status: 'applied' | 'refused' | 'notApplied';
  statusCode: number;
  body?: unknown;
  error?: unknown;
  replayed: boolean;
};

const isRefusal = ({ status }: Answer) => status >= 400 && status < 500;

/** The result of each operation of a batch; null for an answer without results. */
function resultsOf({ status, text }: Answer): Result[] | null {
  if (status !== 200 && status !== 409 && status !== 503) return null;
  return (JSON.parse(text) as { results?: Result[] }).results ?? null;
}
