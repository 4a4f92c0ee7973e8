import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../process.ts';

/** A Redis server that is not installed: the program and where its libraries lie. */
export type UnpackedRedis = { command: string; libraryPath: string };

// Debian and Ubuntu pack the server's one binary into the tools package, under the name of the checker; it is
// server, client or checker by the name it is called by.
const PACKAGES = [
  { name: 'redis-tools', binaries: ['redis-server', 'redis-check-rdb'] },
  { name: 'valkey-tools', binaries: ['valkey-server', 'valkey-check-rdb'] },
];

/** The server unpacked below `folder` if there is one and it runs, else null. */
export async function findUnpackedRedis(folder: string, signal: AbortSignal): Promise<UnpackedRedis | null> {
  const root = join(folder, 'debian-redis');
  const command = join(root, 'redis-server');
  if (!existsSync(command)) return null;
  const unpacked = { command, libraryPath: (await listLibraryFolders(root)).join(':') };
  return (await doesRun(unpacked, signal)) ? unpacked : null;
}

/**
 * Downloads the distribution's own package with apt-get and unpacks it below `folder`. Nothing is installed
 * and only the folder is written, so it needs no root: lists, cache and unpacked files all lie below it.
 * Rejects when there is no apt-get, no such package or no network.
 */
export async function downloadDebianRedis(
  folder: string,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<UnpackedRedis> {
  // Also those of killed runs; the folder is ours alone.
  for (const name of await readdir(folder))
    if (name.startsWith('debian-redis-part-')) await rm(join(folder, name), { recursive: true, force: true });
  const work = join(folder, `debian-redis-part-${process.pid}`);
  for (const name of ['lists/partial', 'cache/archives/partial', 'packages', 'root'])
    await mkdir(join(work, name), { recursive: true });
  const apt = (...apt: string[]) =>
    run('apt-get', [...aptOptions(work), ...apt], {
      cwd: join(work, 'packages'),
      env: { ...process.env, LC_ALL: 'C' },
      signal,
    });
  try {
    let failure: unknown;
    // One broken source among the machine's makes this fail, and the package may still be found in the
    // others.
    await apt('update').catch((error: unknown) => {
      signal.throwIfAborted();
      failure = error;
    });
    for (const { name, binaries } of PACKAGES) {
      report(`downloading Redis (Debian package ${name})…`);
      try {
        await apt('download', name);
        const root = await unpackWithLibraries(name, binaries, work, apt, signal);
        const target = join(folder, 'debian-redis');
        await rm(target, { recursive: true, force: true });
        await rename(root, target);
        const unpacked = await findUnpackedRedis(folder, signal);
        if (unpacked !== null) return unpacked;
        failure ??= new Error(`${name} does not run here`);
      } catch (error) {
        signal.throwIfAborted();
        failure ??= error;
      }
    }
    throw failure;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Copies an unpacked server into another folder, at once as a whole. */
export async function copyUnpackedRedis(from: string, to: string): Promise<void> {
  const part = join(to, `debian-redis-part-${process.pid}`);
  await mkdir(to, { recursive: true });
  await cp(join(from, 'debian-redis'), part, { recursive: true, verbatimSymlinks: true });
  await rm(join(to, 'debian-redis'), { recursive: true, force: true });
  await rename(part, join(to, 'debian-redis'));
}

function aptOptions(work: string): string[] {
  return [
    ['Dir::State::lists', join(work, 'lists')],
    ['Dir::Cache', join(work, 'cache')],
    // Otherwise apt, run by root, changes to its own user, which may not be able to enter the folder.
    ['APT::Sandbox::User', 'root'],
    ['Acquire::Languages', 'none'],
    ['Acquire::Retries', '2'],
    ['Acquire::http::Timeout', '20'],
    ['Acquire::https::Timeout', '20'],
  ].flatMap(([key, value]) => ['-o', `${key}=${value}`]);
}

/**
 * Unpacks the package, then the packages it depends on that are not installed, and theirs, until the server
 * runs. Going by the packages' own lists of dependencies keeps this true for releases that name the libraries
 * otherwise.
 */
async function unpackWithLibraries(
  name: string,
  binaries: string[],
  work: string,
  apt: (...command: string[]) => Promise<string>,
  signal: AbortSignal,
): Promise<string> {
  const root = join(work, 'root');
  const known = new Set([name]);
  const unpackedFiles = new Set<string>();
  for (let depth = 0; depth < 5; depth += 1) {
    const wanted: string[] = [];
    for (const file of await readdir(join(work, 'packages'))) {
      if (unpackedFiles.has(file)) continue;
      unpackedFiles.add(file);
      const path = join(work, 'packages', file);
      await run('dpkg', ['-x', path, root], { signal });
      for (const dependency of await listDependencies(path, signal)) {
        if (known.has(dependency)) continue;
        known.add(dependency);
        if (!(await isInstalled(dependency, signal))) wanted.push(dependency);
      }
    }
    const command = join(root, 'redis-server');
    for (const binary of binaries) {
      const path = join(root, 'usr', 'bin', binary);
      if (!existsSync(command) && existsSync(path)) await copyFile(path, command);
    }
    if (await doesRun({ command, libraryPath: (await listLibraryFolders(root)).join(':') }, signal))
      return root;
    // One that cannot be had may not be needed; whether the server runs without it is seen in the next round.
    for (const dependency of wanted) await apt('download', dependency).catch(() => signal.throwIfAborted());
  }
  throw new Error(`the libraries that ${name} needs were not found`);
}

/** The names in the package's Depends line, the first of each choice. */
async function listDependencies(packageFile: string, signal: AbortSignal): Promise<string[]> {
  const line = await run('dpkg-deb', ['-f', packageFile, 'Depends'], { signal });
  return line
    .split(',')
    .map((choice) => choice.trim().split(/[\s|(:]/)[0] ?? '')
    .filter((name) => name !== '');
}

async function isInstalled(name: string, signal: AbortSignal): Promise<boolean> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own notation
  const query = ['-W', '-f', '${db:Status-Status}', name];
  return (await run('dpkg-query', query, { signal }).catch(() => '')) === 'installed';
}

/**
 * The folders in which Debian's packages put shared libraries: /lib and /usr/lib, by themselves and per
 * architecture.
 */
async function listLibraryFolders(root: string): Promise<string[]> {
  const folders: string[] = [];
  for (const parent of [join(root, 'lib'), join(root, 'usr', 'lib')]) {
    const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
    if (entries.length > 0) folders.push(parent);
    for (const entry of entries) if (entry.name.endsWith('-gnu')) folders.push(join(parent, entry.name));
  }
  return folders;
}

async function doesRun({ command, libraryPath }: UnpackedRedis, signal: AbortSignal): Promise<boolean> {
  try {
    await run(command, ['--version'], { env: { ...process.env, LD_LIBRARY_PATH: libraryPath }, signal });
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
