import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { LocalStackError } from '../local-stack-error.ts';
import { run } from '../process.ts';
import { chooseRunAs, type RunAs } from '../run-as.ts';

/**
 * Where Postgres keeps its data, and the user it runs under, who owns that folder. `isKnown`: whether data
 * that is there is this folder's; outside there may be that of a deleted one, which had the same path.
 */
export type PostgresHome = { home: string; runAs: RunAs; isKnown: boolean };

// Not a temporary folder: systems delete what nobody has touched there for a month. Only root can write here.
const OUTSIDE = '/var/lib/inventory-local';

/** In the stack's folder: names the home outside. */
const POINTER = 'postgres-home';

/** In a home outside: names the stack's folder. */
const OWNER = 'folder';

/**
 * Makes the folder for Postgres's data: `postgres` in the stack's folder, or, when we are root and the user
 * that Postgres runs under cannot enter that, one outside, named by a hash of the stack's folder, with a file
 * in the stack's folder telling where. Data that is there already decides. Fails with LocalStackError when no
 * place can be used.
 */
export async function providePostgresHome(folder: string, signal: AbortSignal): Promise<PostgresHome> {
  const homes = await listPostgresHomes(folder);
  const [inside, outside] = homes;
  const runAs = chooseRunAs(homes);
  if (runAs.uid === undefined) {
    await mkdir(inside, { recursive: true, mode: 0o700 });
    return { home: inside, runAs, isKnown: true };
  }
  const existing = homes.find((home) => existsSync(join(home, 'data')));
  for (const home of existing === undefined ? homes : [existing]) {
    if (!(await makeFolder(home, runAs))) continue;
    if (!(await canUse(home, runAs, signal))) {
      // Only if it is empty: data that is out of reach today may be wanted tomorrow.
      await rmdir(home).catch(() => undefined);
      continue;
    }
    const isKnown = home === inside || (await readPointer(folder)) === outside;
    if (home === outside) {
      await writeFile(join(folder, POINTER), `${outside}\n`, { mode: 0o600 });
      await rm(join(outside, OWNER), { force: true });
      await writeFile(join(outside, OWNER), folder, { flag: 'wx' });
    }
    return { home, runAs, isKnown };
  }
  const places = existing ?? homes.join(' and ');
  throw new LocalStackError(
    `the user that Postgres runs under (${runAs.uid}) cannot use the folder for its data: ${places}`,
  );
}

/** Deletes what Postgres keeps, inside and outside. Nothing may run from there any more. */
export async function removePostgresHome(folder: string): Promise<void> {
  for (const home of await listPostgresHomes(folder))
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  await rm(join(folder, POINTER), { force: true });
}

/**
 * The homes inside and outside the folder, whether they exist or not. The one outside goes by the folder's
 * own path, so that a copied checkout gets data of its own; one that was moved takes its data along.
 */
export async function listPostgresHomes(folder: string): Promise<[inside: string, outside: string]> {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const outside = join(OUTSIDE, hash);
  const pointed = await readPointer(folder);
  if (dirname(pointed) === OUTSIDE && pointed !== outside && !existsSync(outside)) {
    const owner = await readFile(join(pointed, OWNER), 'utf8').catch(() => folder);
    if (!existsSync(owner)) await rename(pointed, outside);
  }
  return [join(folder, 'postgres'), outside];
}

/** Empty: there is none. */
async function readPointer(folder: string): Promise<string> {
  return (await readFile(join(folder, POINTER), 'utf8').catch(() => '')).trim();
}

async function makeFolder(home: string, { uid, gid }: RunAs): Promise<boolean> {
  try {
    await mkdir(home, { recursive: true });
    // The user has to pass through the folder that holds the homes, whatever the umask was.
    if (dirname(home) === OUTSIDE) await chmod(OUTSIDE, 0o711);
    await chown(home, uid ?? 0, gid ?? 0);
    await chmod(home, 0o700);
    return true;
  } catch {
    return false;
  }
}

async function canUse(home: string, runAs: RunAs, signal: AbortSignal): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd "$1" && : >probe && rm probe', 'sh', home], {
      ...runAs,
      cwd: sep,
      signal,
    });
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
