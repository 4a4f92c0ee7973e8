import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const schemaFolder = join(import.meta.dirname, '../../schema');
const migrationsFolder = join(import.meta.dirname, '../../migrations');

/** A text that creates or changes the tables and runs once. Its checksum reveals later edits. */
export type SchemaStep = { version: number; name: string; script: string; checksum: string };

/**
 * All steps, in order. Step 1 is the files of `schema` as one text, in order of name. Each file of
 * `migrations` is a later step with the number at the beginning of its name.
 */
export function readSteps(migrations: string = migrationsFolder): SchemaStep[] {
  const schema = listFiles(schemaFolder).map(readText).join('\n');
  const later = listFiles(migrations).map((path) =>
    toStep(Number.parseInt(basename(path), 10), basename(path), readText(path)),
  );
  return [toStep(1, 'schema', schema), ...later];
}

/** The version of the tables that this code knows: the number of the last step. */
export function knownVersion(): number {
  return readSteps().at(-1)!.version;
}

function toStep(version: number, name: string, script: string): SchemaStep {
  return { version, name, script, checksum: createHash('sha256').update(script).digest('hex') };
}

function listFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => join(folder, name));
}

/** Git may check out files with other line endings. */
function readText(path: string): string {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
}
