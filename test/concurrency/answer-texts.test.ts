import { createAnswerTexts } from '@inventory/api/answer-texts';
import { createBodyRoom } from '@inventory/api/body-room';
import { messages } from '@inventory/api/errors';
import type { SubmitResult } from '@inventory/queue/submit';
import { afterEach, expect, test, vi } from 'vitest';
import { answerWay, readersOf } from '../harness/call-texts.ts';

afterEach(() => {
  vi.useRealTimers();
});

const mib = 1024 * 1024;
const text = `{"recNo":1,"status":"moved","transactionNo":7,"remark":"${'x'.repeat(mib)}"}`;
const large: SubmitResult = { status: 'applied', result: null, under: 'request', isRepeat: true };

/** Large answers, with a room for 4 of them, 2 of one client. */
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
    createBodyRoom({ total: 4 * mib, perClient: 2 * mib, waitMs }),
  );
  const ask = (clientId: string) => {
    const res = answerWay();
    const call = { res, isTold: false, answer: texts.open({ clientId, res }).fill(large) };
    void call.answer.then(
      () => {
        call.isTold = true;
      },
      () => {},
    );
    return call;
  };
  return { ask, readCount: () => readCount };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

test('answers that their caller does not take keep back the next of this client, until one is sent; not those of others', async () => {
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

test('503 when there is no room in time for a large answer; a connection that closed takes none', async () => {
  const { ask } = openTexts(50);
  const calls = [ask('A')];
  await calls[0]!.answer;
  calls.push(ask('A'));
  await calls[1]!.answer;
  await expect(ask('A').answer).rejects.toMatchObject({ status: 503, message: messages.answerWaits });
  for (const { res } of calls) res.destroy();
  await ask('A').answer;
});

test('an answer that is not taken is given up, and lets others have its room', async () => {
  vi.useFakeTimers();
  const { ask } = openTexts();
  const calls = [ask('A'), ask('A')];
  await vi.advanceTimersByTimeAsync(29_000);
  expect(calls.map(({ res }) => res.destroyed)).toEqual([false, false]);
  const waiting = ask('A');
  await vi.advanceTimersByTimeAsync(2000);
  expect(calls.map(({ res }) => res.destroyed)).toEqual([true, true]);
  expect(waiting.isTold).toBe(true);
});

test('unknown when Postgres does not give the text; a small answer needs none', async () => {
  const away = async (): Promise<never> => {
    throw Object.assign(new Error('it ended'), { code: 'CONNECTION_CLOSED' });
  };
  const call = createAnswerTexts({ read: away, leftOut: away }).open({ clientId: 'A', res: answerWay() });
  expect(await call.fill(large)).toEqual({ status: 'unknown', result: null });
  const small: SubmitResult = { status: 'applied', result: '{}' };
  expect(await call.fill(small)).toBe(small);
});
