import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outsideMark } from '@inventory/db/migrate/run-migration';
import { readSteps } from '@inventory/db/migrate/schema-steps';
import { readOptions } from '../harness/read-options.ts';

// Part of pnpm check: runs squawk on the migrations, and applies our own rule to the warnings it is told to
// ignore. The schema is created before anybody uses it, so no lock there makes anybody wait.
const values = readOptions(
  'check:migrations',
  'Checks the migrations for changes that would block writes or break the previous version.',
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

/** The rules a file tells squawk to ignore, because it removes something or makes writers wait. */
const leaves = /^\s*--\s*squawk-ignore(?:-file)?\s+(?<rules>.+)$/gm;
const takesAway = /ban-drop|renaming|changing-column-type|adding-required-field|adding-not-nullable-field/;

/** A file that removes something must name the version from which nobody uses it. */
function complaints(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const left = [...text.matchAll(leaves)].map(({ groups }) => groups?.rules ?? '');
  if (!left.some((rules) => takesAway.test(rules))) return [];
  if (/update schema_compatibility\s+set oldest = \d+/.test(text)) return [];
  return [`${file}: takes something away and does not set schema_compatibility.oldest`];
}

/** The step whose name is wrong, if there is one. */
function misnamed(): string[] {
  try {
    readSteps();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function squawk(among: readonly string[], options: readonly string[]): boolean {
  if (among.length === 0) return true;
  const bin = join(root, 'node_modules/.bin/squawk');
  const args = ['--config', join(root, '.squawk.toml'), '--reporter', 'gcc', ...options, ...among];
  const { error, status } = spawnSync(bin, args, { cwd: root, stdio: 'inherit' });
  // squawk ships a program for each system.
  if (error !== undefined) console.error(`migrations: squawk does not run here (${error.message})`);
  return error !== undefined || status === 0;
}

const isOutside = (file: string) => readFileSync(file, 'utf8').startsWith(outsideMark);
const said = [...misnamed(), ...files.flatMap(complaints)];
for (const line of said) console.error(line);
const isGood = [
  squawk(files.filter(isOutside), []),
  squawk(
    files.filter((file) => !isOutside(file)),
    ['--assume-in-transaction'],
  ),
].every(Boolean);
process.exit(isGood && said.length === 0 ? 0 : 1);
