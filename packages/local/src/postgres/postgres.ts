import { existsSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import { choosePort } from '../free-port.ts';
import type { LocalServer, ServerSettings } from '../local-server.ts';
import { LocalStackError } from '../local-stack-error.ts';
import type { Ending } from '../processes/keep-up.ts';
import { identifyProcess, worksIn } from '../processes/process-identity.ts';
import { endOrphan, endProcess, ServerEndedError, startServer } from '../processes/server-process.ts';
import { providePostgresBinaries } from './postgres-binaries.ts';
import { POSTGRES_ENVIRONMENT, POSTGRES_ROLE, providePostgresData } from './postgres-data.ts';
import { listPostgresHomes, providePostgresHome } from './postgres-home.ts';
import { postgresArguments, postgresSettings } from './postgres-settings.ts';

const settingsHere = {
  ...postgresSettings,
  listen_addresses: '127.0.0.1',
  // No socket file: its path may have at most 107 bytes, and a checkout may be deeper.
  unix_socket_directories: '',
  logging_collector: 'off',
};

/** SIGINT is the fast shutdown. SIGQUIT is the immediate one, after which the next start replays the log. */
const ENDING: Ending = [
  { signal: 'SIGINT', waitMs: 30_000 },
  { signal: 'SIGQUIT', waitMs: 10_000 },
];

/**
 * Starts Postgres on the data in the folder, which the first start creates, with the database `inventory`.
 * Fails with LocalStackError.
 */
export async function startPostgres(settings: ServerSettings): Promise<LocalServer> {
  const { folder, signal, throwAway } = settings;
  const place = await providePostgresHome(folder, signal);
  const binaries = await providePostgresBinaries(place.home, place.runAs, signal, settings.report);
  const data = join(place.home, 'data');
  const password = await providePostgresData(place, binaries, settings);
  const major = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  if (major !== binaries.major)
    throw new LocalStackError(
      `${data} is of Postgres ${major}, which ${binaries.major} cannot read; move it away`,
    );

  // The data is deleted together with the server, so a shutdown checkpoint is useless.
  const ending: Ending = throwAway ? ENDING.slice(1) : ENDING;
  const start = async (port: number) => {
    const stop = await startServer({
      name: 'Postgres',
      command: binaries.postgres,
      arguments: [...['-D', data, '-p', String(port)], ...postgresArguments(settingsHere)],
      // The working folder identifies the server as this folder's.
      cwd: data,
      env: POSTGRES_ENVIRONMENT,
      ...place.runAs,
      logFile: join(folder, 'postgres.log'),
      pidFile: join(folder, 'postgres.pid'),
      ending,
      isReady: async (pid) => isPostgresReady(data, pid),
      report: settings.report,
      signal,
    });
    const url = `postgres://${POSTGRES_ROLE}:${password}@127.0.0.1:${port}/inventory`;
    try {
      await createDatabase(url);
    } catch (error) {
      await stop();
      throw new LocalStackError(`Postgres is up but refuses the connection: ${(error as Error).message}`);
    }
    return { url, port, version: binaries.major, stop };
  };

  // After a kill -9, the old server's children may keep its shared memory for a moment, and a free port may
  // be taken meanwhile.
  for (let tries = 0; ; tries += 1) {
    const port = await choosePort('Postgres', settings.rememberedPort);
    try {
      return await start(port);
    } catch (error) {
      if (!(error instanceof ServerEndedError)) throw error;
      const temporary =
        /could not bind|shared memory block .* is still in use|lock file .* already exists/.test(error.log);
      if (!temporary || tries === 50)
        throw new LocalStackError(`${error.message} (more in ${join(folder, 'postgres.log')})`);
      await wait(200, undefined, { signal });
    }
  }
}

/**
 * Ends a Postgres that a killed process left running on the folder's data, even if its pid file was not
 * written. Removes a postmaster.pid whose pid belongs to another program now: Postgres would think that it is
 * already running and refuse to start.
 */
export async function endLeftPostgres(folder: string): Promise<void> {
  const datas = (await listPostgresHomes(folder)).map((home) => join(home, 'data'));
  await endOrphan(join(folder, 'postgres.pid'), datas, ENDING);
  for (const data of datas) {
    const path = join(data, 'postmaster.pid');
    const pid = existsSync(path) ? Number.parseInt(readFileSync(path, 'utf8'), 10) : Number.NaN;
    const identity = pid > 0 ? identifyProcess(pid) : null;
    if (identity === null) continue;
    if (worksIn(pid, data)) await endProcess(identity, ENDING);
    else await rm(path, { force: true });
  }
}

/**
 * Postgres writes its state into line 8 of postmaster.pid. Line 1 shows whether the file is this server's.
 */
function isPostgresReady(data: string, pid: number): boolean {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

/** Creates the database of the URL if it does not exist. */
async function createDatabase(url: string): Promise<void> {
  const server = new URL(url);
  server.pathname = '/postgres';
  const sql = postgres(server.href, { max: 1, connect_timeout: 30, onnotice: () => undefined });
  try {
    const found = await sql`select from pg_database where datname = ${POSTGRES_ROLE}`;
    if (found.length === 0) await sql`create database ${sql(POSTGRES_ROLE)}`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
