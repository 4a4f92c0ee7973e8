import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { LocalStackError } from '../local-stack-error.ts';
import { run } from '../processes/process.ts';
import { chooseRunAs, type RunAs } from '../processes/run-as.ts';
import { POSTGRES_HOME_FILE } from '../stack-file.ts';

/**
 * The folder of Postgres' data, and the user who owns it and runs Postgres. `isKnown`: whether existing data
 * belongs to this stack's folder. Outside it, the data may be from a deleted folder with the same path.
 */
export type PostgresHome = { home: string; runAs: RunAs; isKnown: boolean };

// Not a temporary folder, because systems delete files there that were not used for a month. Only root can
// write here.
const OUTSIDE = '/var/lib/inventory-local';

/** A file in a home outside that names the stack's folder. */
const OWNER = 'folder';

/**
 * Creates the folder for Postgres' data: `postgres` in the stack's folder. If this process is root and the
 * user that runs Postgres cannot enter that folder, one outside is used, named by a hash of the stack's
 * folder, and a file in the stack's folder names it. Existing data decides. Fails with LocalStackError if no
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
      // Only if it is empty: data that cannot be reached today may be needed tomorrow.
      await rmdir(home).catch(() => undefined);
      continue;
    }
    const isKnown = home === inside || (await readPointer(folder)) === outside;
    if (home === outside) {
      await writeFile(join(folder, POSTGRES_HOME_FILE), `${outside}\n`, { mode: 0o600 });
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

/** Deletes Postgres' data, inside and outside. Nothing may run from there any more. */
export async function removePostgresHome(folder: string): Promise<void> {
  for (const home of await listPostgresHomes(folder))
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  await rm(join(folder, POSTGRES_HOME_FILE), { force: true });
}

/**
 * The homes inside and outside the folder, existing or not. The one outside depends on the folder's own path,
 * so a copied checkout gets its own data, and a moved one takes its data along.
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
  return (await readFile(join(folder, POSTGRES_HOME_FILE), 'utf8').catch(() => '')).trim();
}

async function makeFolder(home: string, { uid, gid }: RunAs): Promise<boolean> {
  try {
    await mkdir(home, { recursive: true });
    // The user must be able to pass through the folder of the homes, whatever the umask was.
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
