import { existsSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { RedisUser } from '@inventory/queue/redis-rights';
import { images, isDockerThere, startPostgresInDocker, startRedisInDocker } from './docker.ts';
import { lockFolder } from './folder-lock.ts';
import type { LocalServer, ServerSettings } from './local-server.ts';
import { LocalStackError } from './local-stack-error.ts';
import { endLeftPostgres, startPostgres } from './postgres/postgres.ts';
import { removePostgresHome } from './postgres/postgres-home.ts';
import { makePrivate } from './private-folder.ts';
import { endLeftRedis, startRedis } from './redis/redis.ts';
import { type Ports, readPorts, STACK_FILE, writePorts, writeStackFile } from './stack-file.ts';

export { LocalStackError } from './local-stack-error.ts';

/** A Postgres and a Redis to work with. */
export type Stack = {
  /** For the owner of the tables; a superuser if this process started Postgres. */
  databaseUrl: string;
  /**
   * For a user with all rights if the stack is thrown away afterwards. Otherwise for the user `admin`, which
   * can read the state of Redis.
   */
  redisUrl: string;
  /** The Redis address for each part of the service. If an address was given, all parts have that one. */
  redisUrls: Record<RedisUser, string>;
  /** How each part was started; 'given' if it was not. */
  postgres: 'given' | 'local' | 'docker';
  redis: 'given' | 'local' | 'docker';
  /**
   * Makes the command line use this address, except for migrations and similar commands. Does nothing if no
   * Postgres was started.
   */
  tellOperatorUrl(databaseUrl: string): void;
  /** Stops everything that was started and waits until it is gone. May be called again. */
  stop(): Promise<void>;
};

export type StackOptions = {
  /** All data, logs and downloads are below it. */
  folder: string;
  /** Used as it is, and not even connected to. No server is started. */
  databaseUrl?: string | undefined;
  redisUrl?: string | undefined;
  /**
   * For tests: prefer Docker if an engine answers. Postgres only together with throwAway, because its
   * container keeps nothing.
   */
  docker?: boolean | undefined;
  /** For tests: stop deletes the data, and the next start deletes what a killed run left. */
  throwAway?: boolean | undefined;
  /** QUEUE_PREFIX: the keys that the parts of the service may use in Redis. */
  queuePrefix?: string | undefined;
  /** Gets lines for a terminal: the current step, and the address of each server once it is up. */
  report: (line: string) => void;
  /** Aborting stops everything that was started and makes startStack reject. */
  signal?: AbortSignal | undefined;
};

type Started = { url: string; where: 'given' | 'local' | 'docker'; stop(): Promise<void> };

/**
 * Starts Postgres and Redis, unless they were given. A server that ends while the stack runs is restarted on
 * its port. Servers that a killed process left in the folder are stopped first. Fails with LocalStackError,
 * and then leaves nothing running.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const ownAbort = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, ownAbort.signal]) : ownAbort.signal;
  let folder = resolve(options.folder);
  const startsSomething = options.databaseUrl === undefined || options.redisUrl === undefined;
  const throwAway = options.throwAway ?? false;
  /** Unlocks the folder; undefined until it is locked. Before that, nothing in it may be touched. */
  let unlock: (() => void) | undefined;
  const started: Started[] = [];
  let ports: Ports = {};
  let stopping: Promise<void> | undefined;

  const cleanUp = async () => {
    await Promise.all(started.map((server) => server.stop()));
    if (unlock === undefined) return;
    await rm(join(folder, STACK_FILE), { force: true });
    if (throwAway) await removeData(folder);
    unlock();
  };
  /** Waits for both even if one fails, because only servers that are up can be stopped. */
  const bringUp = async (): Promise<[Started, Started]> => {
    const starts = [startOrTakePostgres(), startOrTakeRedis()].map(async (start) => {
      try {
        const server = await start;
        started.push(server);
        return server;
      } catch (error) {
        ownAbort.abort(error);
        throw error;
      }
    });
    await Promise.allSettled(starts);
    return (await Promise.all(starts)) as [Started, Started];
  };
  const settings = (part: 'postgres' | 'redis'): ServerSettings => ({
    folder,
    rememberedPort: ports[part],
    throwAway,
    queuePrefix: options.queuePrefix ?? 'inventory',
    report: options.report,
    signal,
  });
  const startOrTakePostgres = async (): Promise<Started> => {
    if (options.databaseUrl !== undefined) {
      return { url: options.databaseUrl, where: 'given', stop: async () => {} };
    }
    const since = Date.now();
    const inDocker = throwAway ? await tryDocker('postgres', startPostgresInDocker) : null;
    const server = inDocker ?? (await startPostgres(settings('postgres')));
    reportUp('Postgres', server, since);
    if (inDocker === null) ports.postgres = server.port;
    return { ...server, where: inDocker === null ? 'local' : 'docker' };
  };
  let redisUrls: Record<RedisUser, string>;
  const startOrTakeRedis = async (): Promise<Started> => {
    if (options.redisUrl !== undefined) {
      redisUrls = { api: options.redisUrl, worker: options.redisUrl, admin: options.redisUrl };
      return { url: options.redisUrl, where: 'given', stop: async () => {} };
    }
    const since = Date.now();
    const inDocker = await tryDocker('redis', startRedisInDocker);
    const server =
      inDocker === null ? await startRedis(settings('redis')) : { ...inDocker, where: 'docker' as const };
    reportUp('Redis', server, since);
    if (server.where === 'local') ports.redis = server.port;
    redisUrls = server.urls;
    return server;
  };
  /** In a container, if requested; null if no engine answers or it cannot run the image. */
  const tryDocker = async <Server>(
    part: 'postgres' | 'redis',
    start: (settings: ServerSettings) => Promise<Server>,
  ): Promise<Server | null> => {
    if (options.docker !== true || !(await isDockerThere())) return null;
    try {
      return await start(settings(part));
    } catch (error) {
      signal.throwIfAborted();
      const [reason] = String((error as Error).message).split('\n');
      options.report(`Docker answers, but cannot run ${images[part]} (${reason}): local binaries instead`);
      return null;
    }
  };
  const reportUp = (name: string, { version, port }: LocalServer, since: number) => {
    const seconds = ((Date.now() - since) / 1000).toFixed(1);
    options.report(`${name} ${version} is up on 127.0.0.1:${port} (${seconds} s)`);
  };

  try {
    if (startsSomething) {
      signal.throwIfAborted();
      await makePrivate(folder);
      // Working folders and the home outside use the path without links.
      folder = await realpath(folder);
      unlock = await lockFolder(folder);
      await Promise.all([endLeftPostgres(folder), endLeftRedis(folder)]);
      ports = readPorts(folder);
      if (throwAway) await removeData(folder);
    }
    const [postgres, redis] = await bringUp();
    signal.throwIfAborted();
    const running = { databaseUrl: postgres.url, postgres: postgres.where, redisUrl: redis.url };
    if (startsSomething) {
      writePorts(folder, ports);
      writeStackFile(folder, { ...running, operatorUrl: null });
    }
    return {
      ...running,
      redisUrls: redisUrls!,
      redis: redis.where,
      tellOperatorUrl(operatorUrl) {
        if (startsSomething) writeStackFile(folder, { ...running, operatorUrl });
      },
      stop: () => {
        stopping ??= cleanUp();
        return stopping;
      },
    };
  } catch (error) {
    await cleanUp();
    throw explain(error, options.signal, ownAbort.signal);
  }
}

/**
 * Removes the data of Postgres and Redis for the stack of this folder. Logs and downloads stay. Fails with
 * LocalStackError while a process runs the stack.
 */
export async function removeStackData(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const place = await realpath(folder);
  const unlock = await lockFolder(place);
  try {
    await Promise.all([endLeftPostgres(place), endLeftRedis(place)]);
    await removeData(place);
  } finally {
    unlock();
  }
}

async function removeData(folder: string): Promise<void> {
  await removePostgresHome(folder);
  for (const name of ['postgres-password', 'redis.conf', 'redis.acl'])
    await rm(join(folder, name), { force: true });
}

/** Turns an error into one line for the user. */
function explain(error: unknown, given: AbortSignal | undefined, own: AbortSignal): unknown {
  if (given?.aborted) return new LocalStackError('the start was interrupted');
  // The part that failed first aborted the other one, whose own error says nothing.
  const first = own.aborted ? own.reason : error;
  const { code, path } = first as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new LocalStackError(
      `${path ?? 'a file'} cannot be written (${code}): does it belong to another user?`,
    );
  return first;
}
