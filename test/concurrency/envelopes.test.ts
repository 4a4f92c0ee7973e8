import type { QueuedRequest } from '@inventory/domain/request';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRequest, openSubmitter, turn } from '../harness/queue/submitter.ts';

// Time passes only when told to: a machine that stands still between two turns makes no envelope late.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('a few requests travel at once; many travel together, when an envelope is full or the answers are late', async () => {
  const { submit, sizes } = await openSubmitter({ envelopeMax: 16, inFlightMax: 4 });
  const answers = submit(1);
  await turn();
  answers.push(...submit(8));
  await turn();
  for (let count = 0; count < 3; count++) {
    answers.push(...submit(1));
    await turn();
  }
  await expect.poll(sizes, { interval: 10 }).toEqual([1, 8]);
  vi.advanceTimersByTime(500);
  await expect.poll(sizes, { interval: 10 }).toEqual([1, 8, 3]);
  answers.push(...submit(16));
  await expect.poll(sizes, { interval: 10 }).toEqual([1, 8, 3, 16]);
  vi.advanceTimersByTime(10_000);
  for (const { status } of await Promise.all(answers)) expect(status).toBe('abandoned');
});

test('requests that nobody waits for any more leave Redis, even when no worker takes them', async () => {
  const { submit, sizes } = await openSubmitter({ envelopeMax: 16, inFlightMax: 4 });
  const answers = submit(40);
  await expect.poll(sizes, { interval: 10 }).not.toEqual([]);
  vi.advanceTimersByTime(10_000);
  await Promise.all(answers);
  await expect.poll(sizes).toEqual([]);
});

test('requests of different versions travel apart, and those that wait for a newer worker hold up no others', async () => {
  const { submit, submitRequests, sizes } = await openSubmitter({ envelopeMax: 16, inFlightMax: 4 });
  const hold = () =>
    ({
      ...createRequest(),
      ...{ kind: 'hold', body: { recno: 1, hold: true } },
      of: { kind: 'receive', itemID: 'I', wids: [1], lines: 1 },
    }) as QueuedRequest;
  const now = performance.now();
  const answers = submitRequests(
    Array.from({ length: 16 }, (_, place) => (place % 2 === 0 ? hold() : createRequest())),
    now,
  );
  await turn();
  await expect.poll(sizes, { interval: 10 }).toEqual([8, 8]);
  // Each time as if the one before was late, until as many as may are under way.
  for (let count = 0; count < 6; count++) {
    vi.advanceTimersByTime(100);
    answers.push(...submitRequests([hold()], now));
    await expect.poll(sizes, { interval: 10 }).toHaveLength(Math.min(2 + 1 + count, 5));
  }
  answers.push(...submit(16));
  await expect.poll(sizes, { interval: 10 }).toEqual([8, 8, 1, 1, 1, 16]);
  vi.advanceTimersByTime(10_000);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 'abandoned')).toHaveLength(16 + 3 + 16);
  // Those that were not sent.
  expect(statuses.filter((status) => status === 'busy')).toHaveLength(3);
});
