import { messages } from '@inventory/api/http/errors';
import { nameRequest } from '@inventory/api/http/request-id';
import type { Reply } from '@inventory/api/http/route';
import { createUnreadAnswers } from '@inventory/api/http/unread-answers';
import { createAnswerTexts } from '@inventory/api/stock/answer-texts';
import { createBatchCalls } from '@inventory/api/stock/batch-call/batch-calls';
import { runEach, type Task } from '@inventory/api/stock/batch-call/run-each';
import { createBatchTurns } from '@inventory/api/stock/batch-call/turns';
import type { Sender } from '@inventory/api/stock/sender';
import type { RateLimiter } from '@inventory/auth/rate-limit';
import type { QueuedRequest } from '@inventory/domain/request';
import { toldLengthMax } from '@inventory/domain/stock/left-out';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { expect, test } from 'vitest';
import { answerWay, callTexts, readersOf } from '../harness/contract/call-texts.ts';

const answerLength = 256 * 1024;
const fitting = toldLengthMax / answerLength;

/** Stock that applies everything except moves of BUSY, and remembers by key what it applied. */
function openStock() {
  const applied = new Map<string, string>();
  const sent: string[] = [];
  const known = (request: QueuedRequest): StoredOutcome | undefined => {
    const under = request.key!.digest;
    return applied.has(under) ? { status: 'applied', result: null, under, isRepeat: true } : undefined;
  };
  const sender = {
    togetherMax: 4,
    queued: (request: object, { key }: { key: string }) => ({
      ...request,
      requestId: key,
      key: { digest: key },
    }),
    async sendAll(requests: readonly QueuedRequest[]) {
      return requests.map((request) => {
        const { digest } = request.key!;
        sent.push(digest);
        if ('itemID' in request.body && request.body.itemID === 'BUSY')
          return { status: 'busy', result: null };
        const before = known(request);
        if (before !== undefined) return before;
        const start = `{"recNo":1,"status":"moved","transactionNo":${applied.size + 1},"remark":"`;
        const result = `${start}${'x'.repeat(answerLength - start.length - 2)}"}`;
        applied.set(digest, result);
        return { status: 'applied', result: null, under: digest };
      });
    },
    settleAll: async (requests: readonly QueuedRequest[]) =>
      requests.map((request) => known(request) ?? { status: 'busy', result: null }),
  } as unknown as Sender;
  const readOutcomes = async (requests: readonly { requestId: string }[]) =>
    new Map(
      requests.flatMap((request) => {
        const outcome = known(request as QueuedRequest);
        return outcome === undefined ? [] : [[request.requestId, outcome] as const];
      }),
    );
  const turns = createBatchTurns({ beside: 64, alone: 64 });
  return { options: { sender, turns, readOutcomes }, texts: callTexts(applied), applied, sent };
}

const listOf = (count: number, itemCount: number) =>
  Array.from({ length: count }, (_, index): Task => {
    const key = { digest: `place-${index}`, fingerprint: '', askedAt: 0 };
    const itemID = `item-${index % itemCount}`;
    const body = { itemID, units: 1, wid: 1, toSpot: 'B' };
    const make = () => ({ requestId: String(index), kind: 'move', body, key }) as QueuedRequest;
    return { itemId: itemID, isBetween: false, make };
  });

for (const itemCount of [1, 3])
  test(`not applied: the operations after the batch’s answer is full; each resend applies more, in order: ${itemCount} items`, async () => {
    const { options, texts, applied, sent } = openStock();
    const tasks = listOf(40, itemCount);
    const counts: number[] = [];
    for (let send = 0; send < 10 && applied.size < tasks.length; send++) {
      const { answers, unsent } = await runEach({ ...options, texts }, 'client', tasks, performance.now());
      counts.push(applied.size);
      const told = answers.map(({ status }) => status);
      expect(told).toEqual(tasks.map((_, index) => (applied.has(`place-${index}`) ? 'applied' : 'busy')));
      const left = tasks.flatMap((_, index) => (applied.has(`place-${index}`) ? [] : [index]));
      // On a busy machine also some that were applied before.
      expect([...unsent].filter((index) => left.includes(index))).toEqual(left);
      // New and earlier answers have the same room each.
      const length = answers.reduce((sum, { result }) => sum + (result?.length ?? 0), 0);
      expect(length).toBeLessThan(2 * toldLengthMax + 10_000);
    }
    // At most the operations under way when the answer was full.
    expect(counts[0]).toBeLessThanOrEqual(fitting + 4 * itemCount);
    expect(counts.at(-1)).toBe(40);
    const firsts = [...new Set(sent)].map((digest) => Number(digest.split('-')[1]));
    for (let item = 0; item < itemCount; item++) {
      const ofItem = firsts.filter((index) => index % itemCount === item);
      expect(ofItem).toEqual(ofItem.toSorted((a, b) => a - b));
    }
    const again = await runEach({ ...options, texts }, 'client', tasks, performance.now());
    const leftOut = again.answers.filter(({ result }) => result?.includes('"leftOut":true'));
    expect(leftOut).toHaveLength(40 - fitting);
    expect(again.unsent.size).toBe(0);
  });

/** The answer to a batch in mode each that moves each of these items once. */
async function moveEach(itemIds: readonly string[]) {
  const { options, applied } = openStock();
  const unused = async (): Promise<never> => {
    throw new Error('not asked for');
  };
  const { batch } = createBatchCalls({
    ...options,
    answerTexts: createAnswerTexts(readersOf(applied), createUnreadAnswers()),
    limiter: { take: async () => ({ allowed: true, left: 0, resetMs: 0 }) } as unknown as RateLimiter,
    operationLimit: 1000,
    findSubjects: unused,
    itemNames: async () => (name) => name,
    tryOut: unused,
    whyUnanswered: () => 'busy',
    now: Date.now,
  });
  const client = {
    ...{ clientId: 'client', readOnly: false, rateLimit: null, operationsPerMinute: null },
    ...{ permissions: new Set([15]), scope: new Set([1]) },
  };
  const operations = itemIds.map((itemID, index) => ({
    body: { op: 'move', key: `place-${index}`, itemID, units: 1, wid: 1, toSpot: 'B' },
  }));
  const caller = {
    ...{ client, key: undefined, arrivedAt: performance.now() },
    ...{ name: nameRequest(''), res: answerWay() },
  };
  const call = { wait: undefined as never, nameOperations: () => {} };
  const { status, text } = (await batch({ head: { mode: 'each' }, operations }, caller, call)) as Reply & {
    text: string;
  };
  expect(status).toBe(200);
  return JSON.parse(text);
}

test('503 and its reason: an operation that is not sent because the batch’s answer is full', async () => {
  const { results, summary } = await moveEach(Array(40).fill('ITEM'));
  expect(summary).toEqual({ applied: fitting + 4, refused: 0, notApplied: 40 - fitting - 4 });
  expect(results.at(-1)).toMatchObject({ statusCode: 503, error: { message: messages.answersFull } });
});

test('503 "busy": an operation refused because the service is busy, and those behind it, although the answer is full', async () => {
  const { results } = await moveEach([...Array(40).fill('ITEM'), ...Array(5).fill('BUSY')]);
  const told = results.map(({ error }: { error?: { message: string } }) => error?.message);
  expect(told.slice(39)).toEqual([messages.answersFull, ...Array(5).fill(messages.unavailable)]);
});
