import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folders = [import.meta.dirname, join(import.meta.dirname, '../harness/pages')];
// Ways to set a value without a key, which hide that a field cannot be typed into.
const short = /\.fill\(|\.selectOption\(|\.setInputFiles\(|\.value\s*=[^=]|\bvalue=["'`]/;

test('tests of the page press keys: none sets the value of a field', () => {
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const setting = files
    .filter((file) => file.endsWith('.ts') && file !== import.meta.filename)
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => short.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(setting).toEqual([]);
});
