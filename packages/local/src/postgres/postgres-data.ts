import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { ServerSettings } from '../local-server.ts';
import { LocalStackError } from '../local-stack-error.ts';
import { run } from '../process.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { PostgresHome } from './postgres-home.ts';

export const POSTGRES_ROLE = 'inventory';

// Nothing of PGDATA, PGOPTIONS and the like may reach Postgres, and what it prints is read, so no
// translation.
export const POSTGRES_ENVIRONMENT = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

const PASSWORD_FILE = 'postgres-password';

/**
 * Makes sure that there is data in the home, with the role `inventory`, whose password is returned. Fails
 * with LocalStackError.
 */
export async function providePostgresData(
  place: PostgresHome,
  binaries: PostgresBinaries,
  settings: ServerSettings,
): Promise<string> {
  // Data outside the folder outlives it; without the password nobody can use it any more.
  const isThere =
    existsSync(join(settings.folder, PASSWORD_FILE)) && existsSync(join(place.home, 'data', 'PG_VERSION'));
  const password = await readOrMakePassword(settings.folder);
  if (!isThere) {
    settings.report('creating the Postgres data…');
    await initialise(place, binaries, password, settings);
  }
  return password;
}

/** Kept between starts: the data holds its hash. Readable by us alone. */
async function readOrMakePassword(folder: string): Promise<string> {
  const path = join(folder, PASSWORD_FILE);
  if (!existsSync(path)) writeFileSync(path, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return readFile(path, 'utf8');
}

/**
 * Creates the data beside its place and moves it there when it is whole, so that a killed start leaves no
 * half data.
 */
async function initialise(
  { home, runAs }: PostgresHome,
  binaries: PostgresBinaries,
  password: string,
  { throwAway, signal }: ServerSettings,
): Promise<void> {
  for (const name of await readdir(home)) {
    if (name === 'data' || name.startsWith('data-part-'))
      await rm(join(home, name), { recursive: true, force: true }).catch(() => undefined);
  }
  const part = join(home, `data-part-${process.pid}`);
  const passwordFile = join(home, 'initdb-password');
  try {
    await mkdir(part, { mode: 0o700 });
    await rm(passwordFile, { force: true });
    writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' });
    for (const path of [part, passwordFile])
      if (runAs.uid !== undefined) chownSync(path, runAs.uid, runAs.gid ?? runAs.uid);
    await run(
      binaries.initdb,
      [
        ...[
          '--pgdata',
          part,
          '--username',
          POSTGRES_ROLE,
          '--pwfile',
          passwordFile,
          '--auth',
          'scram-sha-256',
        ],
        ...[
          '--encoding',
          'UTF8',
          '--locale',
          'C',
          '--locale-provider',
          'builtin',
          '--builtin-locale',
          'C.UTF-8',
        ],
        ...(throwAway ? ['--no-sync'] : []),
      ],
      { ...runAs, cwd: sep, env: POSTGRES_ENVIRONMENT, signal },
    );
    await rename(part, join(home, 'data'));
  } catch (error) {
    await rm(part, { recursive: true, force: true, maxRetries: 3 });
    signal.throwIfAborted();
    throw new LocalStackError(`the Postgres data could not be created: ${(error as Error).message}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
}
