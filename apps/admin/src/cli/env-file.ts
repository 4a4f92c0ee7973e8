import { CommandError } from './command-error.ts';

/** Adds the settings of `.env` in the current folder, if there is one. The environment wins. */
export function readEnvFile(): void {
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new CommandError(`.env cannot be read (${code})`, 2);
  }
}
