import { runEach, type Task } from '@inventory/api/stock/batch-call/run-each';
import { createBatchTurns } from '@inventory/api/stock/batch-call/turns';
import type { Sender } from '@inventory/api/stock/sender';
import type { QueuedRequest } from '@inventory/domain/request';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { callTexts } from '../harness/contract/call-texts.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * Lets this many operations of each client wait for their turns. Returns how many have begun, and a way to
 * end some of them.
 */
function taking(turns: ReturnType<typeof createBatchTurns>, clients: Record<string, number>) {
  const begun: Record<string, number> = {};
  const ends: ((() => void) | null)[] = [];
  for (const [client, count] of Object.entries(clients)) {
    begun[client] = 0;
    for (let nth = 0; nth < count; nth++) {
      void turns.take(client, 1, performance.now() + 60_000).then((end) => {
        begun[client]! += 1;
        ends.push(end);
      });
    }
  }
  const give = (count: number) => {
    for (const end of ends.splice(0, count)) end?.();
  };
  return { begun, give };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('operations of batches run up to a maximum, which is lower while single operations arrive', async () => {
  const turns = createBatchTurns({ beside: 4, alone: 16 });
  turns.noteSingle();
  const { begun, give } = taking(turns, { a: 100 });
  await settled();
  expect(begun).toEqual({ a: 4 });
  give(1);
  await settled();
  expect(begun).toEqual({ a: 5 });
  vi.advanceTimersByTime(150);
  give(1);
  await settled();
  expect(begun).toEqual({ a: 6 });
  // No single operation has come for a while.
  vi.advanceTimersByTime(60);
  give(1);
  await settled();
  expect(begun).toEqual({ a: 19 });
  // Operations under way go on; no new one begins before there is room again.
  turns.noteSingle();
  give(12);
  await settled();
  expect(begun).toEqual({ a: 19 });
  give(1);
  await settled();
  expect(begun).toEqual({ a: 20 });
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
