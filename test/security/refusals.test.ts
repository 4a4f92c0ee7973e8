import { createRefusals } from '@inventory/queue/refusals';
import { expect, onTestFinished, test, vi } from 'vitest';

test('refusals count for some minutes, and again when they come again', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  const refusals = createRefusals('envelopes', ({ message }) => told.push(message));
  refusals.note();
  refusals.note();
  expect(refusals.count()).toBe(2);
  vi.advanceTimersByTime(4 * 60_000);
  expect(refusals.count()).toBe(2);
  vi.advanceTimersByTime(7 * 60_000);
  expect(refusals.count()).toBe(0);
  refusals.note();
  expect(refusals.count()).toBe(1);
  expect(told.map((each) => Number.parseInt(each, 10))).toEqual([1, 2]);
});
