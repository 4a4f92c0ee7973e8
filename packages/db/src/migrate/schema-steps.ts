import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PlainError } from '@inventory/process/plain-error';
import { checksumOf } from './checksum.ts';

const schemaFolder = join(import.meta.dirname, '../../schema');
const migrationsFolder = join(import.meta.dirname, '../../migrations');

/** A text that creates or changes the tables and runs once. Its checksum reveals later edits. */
export type SchemaStep = { version: number; name: string; script: string; checksum: string };

/**
 * All steps, in order. Step 1 is the files of `schema` as one text, in order of name. Each file of
 * `migrations` is a later step with the number at the beginning of its name. Throws PlainError if a name has
 * no number, or a number that another step has: which step runs, and when, would be left to chance. Gaps are
 * allowed, because changes that are made side by side choose their numbers beforehand.
 */
export function readSteps(migrations: string = migrationsFolder): SchemaStep[] {
  const schema = listFiles(schemaFolder).map(readText).join('\n');
  const steps = [toStep(1, 'schema', schema)];
  for (const path of listFiles(migrations)) {
    const step = toStep(numberOf(basename(path)), basename(path), readText(path));
    const other = steps.find(({ version }) => version === step.version);
    if (other !== undefined) throw new PlainError(`${step.name} has the number of ${other.name}: ${rule}`);
    steps.push(step);
  }
  return steps;
}

const rule =
  'a migration is named NNNN_subject.sql, with a number of four digits from 0002 on that no other has';

function numberOf(name: string): number {
  const found = /^(\d{4})_[a-z0-9]+(?:[_-][a-z0-9]+)*\.sql$/.exec(name);
  if (found === null) throw new PlainError(`${name} has no such name: ${rule}`);
  return Number(found[1]);
}

/** The version of the tables that this code knows: the number of the last step. */
export function knownVersion(): number {
  return readSteps().at(-1)!.version;
}

function toStep(version: number, name: string, script: string): SchemaStep {
  return { version, name, script, checksum: checksumOf(script) };
}

function listFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.toLowerCase().endsWith('.sql'))
    .sort()
    .map((name) => join(folder, name));
}

/** Git may check out files with other line endings. */
function readText(path: string): string {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
}
