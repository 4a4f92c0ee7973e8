import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { choosePort } from '@inventory/local/free-port';
import { chooseRunAs } from '@inventory/local/processes/run-as';

/** A PgBouncer in transaction mode in front of one Postgres. */
export type PgBouncer = {
  /** The same address through it. */
  through(url: string): string;
  stop(): Promise<void>;
};

/** The path of PgBouncer, from Debian's package or another; null: this machine has none. */
export const pgbouncerPath =
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
    .map((folder) => join(folder, 'pgbouncer'))
    .find((path) => existsSync(path)) ?? null;

/**
 * Starts one in front of the server of `url`, with a pool of `poolSize` connections for each login and
 * database. `ignores`: start-up parameters that it accepts and ignores; it refuses any other.
 */
export async function startPgBouncer(options: {
  url: string;
  logins: readonly { name: string; password: string }[];
  poolSize: number;
  ignores: string;
}): Promise<PgBouncer> {
  const server = new URL(options.url);
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const port = await choosePort('PgBouncer');
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(users, options.logins.map(({ name, password }) => `"${name}" "${password}"\n`).join(''));
  await writeFile(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${options.poolSize}
max_client_conn = 500
ignore_startup_parameters = ${options.ignores}
`,
  );
  // PgBouncer does not run as root.
  const { uid, gid } = chooseRunAs([folder]);
  if (uid !== undefined) {
    for (const path of [folder, users, settings]) await chown(path, uid, gid ?? uid);
    await chmod(folder, 0o700);
  }
  const child = spawn(pgbouncerPath!, [settings], {
    cwd: '/',
    ...(uid === undefined ? {} : { uid, gid: gid ?? uid }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr!.on('data', (chunk) => {
    said = (said + chunk).slice(-4000);
  });
  const exited = once(child, 'exit');
  const killWithUs = () => void child.kill('SIGTERM');
  process.on('exit', killWithUs);
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${said}`);
    await pause(20);
  }
  return {
    through(url) {
      const changed = new URL(url);
      changed.hostname = '127.0.0.1';
      changed.port = String(port);
      return changed.href;
    },
    async stop() {
      process.off('exit', killWithUs);
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
