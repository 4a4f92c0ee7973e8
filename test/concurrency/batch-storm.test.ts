import { runEach, type Task } from '@inventory/api/stock/batch-call/run-each';
import { createBatchTurns } from '@inventory/api/stock/batch-call/turns';
import type { Sender } from '@inventory/api/stock/sender';
import type { QueuedRequest } from '@inventory/domain/stock/request';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { callTexts } from '../harness/contract/call-texts.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const after = <T>(timeMs: number, value: T) =>
  new Promise<T>((resolve) => setTimeout(() => resolve(value), timeMs));

/** Applies any number of requests in 40 ms, and settles them in 20. */
const sender = {
  togetherMax: 64,
  sendAll: (requests: readonly QueuedRequest[]) =>
    after(
      40,
      requests.map((): SubmitResult => ({ status: 'applied', result: '{}' })),
    ),
  settleAll: (requests: readonly QueuedRequest[]) =>
    after(
      20,
      requests.map((): SubmitResult => ({ status: 'busy', result: null })),
    ),
} as unknown as Sender;

const answerWithinMs = 12_000;

test('200 for every scanner whose batch arrives at the same moment, with the operations that were applied', async () => {
  const turns = createBatchTurns({ beside: 4, alone: 4 });
  const options = { sender, turns, readOutcomes: async () => new Map(), texts: callTexts() };
  const make = () => ({ kind: 'receive', body: { itemID: 'I', wid: 1 } }) as QueuedRequest;
  const answered: Record<string, number>[] = [];
  for (let scanner = 0; scanner < 100; scanner++) {
    const tasks = Array.from(
      { length: 20 },
      (_, index): Task => ({
        itemId: `${scanner}-${index}`,
        isBetween: false,
        make,
      }),
    );
    void runEach(options, `scanner-${scanner}`, tasks, performance.now()).then(({ answers }) => {
      const counts: Record<string, number> = {};
      for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
      answered.push(counts);
    });
  }
  await vi.advanceTimersByTimeAsync(answerWithinMs - 1);
  expect(answered).toHaveLength(100);
  for (const { applied = 0, busy = 0 } of answered) {
    expect(applied).toBeGreaterThan(0);
    expect(applied + busy).toBe(20);
  }
});
