import { createHash } from 'node:crypto';
import { findDecided } from '@inventory/api/stock/batch-call/keys';
import { type Operation, parseRawBatch } from '@inventory/api/stock/batch-call/read-operations';
import { runEach, type Task } from '@inventory/api/stock/batch-call/run-each';
import { createSender, type OperationToSend, type Sender } from '@inventory/api/stock/sender';
import type { Caller } from '@inventory/api/stock/transactions';
import type { QueuedRequest } from '@inventory/domain/request';
import { createPacer } from '@inventory/process/pacer';
import { expect, test } from 'vitest';
import { callTexts } from '../harness/contract/call-texts.ts';

const operationCount = 100;
const all = <Value>(value: (index: number) => Value) =>
  Array.from({ length: operationCount }, (_, index) => value(index));

// Longer than any operation takes by itself, so that all of them together are too much for one turn on any
// machine.
const workMs = 0.5;
// Others get a turn after every 5 ms, so at least nine.
const turnsMin = 5;

function workFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** The number of turns of the event loop that others had while `work` ran. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
}

const requestOf = (index: number): OperationToSend['request'] => ({
  kind: 'receive',
  body: { itemID: `I-${index}`, units: 1, wid: 1, reasonCode: 1 },
});

/** A sender whose requests each take their time. */
function slowSender(): Sender {
  return createSender({
    submitter: { togetherMax: operationCount } as never,
    settle: async () => ({ status: 'abandoned', result: null }),
    now() {
      workFor(workMs);
      return 0;
    },
    tracing: null,
  });
}

test('a batch is read no further once its caller has left', async () => {
  // Each number is checked digit by digit: all of them take longer than one stretch on any machine.
  const numbers = `[${all(() => '1234567890.1234567890').join(',')}]`;
  const operations = all(() => ({ op: 'receive', numbers: '@' }));
  const text = JSON.stringify({ mode: 'each', operations }).replaceAll('"@"', numbers);
  const whole = await parseRawBatch(text, { pace: createPacer(), details: new Map(), isStrict: false });
  expect(whole.operations).toHaveLength(operationCount);
  const look = () => {
    throw new Error('gone');
  };
  const reading = parseRawBatch(text, { pace: createPacer(look), details: new Map(), isStrict: false });
  await expect(reading).rejects.toThrow('gone');
});

const origin = { clientId: 'client', arrivedAt: 0 };

test('an atomic batch becomes one request in stretches, with the digest of its whole list', async () => {
  const sender = slowSender();
  const sent = all((index) => ({ request: requestOf(index), key: index % 2 === 0 ? `key ${index}` : null }));
  let body: unknown;
  const turns = await turnsDuring(async () => {
    ({ body } = await sender.atomic(sent, origin));
  });
  expect(turns).toBeGreaterThanOrEqual(turnsMin);
  const list = JSON.stringify(sent.map(({ request, key }) => [request.kind, request.body, key]));
  const digest = createHash('sha256').update(list).digest('base64');
  expect(body).toEqual({ mode: 'atomic', count: operationCount, digest });
  const none = createHash('sha256').update('[]').digest('base64');
  expect((await sender.atomic([], origin)).body.digest).toBe(none);
});

test('the keys of a refused atomic batch are looked up in stretches', async () => {
  const operations = all(
    (index): Operation => ({
      ...{ index, key: `key ${index}` },
      ...{ request: requestOf(index), evidence: undefined },
    }),
  );
  const options = { sender: slowSender(), readOutcomes: async () => new Map() };
  const caller = { client: { clientId: 'client' }, key: undefined } as Caller;
  const turns = await turnsDuring(() => findDecided(options, operations, caller));
  expect(turns).toBeGreaterThanOrEqual(turnsMin);
});

type SendAll = Sender['sendAll'];

const abandoned: SendAll = async (requests) => requests.map(() => ({ status: 'abandoned', result: null }));

/** Runs as many operations in mode each, each of its own item; `begins`: whether they get their turns. */
function eachWith(begins: boolean, sendAll: SendAll = abandoned): Promise<unknown> {
  const tasks = all(
    (index): Task => ({
      itemId: `I-${index}`,
      isBetween: false,
      make() {
        workFor(workMs);
        const requestId = `${index}`;
        return { ...requestOf(index), requestId, clientId: 'client', deadline: 0 } as QueuedRequest;
      },
    }),
  );
  const sender = { ...slowSender(), sendAll, settleAll: abandoned };
  const turns = { noteSingle() {}, take: async () => (begins ? () => {} : null) };
  const options = { sender, turns, readOutcomes: async () => new Map(), texts: callTexts() };
  return runEach(options, 'client', tasks, performance.now());
}

test.each([
  ['begun', true],
  ['settled when they can no longer begin', false],
])('operations of a batch in mode each are %s in stretches', async (_, begins) => {
  expect(await turnsDuring(() => eachWith(begins))).toBeGreaterThanOrEqual(turnsMin);
});

test('an error while operations of mode each begin reaches their caller, and nobody else', async () => {
  const untold: unknown[] = [];
  const note = (error: unknown) => untold.push(error);
  process.on('unhandledRejection', note);
  try {
    const failing: SendAll = () => Promise.reject(new Error('a fault of ours'));
    await expect(eachWith(true, failing)).rejects.toThrow('a fault of ours');
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(untold).toEqual([]);
});
