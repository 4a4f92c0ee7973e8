import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { ServerSettings } from '../local-server.ts';
import { LocalStackError } from '../local-stack-error.ts';
import { run } from '../processes/process.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { PostgresHome } from './postgres-home.ts';

export const POSTGRES_ROLE = 'inventory';

// Keeps PGDATA, PGOPTIONS and similar variables from Postgres, and its messages untranslated, because they
// are parsed.
export const POSTGRES_ENVIRONMENT = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

const PASSWORD_FILE = 'postgres-password';

/**
 * Makes sure that the home has data with the role `inventory`, and returns the role's password. Fails with
 * LocalStackError.
 */
export async function providePostgresData(
  place: PostgresHome,
  binaries: PostgresBinaries,
  settings: ServerSettings,
): Promise<string> {
  const path = join(settings.folder, PASSWORD_FILE);
  const kept = await readFile(path, 'utf8').catch(() => '');
  const isThere = existsSync(join(place.home, 'data', 'PG_VERSION'));
  if (kept !== '' && isThere) return kept;
  const password = kept || randomBytes(24).toString('base64url');
  if (isThere && place.isKnown) {
    settings.report('setting a new password for the Postgres data: the stored one is gone…');
    await changePassword(place, binaries, password, settings.signal);
  } else {
    settings.report('creating the Postgres data…');
    await initialise(place, binaries, password, settings);
  }
  keepPassword(path, password);
  return password;
}

/**
 * Writes the file atomically, readable only for our user. The data contains the password's hash and is
 * useless without the password.
 */
function keepPassword(path: string, password: string): void {
  const part = `${path}-part`;
  writeFileSync(part, password, { mode: 0o600, flush: true });
  renameSync(part, path);
}

/** Changes the password without a server, which would ask for the old one. Fails with LocalStackError. */
async function changePassword(
  { home, runAs }: PostgresHome,
  binaries: PostgresBinaries,
  password: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await run(binaries.postgres, ['--single', '-D', join(home, 'data'), 'postgres'], {
      ...{ ...runAs, cwd: sep, env: POSTGRES_ENVIRONMENT, signal },
      input: `alter role ${POSTGRES_ROLE} password '${password}'\n`,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new LocalStackError(
      `the Postgres data in ${home} could not get a new password: ${(error as Error).message}`,
    );
  }
}

/**
 * Creates the data beside its final place and moves it there once it is complete, so that a killed start
 * leaves no partial data.
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
