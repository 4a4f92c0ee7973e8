import { createBatchTurns } from '@inventory/api/stock/batch-call/turns';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
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
