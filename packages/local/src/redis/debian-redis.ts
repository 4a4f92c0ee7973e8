import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../processes/process.ts';

/** A Redis server that is not installed: the program and the path of its libraries. */
export type UnpackedRedis = { command: string; libraryPath: string };

// Debian and Ubuntu ship the server's only binary in the tools package, named after the checker. It acts as
// server, client or checker depending on the name by which it is called.
const PACKAGES = [
  { name: 'redis-tools', binaries: ['redis-server', 'redis-check-rdb'] },
  { name: 'valkey-tools', binaries: ['valkey-server', 'valkey-check-rdb'] },
];

/** Returns the server that was unpacked below `folder` if it runs, otherwise null. */
export async function findUnpackedRedis(folder: string, signal: AbortSignal): Promise<UnpackedRedis | null> {
  const root = join(folder, 'debian-redis');
  const command = join(root, 'redis-server');
  if (!existsSync(command)) return null;
  const unpacked = { command, libraryPath: (await listLibraryFolders(root)).join(':') };
  return (await doesRun(unpacked, signal)) ? unpacked : null;
}

/**
 * Downloads the distribution's own package with apt-get and unpacks it below `folder`. It installs nothing
 * and writes only to the folder (lists, cache, unpacked files), so it does not need root. Rejects if there is
 * no apt-get, no such package or no network.
 */
export async function downloadDebianRedis(
  folder: string,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<UnpackedRedis> {
  // Including files of killed runs. Only this process uses the folder.
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
    report('downloading the lists of Debian packages, for Redis…');
    // This fails if any of the machine's sources is broken, but another one may still have the package.
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

/** Copies an unpacked server into another folder atomically. */
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
    // Otherwise apt, when run by root, changes to its own user, which may not be able to enter the folder.
    ['APT::Sandbox::User', 'root'],
    ['Acquire::Languages', 'none'],
    ['Acquire::Retries', '2'],
    ['Acquire::http::Timeout', '20'],
    ['Acquire::https::Timeout', '20'],
  ].flatMap(([key, value]) => ['-o', `${key}=${value}`]);
}

/**
 * Unpacks the package, then its missing dependencies, then theirs, until the server runs. Because it reads
 * the packages' own dependency lists, it also works in releases that name the libraries differently.
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
    // A package that cannot be downloaded may not be needed. The next round shows whether the server runs
    // without it.
    for (const dependency of wanted) await apt('download', dependency).catch(() => signal.throwIfAborted());
  }
  throw new Error(`the libraries that ${name} needs were not found`);
}

/** The names in the package's Depends line; of alternatives, the first. */
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
 * The folders for shared libraries in Debian: /lib and /usr/lib, and their subfolders for each architecture.
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
