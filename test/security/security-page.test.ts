import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const page = readFileSync(join(import.meta.dirname, '../../SECURITY.md'), 'utf8');

test('the tests that SECURITY.md names exist', () => {
  const named = [...page.matchAll(/`([\w/-]+(?:\.[\w-]+)*\.ts)`/g)].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(import.meta.dirname, '..', path)))).toEqual([]);
});

test('each line of its table names a test', () => {
  const guards = page
    .split('\n')
    .filter((line) => /^\| .* \| .* \| .* \|/.test(line))
    .slice(2);
  expect(guards.length).toBeGreaterThan(10);
  expect(guards.filter((line) => !/\.ts`/.test(line.split('|').at(-2)!))).toEqual([]);
});
