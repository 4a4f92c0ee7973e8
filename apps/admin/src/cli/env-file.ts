import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { CommandError } from './command-error.ts';

/** Adds the settings of `.env` in the current folder, if there is one. The environment wins. */
export function readEnvFile(): void {
  // Not `process.loadEnvFile`, which treats an unreadable file like a missing one.
  for (const [name, value] of Object.entries(parseEnv(readText()))) process.env[name] ??= value;
}

function readText(): string {
  try {
    return readFileSync('.env', 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new CommandError(`.env cannot be read (${code})`, 2);
  }
}
