import { createFoldedLog, type FoldedLine } from '@inventory/process/log/folded-log';
import type { Log } from '@inventory/process/log/log';
import { createPresence } from '@inventory/process/presence';
import { createReport } from '@inventory/process/report';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let said: { message: string; facts: object; atMs: number }[] = [];
const note = (facts: object, message: string) => said.push({ message, facts, atMs: performance.now() });
const log = { info: note, warn: note, error: note } as unknown as Log;
const line = (key: string, more: Partial<FoldedLine> = {}): FoldedLine => ({
  ...{ level: 'error', key, facts: { key }, message: key, outage: null },
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

test('the first line is written at once, and lines like it every ten seconds as one with their number', () => {
  const folded = createFoldedLog(log);
  for (let count = 0; count < 341; count++)
    folded.write(line('a', { facts: { count: 'overwritten', nth: count } }));
  expect(messages()).toEqual(['a']);
  vi.advanceTimersByTime(10_000);
  expect(said[1]).toMatchObject({ message: 'a: 340 in 10 s', facts: { count: 340, seconds: 10, nth: 340 } });
  vi.advanceTimersByTime(60_000);
  expect(said).toHaveLength(2);
  // After a long silence the next line counts as the first.
  folded.write(line('a'));
  expect(messages()[2]).toBe('a');
});

test('a summary written long after the last of its lines says how long: the outage may be over', () => {
  const folded = createFoldedLog(log);
  const write = (count: number) => {
    for (let at = 0; at < count; at++) folded.write(line('redis', { outage: 'trouble' }));
  };
  write(4);
  vi.advanceTimersByTime(8000);
  write(1);
  vi.advanceTimersByTime(1000);
  write(1);
  vi.advanceTimersByTime(20_000);
  write(4);
  vi.advanceTimersByTime(20_000);
  expect(said).toEqual([
    expect.objectContaining({ message: 'redis', facts: { key: 'redis' } }),
    expect.objectContaining({ message: 'redis: 5 in 10 s', facts: { key: 'redis', count: 5, seconds: 10 } }),
    expect.objectContaining({ message: 'redis', facts: { key: 'redis' } }),
    expect.objectContaining({ facts: { key: 'redis', count: 3, seconds: 10, secondsAgo: 10 } }),
  ]);
});

test('a line of an outage that comes once gets its second among lines that repeat', () => {
  const folded = createFoldedLog(log);
  const often = Array.from({ length: 12 }, (_, key) => `often ${key}`);
  // The clock of the log ticks between the seconds of the outage.
  folded.write(line('before'));
  vi.advanceTimersByTime(500);
  folded.write(line('first', { outage: 'trouble' }));
  vi.advanceTimersByTime(50);
  folded.write(line('once', { outage: 'trouble' }));
  for (let turn = 0; turn < 300; turn++) {
    vi.advanceTimersByTime(100);
    for (const key of often) folded.write(line(key, { outage: 'trouble' }));
  }
  expect(messages()).toContain('once');
  const outage = said.slice(1);
  const gaps = outage.slice(1).map(({ atMs }, index) => atMs - outage[index]!.atMs);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
  folded.end();
});

test('lines held back are written at the end, and the number of keys kept is bounded', () => {
  const folded = createFoldedLog(log);
  for (let key = 0; key < 1000; key++) folded.write(line(`${key}`));
  expect(said.length).toBeLessThan(250);
  const before = said.length;
  folded.end();
  expect(messages().slice(before)).toEqual([expect.stringMatching(/^999: 79\d in 1 s$/)]);
});

test('a presence reports once when something goes and once when it is back, and other reports name it while it is away', () => {
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
  vi.advanceTimersByTime(3000);
  expect(said[2]).toMatchObject({ facts: { back: 'redis', awaySeconds: 2 } });
  expect(presence.away()).toBeUndefined();
  folded.end();
});

test.each([
  "Stream isn't writeable and enableOfflineQueue options is false",
  'Command timed out',
  'Connection is closed.',
  'Reached the max retries per request limit (which is 1). Refer to "maxRetriesPerRequest" option for details.',
  'All sentinels are unreachable. Retrying from scratch after 500ms.',
])(
  'errors of a connection from ioredis are written one a second, even before anything is known to be away: %s',
  (text) => {
    const folded = createFoldedLog(log);
    const report = createReport(folded, createPresence(folded), 'warn');
    for (const what of ['queue', 'limits', 'answers']) report(new Error(text), what);
    report(new Error('Missing key for job 1'), 'queue');
    expect(messages()).toEqual(['queue', 'queue']);
    vi.advanceTimersByTime(3000);
    expect(messages()).toEqual(['queue', 'queue', 'limits', 'answers']);
    folded.end();
  },
);

test('why a part is away is logged when it becomes known, and when it changes', () => {
  const folded = createFoldedLog(log);
  const presence = createPresence(folded);
  for (const why of [undefined, 'its memory is full', undefined, 'its memory is full', 'it is a replica']) {
    presence.note('redis', false, why);
    vi.advanceTimersByTime(10_000);
  }
  presence.note('redis', true);
  vi.advanceTimersByTime(10_000);
  const away = 'Redis is away or takes no work';
  expect(messages()).toEqual([
    ...[away, `${away}: its memory is full`, `${away}: it is a replica`],
    'redis is back',
  ]);
  expect(said.at(-1)).toMatchObject({ facts: { back: 'redis', awaySeconds: 50 } });
  folded.end();
});

const needed = ['redis', 'postgres', 'worker'] as const;
const causes = ['redis', 'postgres', 'noWorker'] as const;
const stepMs = 50;
const steps = 1400;
const withinMs = 15_000;

const step = fc.nat(steps - 1);
const outages = fc.record({
  /** The number of different errors of connections, and how often each comes. */
  troubles: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constant(250)),
  everySteps: fc.integer({ min: 1, max: 40 }),
  failures: fc.array(fc.record({ step, cause: fc.constantFrom(...causes), forSteps: fc.nat(400) }), {
    minLength: 1,
    maxLength: 6,
  }),
  changes: fc.array(fc.record({ step, what: fc.constantFrom(...needed), isThere: fc.boolean() }), {
    maxLength: 30,
  }),
});

test('each cause and each change is reported within 15 s, in its latest state, whatever else is reported', () => {
  const property = fc.property(outages, ({ troubles, everySteps, failures, changes }) => {
    said = [];
    const folded = createFoldedLog(log);
    const presence = createPresence(folded);
    const failed: { cause: string; atMs: number }[] = [];
    const changed: { what: string; isThere: boolean; atMs: number; after: number }[] = [];
    for (let nth = 0; nth < steps + withinMs / stepMs; nth++) {
      const atMs = performance.now();
      for (const { cause, step, forSteps } of nth < steps ? failures : []) {
        if (nth < step || nth > step + forSteps) continue;
        failed.push({ cause, atMs });
        folded.write(line(`request ${cause}`, { outage: 'cause', facts: { cause } }));
      }
      for (const { what, isThere } of changes.filter(({ step }) => step === nth)) {
        if (presence.isThere(what) === isThere) continue;
        changed.push({ what, isThere, atMs, after: said.length });
        presence.note(what, isThere);
      }
      if (nth % everySteps === 0)
        for (let key = 0; key < troubles; key++) folded.write(line(`${key}`, { outage: 'trouble' }));
      vi.advanceTimersByTime(stepMs);
    }
    const told = said;
    said = [];
    folded.end();
    const isToldIn = (from: number, isIt: (facts: Record<string, unknown>) => boolean) =>
      told.some(
        ({ facts, atMs }) =>
          atMs >= from && atMs <= from + withinMs && isIt(facts as Record<string, unknown>),
      );
    expect(failed.filter(({ cause, atMs }) => !isToldIn(atMs, (facts) => facts.cause === cause))).toEqual([]);
    const isOf = (what: string) => (facts: Record<string, unknown>) =>
      facts.away === what || facts.back === what;
    expect(changed.filter(({ what, atMs }) => !isToldIn(atMs, isOf(what)))).toEqual([]);
    for (const [index, { facts }] of told.entries()) {
      const what = needed.find((each) => isOf(each)(facts as Record<string, unknown>));
      if (what === undefined) continue;
      const last = changed.findLast((each) => each.what === what && each.after <= index);
      expect({ isThere: 'back' in facts }).toEqual({ isThere: last?.isThere });
    }
    const gaps = told.slice(1).map(({ atMs }, index) => atMs - told[index]!.atMs);
    expect(Math.min(...gaps, 1000)).toBeGreaterThanOrEqual(1000);
  });
  const run = fc.check(property, { numRuns: 100, endOnFailure: true });
  if (!run.failed) return;
  console.error(fc.defaultReportMessage(run));
  // Rethrown as it was.
  throw run.errorInstance;
});
