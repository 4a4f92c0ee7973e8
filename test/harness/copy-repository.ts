import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { packageFolders } from './package-folders.ts';

const root = join(import.meta.dirname, '../..');

/** Copies the repository to this folder, which it empties first. The copy uses the installed packages. */
export async function copyRepository(copy: string): Promise<string> {
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy, { recursive: true });
  const apart = new Set(['.git', '.local', 'node_modules']);
  for (const entry of await readdir(root)) {
    if (apart.has(entry)) continue;
    await cp(join(root, entry), join(copy, entry), {
      recursive: true,
      filter: (source) => !apart.has(basename(source)),
    });
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const each of ['test', ...packageFolders]) {
    const links = join(root, each, 'node_modules');
    // Relative links, kept as they are, so that the packages of the copy find each other and not the
    // originals.
    if (existsSync(links)) {
      await cp(links, join(copy, each, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    }
  }
  return copy;
}
