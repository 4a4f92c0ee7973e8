import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Creates the folder if needed, and restricts it to our user (700), as well as the files directly in it:
 * logs, ports, passwords, addresses (600). Postgres' data belongs to the user that runs it and is private
 * already.
 */
export async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Data of an older start is here and belongs to another user, because only root can run Postgres under
  // another user. That user must be able to pass through.
  const isPassage = process.getuid?.() === 0 && existsSync(join(folder, 'postgres', 'data'));
  await chmod(folder, isPassage ? 0o711 : 0o700);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another process may remove it meanwhile, such as a lock file.
    const found = await lstat(path).catch(() => null);
    if (found?.isFile() && (found.mode & 0o077) !== 0) await chmod(path, 0o600);
  }
}
