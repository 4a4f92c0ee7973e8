import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { unknownNamesLine } from '@inventory/process/settings/unknown-settings';
import { CommandError } from './command-error.ts';
import { tell } from './print.ts';

const namesInFile = new Set<string>();

/** The environment without what `.env` added to it or named again, whose names were looked at already. */
export function environmentBesideFile(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !namesInFile.has(name)));
}

/**
 * Adds the settings of `.env` in the current folder, if there is one. The environment wins. Warns of names
 * that are no settings.
 */
export function readEnvFile(): void {
  // Not `process.loadEnvFile`, which treats an unreadable file like a missing one.
  const settings = Object.entries(parseEnv(readText()));
  for (const [name, value] of settings) process.env[name] ??= value;
  const unknown = unknownNamesLine(settings.map(([name]) => name));
  if (unknown !== null) tell(`warning: .env: ${unknown}`);
  for (const [name] of settings) namesInFile.add(name);
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
