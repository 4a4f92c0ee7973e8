import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const page = readFileSync(join(import.meta.dirname, '../../SECURITY.md'), 'utf8');

// That the tests exist shows the test of all pages.
test('each line of the table of SECURITY.md names a test', () => {
  const guards = page
    .split('\n')
    .filter((line) => /^\| .* \| .* \| .* \|/.test(line))
    .slice(2);
  expect(guards.length).toBeGreaterThan(10);
  expect(guards.filter((line) => !/\.ts`/.test(line.split('|').at(-2)!))).toEqual([]);
});
