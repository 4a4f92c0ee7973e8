import { CommandError } from './command-error.ts';

/** Adds the settings of the file `.env` of this folder, where there is one; those of the environment win. */
export function readEnvFile(): void {
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new CommandError(`.env cannot be read (${code})`, 2);
  }
}
