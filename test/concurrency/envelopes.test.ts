import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openSubmitter, turn } from '../harness/queue/submitter.ts';

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
