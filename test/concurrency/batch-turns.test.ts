import { createBatchTurns } from '@inventory/api/batch-call/turns';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * Lets so many operations of each of these clients wait for their turns; returns how many have begun, and how
 * to end some of those.
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

test('as many operations of batches begin as there may be, fewer while single operations come', async () => {
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
  // Nobody has come for a while.
  vi.advanceTimersByTime(60);
  give(1);
  await settled();
  expect(begun).toEqual({ a: 19 });
  // Those that are under way stay so; no more begin before there is room again.
  turns.noteSingle();
  give(12);
  await settled();
  expect(begun).toEqual({ a: 19 });
  give(1);
  await settled();
  expect(begun).toEqual({ a: 20 });
});

test('clients take turns, however many operations one has', async () => {
  const turns = createBatchTurns({ beside: 4, alone: 4 });
  const { begun, give } = taking(turns, { a: 100, b: 3 });
  await settled();
  expect(begun).toEqual({ a: 4, b: 0 });
  give(4);
  await settled();
  expect(begun).toEqual({ a: 6, b: 2 });
});
