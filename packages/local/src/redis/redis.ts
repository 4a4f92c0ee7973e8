import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isDockerThere, startRedisInDocker } from '../docker.ts';
import { choosePort } from '../free-port.ts';
import type { LocalRedis, ServerSettings } from '../local-server.ts';
import { LocalStackError } from '../local-stack-error.ts';
import type { Ending } from '../processes/keep-up.ts';
import { run } from '../processes/process.ts';
import { endOrphan, ServerEndedError, startServer } from '../processes/server-process.ts';
import { createRedisUsers } from '../redis-users.ts';
import { copyUnpackedRedis, downloadDebianRedis, findUnpackedRedis } from './debian-redis.ts';

const ENDING: Ending = [{ signal: 'SIGTERM', waitMs: 10_000 }];

/** The server, and the path of its libraries if they are not the system's. */
export type RedisProgram = { command: string; libraryPath: string | undefined };

/**
 * Starts an empty Redis that stores nothing on disk. The program is the first one found: on the PATH,
 * unpacked earlier, downloaded from the Debian distribution, or in Docker. The download comes before Docker:
 * it takes a second or two, and its process can be supervised, and found again after a kill, unlike a
 * container. Fails with LocalStackError, which names the command to run.
 */
export async function startRedis(
  settings: ServerSettings,
): Promise<LocalRedis & { where: 'local' | 'docker' }> {
  const { program, reason } = await findRedisProgram(settings);
  if (program !== null) return { ...(await startProgram(program, settings)), where: 'local' };
  if (await isDockerThere()) return { ...(await startRedisInDocker(settings)), where: 'docker' };
  throw new LocalStackError(
    `there is no Redis here (${reason}): run "${findInstallCommand()}", or set REDIS_URL`,
  );
}

/**
 * Finds a server: on the PATH, unpacked earlier or downloaded now. If there is none, returns null and the
 * reason.
 */
export async function findRedisProgram({
  folder,
  signal,
  report,
}: Pick<ServerSettings, 'folder' | 'signal' | 'report'>): Promise<{
  program: RedisProgram | null;
  reason: string;
}> {
  const program = await findProgram(folder, signal);
  if (program !== null) return { program, reason: '' };
  if (findOnPath('apt-get') === null) {
    return { program, reason: 'there is no apt-get to download it with' };
  }
  try {
    const downloaded = await downloadDebianRedis(folder, report, signal);
    const cache = findUserCache();
    if (cache !== null) await copyUnpackedRedis(folder, cache).catch(() => undefined);
    return { program: downloaded, reason: '' };
  } catch (error) {
    signal.throwIfAborted();
    return { program: null, reason: (error as Error).message };
  }
}

/** Ends a Redis that a killed process left running. */
export async function endLeftRedis(folder: string): Promise<void> {
  await endOrphan(join(folder, 'redis.pid'), [folder], ENDING);
}

/** The command that installs Redis on this machine. */
function findInstallCommand(): string {
  const commands = [
    'apt-get install redis-server',
    'dnf install valkey',
    'apk add redis',
    'pacman -S valkey',
  ];
  if (process.platform === 'darwin') return 'brew install redis';
  const command = commands.find((line) => findOnPath(line.split(' ')[0] ?? '') !== null) ?? commands[0];
  return process.getuid?.() === 0 ? `${command}` : `sudo ${command}`;
}

async function findProgram(folder: string, signal: AbortSignal): Promise<RedisProgram | null> {
  for (const name of ['redis-server', 'valkey-server']) {
    const command = findOnPath(name);
    if (command !== null) return { command, libraryPath: undefined };
  }
  const unpacked = await findUnpackedRedis(folder, signal);
  if (unpacked !== null) return unpacked;
  const cache = findUserCache();
  return cache === null ? null : findUnpackedRedis(cache, signal);
}

function findOnPath(name: string): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // not in this folder
    }
  }
  return null;
}

/**
 * The user's cache folder, so that a second checkout need not download again; null without a home. The folder
 * must belong to the user, because binaries in it are run and root may have another user's HOME.
 */
function findUserCache(): string | null {
  const { HOME, XDG_CACHE_HOME } = process.env;
  if (HOME === undefined || !isAbsolute(HOME)) return null;
  const parent =
    XDG_CACHE_HOME !== undefined && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME, '.cache');
  const owner = statSync(existsSync(parent) ? parent : HOME, { throwIfNoEntry: false })?.uid;
  return owner === process.getuid?.() ? join(parent, 'inventory-management-service') : null;
}

async function startProgram(program: RedisProgram, settings: ServerSettings): Promise<LocalRedis> {
  const { folder, signal } = settings;
  const users = createRedisUsers(settings.queuePrefix, settings.throwAway);
  const configuration = join(folder, 'redis.conf');
  const aclFile = join(folder, 'redis.acl');
  const environment = {
    PATH: process.env.PATH,
    LC_ALL: 'C',
    TZ: 'UTC',
    LD_LIBRARY_PATH: program.libraryPath,
  };
  const printed = await run(program.command, ['--version'], { env: environment, signal });
  const version = /v=(\d+)/.exec(printed)?.[1] ?? '';

  for (let tries = 0; ; tries += 1) {
    const port = await choosePort('Redis', settings.rememberedPort);
    // In files, not in arguments, which every user of the machine can read.
    for (const [path, text] of [
      [aclFile, users.aclFile],
      [configuration, configure(folder, port, aclFile)],
    ] as const) {
      rmSync(path, { force: true });
      writeFileSync(path, text, { mode: 0o600 });
    }
    try {
      const stop = await startServer({
        name: 'Redis',
        command: program.command,
        arguments: [configuration],
        cwd: folder,
        env: environment,
        logFile: join(folder, 'redis.log'),
        pidFile: join(folder, 'redis.pid'),
        ending: ENDING,
        isReady: () => doesRedisAnswer(port, users.adminPassword),
        report: settings.report,
        signal,
      });
      const host = '127.0.0.1';
      return { url: users.widestUrlOn(host, port), urls: users.urlsOn(host, port), port, version, stop };
    } catch (error) {
      if (!(error instanceof ServerEndedError)) throw error;
      if (!error.log.includes('Address already in use') || tries === 10)
        throw new LocalStackError(`${error.message} (more in ${join(folder, 'redis.log')})`);
      await wait(100, undefined, { signal });
    }
  }
}

function configure(folder: string, port: number, aclFile: string): string {
  // The password keeps other users of the machine from reading and forging the queue.
  return `bind 127.0.0.1
port ${port}
aclfile ${JSON.stringify(aclFile)}
protected-mode yes
daemonize no
dir ${JSON.stringify(folder)}
appendonly no
save ""
maxmemory-policy noeviction
`;
}

/** Whether a Redis with this admin password answers on the port of 127.0.0.1. */
function doesRedisAnswer(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let answer = '';
    const end = (isReady: boolean) => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(1000, () => end(false));
    socket.on('connect', () => socket.write(`AUTH admin ${password}\r\nPING\r\n`));
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (answer.includes('+PONG')) end(true);
      else if (answer.includes('-')) end(false);
    });
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
  });
}
