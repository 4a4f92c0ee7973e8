import { createFoldedLog, type FoldedLine } from '@inventory/process/folded-log';
import type { Log } from '@inventory/process/log';
import { createPresence } from '@inventory/process/presence';
import { createReport } from '@inventory/process/report';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let said: { message: string; facts: object; atMs: number }[] = [];
const note = (facts: object, message: string) => said.push({ message, facts, atMs: performance.now() });
const log = { info: note, warn: note, error: note } as unknown as Log;
const line = (key: string, more: Partial<FoldedLine> = {}): FoldedLine => ({
  ...{ level: 'error', key, facts: { key }, message: key, isOutage: false },
  ...more,
});
const messages = () => said.map(({ message }) => message);

beforeEach(() => {
  said = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('the first line is written at once, those alike every ten seconds as one with their number', () => {
  const folded = createFoldedLog(log);
  for (let count = 0; count < 341; count++)
    folded.write(line('a', { facts: { count: 'overwritten', nth: count } }));
  expect(messages()).toEqual(['a']);
  vi.advanceTimersByTime(10_000);
  expect(said[1]).toMatchObject({ message: 'a: 340 in 10 s', facts: { count: 340, seconds: 10, nth: 340 } });
  vi.advanceTimersByTime(60_000);
  expect(said).toHaveLength(2);
  // Quiet for long: it is the first one again.
  folded.write(line('a'));
  expect(messages()[2]).toBe('a');
});

test('lines that differ are written each at once, unless they tell of an outage: then each in a second of its own', () => {
  const folded = createFoldedLog(log);
  for (const key of ['a', 'b', 'c']) folded.write(line(key));
  expect(messages()).toEqual(['a', 'b', 'c']);
  for (let turn = 0; turn < 30; turn++) {
    for (const key of ['d', 'e', 'f', 'g']) folded.write(line(key, { isOutage: true }));
    vi.advanceTimersByTime(1000);
  }
  const outage = said.slice(3);
  expect(outage.slice(0, 4).map(({ message }) => message[0])).toEqual(['d', 'e', 'f', 'g']);
  const gaps = outage.slice(1).map(({ atMs }, index) => atMs - outage[index]!.atMs);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
  folded.end();
});

test('a line of an outage that comes once has its second among those that come all the time', () => {
  const folded = createFoldedLog(log);
  const often = Array.from({ length: 12 }, (_, key) => `often ${key}`);
  // The clock of the log ticks between the seconds of the outage.
  folded.write(line('before'));
  vi.advanceTimersByTime(500);
  folded.write(line('first', { isOutage: true }));
  vi.advanceTimersByTime(50);
  folded.write(line('once', { isOutage: true }));
  for (let turn = 0; turn < 300; turn++) {
    vi.advanceTimersByTime(100);
    for (const key of often) folded.write(line(key, { isOutage: true }));
  }
  expect(messages()).toContain('once');
  const outage = said.slice(1);
  const gaps = outage.slice(1).map(({ atMs }, index) => atMs - outage[index]!.atMs);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
  folded.end();
});

test('what was held back is written at the end, and however many keys there are, they are not all kept', () => {
  const folded = createFoldedLog(log);
  for (let key = 0; key < 1000; key++) folded.write(line(`${key}`));
  expect(said.length).toBeLessThan(250);
  const before = said.length;
  folded.end();
  expect(messages().slice(before)).toEqual([expect.stringMatching(/^999: 79\d in 1 s$/)]);
});

test('a presence tells when something goes and when it is back, once each, and reports say what is away', () => {
  const folded = createFoldedLog(log);
  const presence = createPresence(folded);
  const report = createReport(folded, presence, 'warn');
  presence.note('redis', true);
  expect(said).toEqual([]);
  for (let turn = 0; turn < 5; turn++) presence.note('redis', false);
  expect({ away: presence.away(), there: presence.isThere('redis') }).toEqual({
    away: 'redis',
    there: false,
  });
  expect(said).toMatchObject([{ facts: { away: 'redis' } }]);
  report(new Error('broken'), 'queue');
  vi.advanceTimersByTime(2000);
  expect(said[1]).toMatchObject({ message: 'queue', facts: { away: 'redis' } });
  presence.note('redis', true);
  expect(said[2]).toMatchObject({ facts: { back: 'redis', awaySeconds: 2 } });
  expect(presence.away()).toBeUndefined();
  folded.end();
});
