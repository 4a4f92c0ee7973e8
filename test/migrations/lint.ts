import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outsideMark } from '@inventory/db/run-migration';
import { readOptions } from '../harness/read-options.ts';

// Part of pnpm check: has squawk look at the migrations, and holds what it is told to leave to a rule of
// ours. The schema is made before anybody uses it: there no lock keeps anybody waiting.
const values = readOptions(
  'check:migrations',
  'Looks for what would stop writes, or code of the version before, in the migrations.',
  { file: { value: 'path', about: 'this one alone' } },
);
const root = join(import.meta.dirname, '../..');
const folder = join(root, 'packages/db/migrations');

const files =
  values.file !== undefined
    ? [values.file]
    : readdirSync(folder)
        .filter((name) => name.endsWith('.sql'))
        .map((name) => join(folder, name));

/** What a file says that squawk is to leave: it takes something away, or waits for those who write. */
const leaves = /^\s*--\s*squawk-ignore(?:-file)?\s+(?<rules>.+)$/gm;
const takesAway = /ban-drop|renaming|changing-column-type|adding-required-field|adding-not-nullable-field/;

/** A file that takes something away must say from which version on nobody uses it. */
function complaints(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const left = [...text.matchAll(leaves)].map(({ groups }) => groups?.rules ?? '');
  if (!left.some((rules) => takesAway.test(rules))) return [];
  if (/update schema_compatibility\s+set oldest = \d+/.test(text)) return [];
  return [`${file}: takes something away and does not set schema_compatibility.oldest`];
}

function squawk(among: readonly string[], options: readonly string[]): boolean {
  if (among.length === 0) return true;
  const bin = join(root, 'node_modules/.bin/squawk');
  const args = ['--config', join(root, '.squawk.toml'), '--reporter', 'gcc', ...options, ...among];
  const { error, status } = spawnSync(bin, args, { cwd: root, stdio: 'inherit' });
  // It ships a program of its own for each system.
  if (error !== undefined) console.error(`migrations: squawk does not run here (${error.message})`);
  return error !== undefined || status === 0;
}

const isOutside = (file: string) => readFileSync(file, 'utf8').startsWith(outsideMark);
const said = files.flatMap(complaints);
for (const line of said) console.error(line);
const isGood = [
  squawk(files.filter(isOutside), []),
  squawk(
    files.filter((file) => !isOutside(file)),
    ['--assume-in-transaction'],
  ),
].every(Boolean);
process.exit(isGood && said.length === 0 ? 0 : 1);
