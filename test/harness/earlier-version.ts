import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const migrations = 'packages/db/migrations';
const run = promisify(execFile);
/** In the whole repository, also when these sources are a copy somewhere within it. */
async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: await repository() })).stdout.trim();
}

async function repository(): Promise<string> {
  return (await run('git', ['rev-parse', '--show-toplevel'], { cwd: root })).stdout.trim();
}

const numberOf = (path: string) => Number.parseInt(path.split('/').at(-1) ?? '', 10);

/** The last commit whose newest migration is `version`; or why it cannot be had. */
export async function findEarlierCommit(version: number): Promise<{ commit: string } | { missing: string }> {
  let log: string;
  try {
    log = await git(
      'log',
      '--first-parent',
      '--diff-filter=A',
      '--format=commit %H',
      '--name-only',
      '--',
      migrations,
    );
  } catch {
    return { missing: 'the history of this checkout cannot be read: no git, or no repository' };
  }
  // The newest first: the last one that is found is the first that went beyond.
  let commit = 'HEAD';
  for (const block of log.split(/^commit /m)) {
    const [hash = '', ...paths] = block.split('\n').filter((line) => line !== '');
    if (paths.some((path) => numberOf(path) > version)) commit = `${hash}^`;
  }
  try {
    const files = await git('ls-tree', '-r', '--name-only', commit, migrations);
    const newest = Math.max(...files.split('\n').map(numberOf).filter(Number.isFinite));
    if (newest === version) return { commit: await git('rev-parse', commit) };
    return { missing: `the commit before migration ${version + 1} has ${newest} as its newest` };
  } catch {
    return { missing: `the history of this checkout is too short for the version of migration ${version}` };
  }
}

/**
 * The code of a commit in a folder of its own, with the libraries that are installed here. Returns the folder
 * and how to remove it.
 */
export async function checkOutEarlier(commit: string): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'earlier-version-'));
  const archive = spawn('git', ['archive', commit, 'package.json', 'tsconfig.json', 'apps', 'packages'], {
    cwd: await repository(),
  });
  const unpacking = spawn('tar', ['-x', '-C', folder]);
  archive.stdout.pipe(unpacking.stdin);
  const [[code]] = await Promise.all([once(unpacking, 'close'), once(archive, 'close')]);
  if (code !== 0) throw new Error(`the commit ${commit} cannot be unpacked`);
  await linkLibraries(folder);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** As pnpm does: each package sees what it names, its own neighbours of this version among them. */
async function linkLibraries(folder: string): Promise<void> {
  const parents = await Promise.all(
    ['apps', 'packages'].map(async (parent) =>
      (await readdir(join(folder, parent))).map((name) => `${parent}/${name}`),
    ),
  );
  const manifests = await Promise.all(
    parents.flat().map(async (path) => {
      const manifest = JSON.parse(await readFile(join(folder, path, 'package.json'), 'utf8'));
      return { path, name: manifest.name as string, needs: Object.keys(manifest.dependencies ?? {}) };
    }),
  );
  const pathOf = new Map(manifests.map(({ name, path }) => [name, path]));
  for (const { path, needs } of manifests) {
    for (const need of needs) {
      const own = pathOf.get(need);
      const target = own === undefined ? await findLibrary(path, need) : join(folder, own);
      const link = join(folder, path, 'node_modules', need);
      await mkdir(dirname(link), { recursive: true });
      await symlink(target, link);
    }
  }
}

/** Where a library is that a package of the repository, or another one of them, has installed. */
async function findLibrary(path: string, name: string): Promise<string> {
  const homes = [path, ...(await homesOf('apps')), ...(await homesOf('packages')), 'test'];
  const found = homes.map((home) => join(root, home, 'node_modules', name)).find((each) => existsSync(each));
  if (found === undefined) throw new Error(`${name}, which the earlier version needs, is not installed here`);
  return realpath(found);
}

async function homesOf(parent: string): Promise<string[]> {
  return (await readdir(join(root, parent))).map((name) => `${parent}/${name}`);
}
