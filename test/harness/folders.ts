import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A folder for the files of a test, removed with it. */
export function createFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder for the tests of a file, removed after them. */
export function useFolder(): string {
  const folder = makeFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let fileCount = 0;

/** A new file in a folder, with these lines. */
export function fileIn(folder: string, lines: readonly string[]): string {
  fileCount += 1;
  const path = join(folder, `file-${fileCount}.csv`);
  writeFileSync(path, lines.join('\n'));
  return path;
}

function makeFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'inventory-test-')));
}
