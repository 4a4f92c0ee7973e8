import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programOf } from '../compiled.ts';

const root = join(import.meta.dirname, '../../..');

/**
 * Runs a TypeScript file of any checkout to its end; returns its standard output, and throws on any error.
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [...programOf(file), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  return stdout;
}
