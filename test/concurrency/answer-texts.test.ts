import { messages } from '@inventory/api/http/errors';
import { createUnreadAnswers } from '@inventory/api/http/unread-answers';
import { createAnswerTexts } from '@inventory/api/stock/answer-texts';
import { createAnswerRoom } from '@inventory/api/stock/batch-call/answer-room';
import { runEach, type Task } from '@inventory/api/stock/batch-call/run-each';
import { createBatchTurns } from '@inventory/api/stock/batch-call/turns';
import type { Sender } from '@inventory/api/stock/sender';
import type { QueuedRequest } from '@inventory/domain/request';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import { afterEach, expect, test, vi } from 'vitest';
import { answerWay, callTexts, readersOf } from '../harness/contract/call-texts.ts';

afterEach(() => {
  vi.useRealTimers();
});

const mib = 1024 * 1024;
const text = `{"recNo":1,"status":"moved","transactionNo":7,"remark":"${'x'.repeat(mib)}"}`;
const large: SubmitResult = { status: 'applied', result: null, under: 'request', isRepeat: true };

/** Large answers, with room for four of them, at most two of one client. */
function openTexts(waitMs = 60_000) {
  let readCount = 0;
  const readers = readersOf(new Map([['request', text]]));
  const texts = createAnswerTexts(
    {
      ...readers,
      read(requestIds) {
        readCount += 1;
        return readers.read(requestIds);
      },
    },
    createUnreadAnswers({ total: 4 * mib, perClient: 2 * mib, waitMs }),
  );
  const ask = (clientId: string, of: 'batch' | 'single' = 'batch') => {
    const res = answerWay();
    const own = texts.open({ clientId, res });
    const call = { res, isTold: false, answer: own.fill(large, of).finally(own.end) };
    void call.answer.then(
      () => {
        call.isTold = true;
      },
      () => {},
    );
    return call;
  };
  return { texts, ask, readCount: () => readCount };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

test('answers that a caller does not read delay the next answer of that client, but not those of other clients', async () => {
  const { ask, readCount } = openTexts();
  const calls = [ask('A')];
  await calls[0]!.answer;
  calls.push(ask('A'));
  await calls[1]!.answer;
  calls.push(ask('A'), ask('A'));
  await soon();
  expect(calls.map(({ isTold }) => isTold)).toEqual([true, true, false, false]);
  expect(await ask('B').answer).toEqual({ status: 'applied', result: text, isRepeat: true });
  expect(readCount()).toBe(3);
  calls[0]!.res.close();
  await calls[2]!.answer;
  await soon();
  expect(calls[3]!.isTold).toBe(false);
  calls[1]!.res.close();
  await calls[3]!.answer;
  for (const { res } of calls) res.close();
});

test('503 when there is no room in time for a batch’s large answer, but not for a single call’s; a closed connection frees its room', async () => {
  const { ask } = openTexts(50);
  const calls = [ask('A')];
  await calls[0]!.answer;
  calls.push(ask('A'));
  await calls[1]!.answer;
  await expect(ask('A').answer).rejects.toMatchObject({ status: 503, message: messages.answerWaits });
  await expect(ask('A', 'single').answer).resolves.toMatchObject({ status: 'applied', result: text });
  for (const { res } of calls) res.destroy();
  await ask('A').answer;
});

test('an answer that is unread after 30 s gives way to one that waits, and to no other', async () => {
  vi.useFakeTimers();
  const { ask } = openTexts();
  const calls = [ask('A'), ask('A')];
  await vi.advanceTimersByTimeAsync(29_000);
  expect(calls.map(({ res }) => res.destroyed)).toEqual([false, false]);
  const waiting = ask('A');
  await vi.advanceTimersByTimeAsync(2000);
  expect(calls.map(({ res }) => res.destroyed)).toEqual([true, false]);
  expect(waiting.isTold).toBe(true);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect([...calls, waiting].map(({ res }) => res.destroyed)).toEqual([true, false, false]);
});

test('unknown when Postgres does not return the text; a small answer needs no text', async () => {
  const away = async (): Promise<never> => {
    throw Object.assign(new Error('it ended'), { code: 'CONNECTION_CLOSED' });
  };
  const call = createAnswerTexts({ read: away, leftOut: away }, createUnreadAnswers()).open({
    ...{ clientId: 'A', res: answerWay() },
  });
  expect(await call.fill(large, 'single')).toEqual({ status: 'unknown', result: null });
  const small: SubmitResult = { status: 'applied', result: '{}' };
  expect(await call.fill(small, 'batch')).toBe(small);
});

test('the texts a call has read keep their room after its caller has left until the call ends, and it reads no more', async () => {
  const { texts, readCount } = openTexts(20);
  const calls = [];
  for (let count = 0; count < 8; count++) {
    const res = answerWay();
    const call = texts.open({ clientId: 'A', res });
    await call.read(['request']);
    res.destroy();
    expect(await call.read(['request'])).toBeNull();
    calls.push(call);
  }
  expect(readCount()).toBe(2);
  for (const call of calls) call.end();
  const next = texts.open({ clientId: 'A', res: answerWay() });
  expect((await next.read(['request']))?.size).toBe(1);
});

test('applied with a placeholder when Postgres does not return the answers’ texts, which it is asked for once', async () => {
  const readers = readersOf(new Map([['request', text]]));
  let readCount = 0;
  const room = createAnswerRoom({
    ...callTexts(),
    async read() {
      readCount += 1;
      throw Object.assign(new Error('it ended'), { code: 'CONNECTION_CLOSED' });
    },
    leftOut: readers.leftOut,
  });
  const kept = await Promise.all(Array.from({ length: 100 }, () => room.keep(large)));
  expect(new Set(kept.map(({ status, result }) => `${status} ${result}`))).toEqual(
    new Set(['applied {"transactionNo":7,"leftOut":true,"dryRun":false}']),
  );
  expect(readCount).toBe(1);
});

test('a list that waits for room for its answers does not delay other lists', async () => {
  const { texts, ask } = openTexts();
  const taken = [ask('A'), ask('A')];
  for (const { answer } of taken) await answer;
  const sender = {
    togetherMax: 32,
    sendAll: async (requests: readonly QueuedRequest[]): Promise<SubmitResult[]> =>
      requests.map(({ clientId }) => (clientId === 'A' ? large : { status: 'applied', result: '{}' })),
    settleAll: async (requests: readonly QueuedRequest[]): Promise<SubmitResult[]> =>
      requests.map(() => ({ status: 'busy', result: null })),
  } as unknown as Sender;
  const turns = createBatchTurns({ beside: 64, alone: 64 });
  const run = (clientId: string, count: number) => {
    const tasks = Array.from({ length: count }, (_, index): Task => {
      const body = { itemID: `${index}`, units: 1, wid: 1, toSpot: 'B' };
      const make = () =>
        ({ requestId: `${clientId} ${index}`, kind: 'move', body, clientId }) as QueuedRequest;
      return { itemId: `${index}`, isBetween: false, make };
    });
    const options = {
      sender,
      turns,
      readOutcomes: async () => new Map(),
      texts: texts.open({ clientId, res: answerWay() }),
    };
    return runEach(options, clientId, tasks, performance.now());
  };
  let isOver = false;
  const waiting = run('A', 64).then(() => {
    isOver = true;
  });
  await soon();
  const { answers } = await run('B', 1);
  expect(answers).toMatchObject([{ status: 'applied' }]);
  expect(isOver).toBe(false);
  for (const { res } of taken) res.close();
  await waiting;
});
