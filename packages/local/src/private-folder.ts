import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Makes the folder if it is not there, for our user alone (700), and so what lies right in it: logs, ports,
 * passwords, addresses (600), whatever modes they had. What Postgres keeps belongs to the user that it runs
 * under, and is private already.
 */
export async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Data of an older start lies here and belongs to another user, whom only root can run Postgres under: he
  // must pass through.
  const isPassage = process.getuid?.() === 0 && existsSync(join(folder, 'postgres', 'data'));
  await chmod(folder, isPassage ? 0o711 : 0o700);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // One that somebody else removes meanwhile, a lock file of a process that ends.
    const found = await lstat(path).catch(() => null);
    if (found?.isFile() && (found.mode & 0o077) !== 0) await chmod(path, 0o600);
  }
}
