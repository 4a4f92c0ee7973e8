import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { appendFile, chown, mkdtemp, open, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { choosePort } from '@inventory/local/free-port';
import { type PostgresBinaries, providePostgresBinaries } from '@inventory/local/postgres/postgres-binaries';
import {
  POSTGRES_ENVIRONMENT,
  POSTGRES_ROLE,
  providePostgresData,
} from '@inventory/local/postgres/postgres-data';
import {
  type PostgresHome,
  providePostgresHome,
  removePostgresHome,
} from '@inventory/local/postgres/postgres-home';
import { postgresArguments, postgresSettings } from '@inventory/local/postgres/postgres-settings';
import { connect, type Sql } from '@inventory/postgres/pool';
import { ownSettings } from '../service/own-settings.ts';

/** A test's own Postgres, which only the test starts again. */
export type OwnPostgres = {
  port: number;
  readonly pid: number;
  /** As the owner; several statements at once. */
  sql: Sql;
  /** Ends it as if its machine were lost. */
  kill(): Promise<void>;
  /** Starts it as it was when it was killed, on the same port. */
  startAgain(): Promise<void>;
  /** Makes a standby the primary. */
  promote(): Promise<void>;
};

/** Postgres servers that are copies of one another. */
export type PostgresPair = {
  primary: OwnPostgres;
  standby: OwnPostgres;
  password: string;
  /** The address of both, as the service gets it. */
  url: string;
  urlOf(...servers: OwnPostgres[]): string;
  /**
   * After the standby's promotion: it becomes the primary, and a copy of it replaces the old primary as
   * standby.
   */
  changeRoles(): Promise<void>;
  /**
   * Makes them a running primary and its standby again, whatever a test did to them; a promoted standby stays
   * the primary.
   */
  mend(): Promise<void>;
  /** Sets whether commits of the primary wait for the standby. */
  awaitStandby(awaits: boolean): Promise<void>;
  stop(): Promise<void>;
};

type StartedPostgres = OwnPostgres & { data: string; isRunning(): boolean; end(): Promise<void> };

const execute = promisify(execFile);
const standbyName = 'standby';

/**
 * Starts a primary with the database `inventory` and a standby that streams from it. `prepare` fills the
 * primary first. `synchronous`: a commit is answered when the standby has it, too.
 */
export async function startPostgresPair(options: {
  prepare: (sql: Sql) => Promise<void>;
  synchronous: boolean;
}): Promise<PostgresPair> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'own-postgres-')));
  const settings = ownSettings(folder);
  const { signal } = settings;
  const place = await providePostgresHome(folder, signal);
  const binaries = await providePostgresBinaries(place.home, place.runAs, signal);
  const password = await providePostgresData(place, binaries, settings);
  const servers: StartedPostgres[] = [];
  const urlOf = (...those: OwnPostgres[]) =>
    `postgres://${POSTGRES_ROLE}:${password}@${those.map(({ port }) => `127.0.0.1:${port}`).join(',')}/inventory`;
  async function start(data: string) {
    const server = await startOne({ place, binaries, data, log: join(folder, 'servers.log'), password });
    servers.push(server);
    return server;
  }
  async function stop() {
    await Promise.all(servers.map((server) => server.end()));
    await removePostgresHome(folder);
    await rm(folder, { recursive: true, force: true });
  }
  async function awaitStandby(awaits: boolean) {
    const { sql } = pair.primary;
    await sql.unsafe(`alter system set synchronous_standby_names = '${awaits ? standbyName : ''}'`);
    await sql`select pg_reload_conf()`;
    if (awaits) await untilCommitsWait();
  }
  /** Commits wait only once the checkpointer has read the setting, too. */
  async function untilCommitsWait() {
    const { sql } = pair.primary;
    const probe = connect(urlOf(pair.primary), { name: 'probe', connectionsMax: 1 });
    const [own] = await probe<{ pid: number }[]>`select pg_backend_pid() as pid`;
    for (let waits = false; !waits; ) {
      let isDone = false;
      const commit = probe`select pg_logical_emit_message(true, 'tests', '')`.catch(() => {});
      void commit.then(() => {
        isDone = true;
      });
      while (!isDone && !waits) {
        const [row] = await sql<{ waits: boolean; streams: boolean }[]>`
          select exists (select from pg_stat_activity where pid = ${own!.pid} and wait_event = 'SyncRep') as waits,
            exists (select from pg_stat_replication where state = 'streaming') as streams`;
        waits = row!.waits || row!.streams;
      }
    }
    await sql`select pg_terminate_backend(${own!.pid})`;
    await probe.end({ timeout: 0 });
  }
  async function whenReplicated() {
    if (options.synchronous) await awaitStandby(true);
    await untilReplicated(pair.primary, options.synchronous ? 'sync' : 'async');
  }
  const pair = { password, urlOf, stop, awaitStandby } as PostgresPair;
  try {
    const primary = await start(join(place.home, 'data'));
    pair.primary = primary;
    await options.prepare(primary.sql);
    const data = join(place.home, 'standby');
    await copyData(primary, place, data, password);
    pair.standby = await start(data);
    pair.url = urlOf(primary, pair.standby);
    await whenReplicated();
    async function changeRoles() {
      const [first, second] = servers as [StartedPostgres, StartedPostgres];
      const [before, after] = pair.primary === first ? [first, second] : [second, first];
      await rm(before.data, { recursive: true });
      await copyData(after, place, before.data, password);
      await before.startAgain();
      Object.assign(pair, { primary: after, standby: before });
      await whenReplicated();
    }
    async function mend() {
      const { primary, standby } = pair as unknown as Record<'primary' | 'standby', StartedPostgres>;
      if (!standby.isRunning()) await standby.startAgain();
      const [row] = await standby.sql`select pg_is_in_recovery() as standby`;
      if (row!.standby === false) {
        if (primary.isRunning()) await primary.kill();
        return changeRoles();
      }
      if (!primary.isRunning()) await primary.startAgain();
      await whenReplicated();
    }
    return Object.assign(pair, { changeRoles, mend });
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A base backup as by `pg_basebackup`, which is not among the binaries. */
async function copyData(primary: StartedPostgres, place: PostgresHome, to: string, password: string) {
  const { uid, gid } = place.runAs;
  const write = async (name: string, text: string) => {
    await writeFile(join(to, name), text);
    if (uid !== undefined) await chown(join(to, name), uid, gid ?? uid);
  };
  const session = await primary.sql.reserve();
  try {
    await session`select pg_backup_start('standby', true)`;
    // Files may vanish while it copies: the log has what belongs to the backup.
    await execute('cp', ['-a', primary.data, to]).catch((error: { stderr?: string }) => {
      const lines = (error.stderr ?? '').trim().split('\n');
      if (!lines.every((line) => line.includes('No such file'))) throw error;
    });
    const [stopped] = await session<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`;
    await write('backup_label', stopped!.labelfile);
  } finally {
    session.release();
  }
  await rm(join(to, 'postmaster.pid'), { force: true });
  await write('standby.signal', '');
  const conninfo = `host=127.0.0.1 port=${primary.port} user=${POSTGRES_ROLE} password=${password} application_name=${standbyName}`;
  await appendFile(join(to, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
}

async function untilReplicated(primary: OwnPostgres, state: 'sync' | 'async') {
  for (;;) {
    const rows = await primary.sql`
      select from pg_stat_replication where state = 'streaming' and sync_state = ${state}`;
    if (rows.length === 1) return;
    await pause(20);
  }
}

async function startOne(options: {
  place: PostgresHome;
  binaries: PostgresBinaries;
  data: string;
  log: string;
  password: string;
}): Promise<StartedPostgres> {
  const { password } = options;
  const port = await choosePort('Postgres');
  const settings = {
    ...postgresSettings,
    shared_buffers: '32MB',
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    logging_collector: 'off',
    wal_keep_size: '256MB',
  };
  const launch = () => launchPostgres({ ...options, port, settings });
  let running = await launch();
  const killWithUs = () => void running.child.kill('SIGQUIT');
  process.on('exit', killWithUs);
  const url = (name: string) => `postgres://${POSTGRES_ROLE}:${password}@127.0.0.1:${port}/${name}`;
  const server = connect(url('postgres'), { name: 'tests', connectionsMax: 1 });
  const [standing] = await server`select pg_is_in_recovery() as standby`;
  if (standing!.standby === false) await server.unsafe('create database inventory');
  await server.end();
  const sql = connect(url('inventory'), { name: 'tests', connectionsMax: 4 });
  return {
    port,
    data: options.data,
    get pid() {
      return running.child.pid!;
    },
    sql,
    isRunning: () => running.child.exitCode === null && running.child.signalCode === null,
    async kill() {
      running.child.kill('SIGKILL');
      await running.exited;
    },
    async startAgain() {
      for (;;) {
        try {
          running = await launch();
          return;
        } catch (error) {
          // The last processes of the killed server have not all noticed yet.
          if (!(error as Error).message.includes('still in use')) throw error;
          await pause(50);
        }
      }
    },
    async promote() {
      // A wait there would be a query, which replay may cancel.
      await sql`select pg_promote(false)`;
      const isStandby = async () => (await sql`select pg_is_in_recovery() as standby`)[0]!.standby;
      while (await isStandby()) await pause(20);
    },
    async end() {
      process.off('exit', killWithUs);
      await sql.end({ timeout: 0 });
      running.child.kill('SIGQUIT');
      await running.exited;
    },
  };
}

async function launchPostgres(options: {
  place: PostgresHome;
  binaries: PostgresBinaries;
  data: string;
  log: string;
  port: number;
  settings: Record<string, string>;
}): Promise<{ child: ChildProcess; exited: Promise<void> }> {
  const { data, port, settings } = options;
  const log = await open(options.log, 'a');
  const { uid, gid } = options.place.runAs;
  const args = ['-D', data, '-p', String(port), ...postgresArguments(settings)];
  const child = spawn(options.binaries.postgres, args, {
    cwd: data,
    env: POSTGRES_ENVIRONMENT,
    ...(uid === undefined ? {} : { uid, gid: gid ?? uid }),
    stdio: ['ignore', log.fd, log.fd],
  });
  // Before anything else is awaited: it may end at once.
  const exited = once(child, 'exit').then(() => {});
  await log.close();
  await Promise.race([
    untilReady(child, data),
    exited.then(() => {
      throw new Error(`Postgres did not start: ${readFileSync(options.log, 'utf8').slice(-2000)}`);
    }),
  ]);
  return { child, exited };
}

/** Ready for statements, also as a standby. */
async function untilReady(child: ChildProcess, data: string) {
  for (;;) {
    const lines = readLines(join(data, 'postmaster.pid'));
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return;
    if (child.exitCode !== null) return;
    await pause(20);
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}
