import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const shortestMs = 60_000;

// The places where a test can name a wait, with the number as the first group. The driver's `end` counts in
// seconds.
const bounds = [
  /(?<!\.end\(\{ |command)timeout: ([\d_]+)/gi,
  /\b(?:withinMs|waitMs): ([\d_]+)/g,
  /\bwithin\(([\d_]+)/g,
  /\bconst timeout = ([\d_]+)/g,
  /\.setTimeout\(([\d_]+)/g,
  /AbortSignal\.timeout\(([\d_]+)/g,
  /\.now\(\) \+ ([\d_]+)[;)]/g,
  // The time limit of a test or a hook.
  /^\s*\}, ([\d_]{4,})\);/gm,
];
// These wait a second unless told otherwise, and no setting changes that; the wait of `expect.poll` is set in
// vitest.config.ts.
const untold = /\bvi\.wait(?:For|Until)\b/g;

// Promises of the service about its speed, asserted as times, and tried again in case other work was in the
// way.
const promises = [
  'concurrency/redis-away.test.ts: withinMs: 1000',
  'concurrency/redis-away.test.ts: withinMs: 3000',
];
// Given to the service or to the page by the tests, and not waited for.
const given = [
  'concurrency/left-behind.test.ts: waitMs: 100',
  'concurrency/statement-pool.test.ts: .now() + 10_000)',
  'concurrency/statement-pool.test.ts: .now() + 400)',
  'concurrency/statement-pool.test.ts: waitMs: 50',
  'concurrency/trials.test.ts: waitMs: 100',
  'console/sign-in-code.test.ts: .now() + 500;',
  'examples/examples.test.ts: .now() + 4000)',
  'security/unknown-tokens.test.ts: waitMs: 30_000',
];

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (file) =>
    /^vitest\.config\.ts$|\.test\.ts$|^(?:harness|local)\/.*\.ts$/.test(file) &&
    !file.includes('node_modules') &&
    file !== 'waits.test.ts',
);

test('no wait of a test is shorter than a minute: a slow machine is not a fault', () => {
  const short = files.flatMap((file) => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8');
    const found = bounds.flatMap((bound) => [...text.matchAll(bound)]);
    const tooShort = found.filter(([, ms]) => Number(ms!.replaceAll('_', '')) < shortestMs);
    return [...tooShort, ...text.matchAll(untold)].map(([what]) => `${file}: ${what.trim()}`);
  });
  expect(short.filter((each) => ![...promises, ...given].includes(each))).toEqual([]);
});
