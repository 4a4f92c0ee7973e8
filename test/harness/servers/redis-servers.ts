import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findRedisProgram, type RedisProgram } from '@inventory/local/redis/redis';
import { Redis } from 'ioredis';

/** One of several servers, or a Sentinel. */
export type RedisServer = {
  port: number;
  /** Connected as a user that may do everything. */
  redis: Redis;
  /** Ends, stops or continues the process. */
  signal(signal: NodeJS.Signals): void;
  /** Starts it again with the same port and files, after it has ended. */
  startAgain(): Promise<void>;
  stop(): Promise<void>;
};

/** The users of the servers. */
export type RedisLogins = {
  /** The lines of an ACL file. */
  aclFile: string;
  /** One user that may do everything. */
  almighty: { user: string; password: string };
};

/** Two replicas of one master and three Sentinels that watch them. */
export type SentinelTrio = {
  /** REDIS_URL, without a login. */
  url: string;
  servers: RedisServer[];
  sentinels: RedisServer[];
  /** The server that a majority of the Sentinels calls the master, if it takes writes. */
  findMaster(): Promise<RedisServer | null>;
  stop(): Promise<void>;
};

/** Three masters with a replica each. */
export type TestCluster = {
  url: string;
  servers: RedisServer[];
  /** The server with the slot of a key, in the view of most of the others; null: none now. */
  findMaster(key: string): Promise<RedisServer | null>;
  stop(): Promise<void>;
};

/** The time a master may be silent before the Sentinels act. */
const downAfterMs = 1000;
// Ten and two seconds by default.
const quickPeriods = ['INFO-PERIOD', '500', 'PUBLISH-PERIOD', '400'];
const settledWithinMs = 60_000;
const silentMs = 1000;
// A Redis Cluster gives up a failover after five seconds.
const askAgainMs = 7000;
export const masterName = 'stock';

/** The server to run here, or why there is none. */
export async function findServerProgram(): Promise<
  { program: RedisProgram; reason: '' } | { program: null; reason: string }
> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'redis-program-')));
  const signal = new AbortController().signal;
  const { program, reason } = await findRedisProgram({ folder, signal, report: () => {} });
  if (program === null) return { program, reason };
  // A new download is in that folder.
  if (!program.command.startsWith(folder)) await rm(folder, { recursive: true });
  return { program, reason: '' };
}

/**
 * `isQuick`: the Sentinels look at the servers more often than by default, so a server that comes back is a
 * replica after two seconds instead of ten.
 */
export async function startSentinelTrio(
  program: RedisProgram,
  logins: RedisLogins,
  { isQuick = false } = {},
): Promise<SentinelTrio> {
  const { almighty } = logins;
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sentinel-trio-')));
  const started: RedisServer[] = [];
  const start = async (name: string, configuration: readonly string[], isSentinel = false) => {
    const server = await startServer(program, {
      folder: join(folder, name),
      logins,
      configuration,
      isSentinel,
    });
    started.push(server);
    return server;
  };
  const stop = async () => {
    await Promise.all(started.map((each) => each.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const master = await start('server-1', []);
    const replicaOf = [`replicaof 127.0.0.1 ${master.port}`];
    const servers = [master, await start('server-2', replicaOf), await start('server-3', replicaOf)];
    await until('replicas follow', async () => (await connectedReplicas(master)) === 2);
    const watch = [
      `sentinel monitor ${masterName} 127.0.0.1 ${master.port} 2`,
      `sentinel down-after-milliseconds ${masterName} ${downAfterMs}`,
      `sentinel failover-timeout ${masterName} 2000`,
      `sentinel auth-user ${masterName} ${almighty.user}`,
      `sentinel auth-pass ${masterName} ${almighty.password}`,
    ];
    const sentinels: RedisServer[] = [];
    for (const number of [1, 2, 3]) {
      const sentinel = await start(`sentinel-${number}`, watch, true);
      sentinels.push(sentinel);
      // Redis 6 has no such command.
      if (isQuick) await sentinel.redis.call('SENTINEL', 'DEBUG', ...quickPeriods).catch(() => {});
    }
    await until('Sentinels know each other and the replicas', async () => {
      const known = await Promise.all(sentinels.map(knownTo));
      return known.every((count) => count.sentinels === 2 && count.replicas === 2);
    });
    return {
      url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${masterName}`,
      servers,
      sentinels,
      async findMaster() {
        const named = await Promise.all(
          sentinels.map((each) =>
            (each.redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName) as Promise<string[]>).then(
              ([, port]) => Number(port),
              () => null,
            ),
          ),
        );
        const chosen = servers.find(({ port }) => named.filter((each) => each === port).length >= 2);
        return chosen !== undefined && (await roleOf(chosen)) === 'master' ? chosen : null;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

export async function startTestCluster(program: RedisProgram, logins: RedisLogins): Promise<TestCluster> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'redis-cluster-')));
  const configuration = [
    'cluster-enabled yes',
    'cluster-node-timeout 1000',
    'cluster-replica-validity-factor 0',
    'cluster-allow-replica-migration no',
  ];
  const servers: RedisServer[] = [];
  const stop = async () => {
    await Promise.all(servers.map((each) => each.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (let number = 1; number <= 6; number++) {
      servers.push(
        await startServer(program, { folder: join(folder, `node-${number}`), logins, configuration }),
      );
    }
    const masters = servers.slice(0, 3);
    const ids: string[] = [];
    for (const [index, { redis }] of servers.entries()) {
      await redis.cluster('SET-CONFIG-EPOCH', index + 1);
      ids.push(String(await redis.cluster('MYID')));
    }
    for (const [index, { redis }] of masters.entries()) {
      const slots = Array.from({ length: 16_384 }, (_, slot) => slot);
      await redis.cluster('ADDSLOTS', ...slots.slice(index * 5462, (index + 1) * 5462));
    }
    for (const { port } of servers.slice(1)) await servers[0]!.redis.cluster('MEET', '127.0.0.1', port);
    const infoOf = async ({ redis }: RedisServer) => String(await redis.cluster('INFO'));
    await until('nodes know each other', async () => {
      const infos = await Promise.all(servers.map(infoOf));
      return infos.every((info) => /^cluster_known_nodes:6\b/m.test(info));
    });
    for (const [index, { redis }] of servers.slice(3).entries())
      await redis.cluster('REPLICATE', ids[index]!);
    await until('the cluster works', async () => {
      const infos = await Promise.all(servers.map(infoOf));
      const replicas = await Promise.all(masters.map(connectedReplicas));
      return (
        infos.every((info) => /^cluster_state:ok/m.test(info) && /^cluster_size:3\b/m.test(info)) &&
        replicas.every((count) => count === 1)
      );
    });
    return {
      url: `redis+cluster://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
      servers,
      async findMaster(key) {
        const named = await Promise.all(servers.map((each) => masterSeenBy(each, key)));
        const chosen = servers.find(
          ({ port }) => named.filter((each) => each === port).length > servers.length / 2,
        );
        return chosen !== undefined && (await roleOf(chosen)) === 'master' ? chosen : null;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The port of the master of a key's slot, if this node considers the cluster whole. */
async function masterSeenBy({ redis }: RedisServer, key: string): Promise<number | null> {
  try {
    const [info, slot, ranges] = await Promise.all([
      redis.cluster('INFO'),
      redis.cluster('KEYSLOT', key),
      redis.cluster('SLOTS') as Promise<unknown> as Promise<[number, number, [string, number]][]>,
    ]);
    if (!/^cluster_state:ok/m.test(String(info))) return null;
    return ranges.find(([first, last]) => first <= Number(slot) && Number(slot) <= last)?.[2][1] ?? null;
  } catch {
    return null;
  }
}

export async function roleOf({ redis }: RedisServer): Promise<string | null> {
  return redis.info('replication').then(
    (info) => /^role:(\w+)/m.exec(info)?.[1] ?? null,
    () => null,
  );
}

async function connectedReplicas({ redis }: RedisServer): Promise<number> {
  return (await redis.info('replication')).match(/^slave\d+:.*state=online/gm)?.length ?? 0;
}

async function knownTo({ redis }: RedisServer): Promise<{ sentinels: number; replicas: number }> {
  const line = /^master0:.*slaves=(\d+),sentinels=(\d+)/m.exec(await redis.info('sentinel'));
  return { replicas: Number(line?.[1]), sentinels: Number(line?.[2]) - 1 };
}

/**
 * Waits until a condition holds. `ask` requests it, now and again after a while: slow servers give up on a
 * request.
 */
export async function until(
  what: string,
  isSo: () => Promise<boolean>,
  ask: () => Promise<unknown> = async () => {},
): Promise<void> {
  const end = performance.now() + settledWithinMs;
  let askedAt = Number.NEGATIVE_INFINITY;
  while (!(await isSo())) {
    const now = performance.now();
    if (now > end) throw new Error(`not so after ${settledWithinMs / 1000} s: ${what}`);
    if (now - askedAt > askAgainMs) {
      askedAt = now;
      await ask().catch(() => {
        // Not yet: again at once.
        askedAt = Number.NEGATIVE_INFINITY;
      });
    }
    await wait(20);
  }
}

async function startServer(
  { command, libraryPath }: RedisProgram,
  options: { folder: string; logins: RedisLogins; configuration: readonly string[]; isSentinel?: boolean },
): Promise<RedisServer> {
  const { folder, logins, configuration, isSentinel = false } = options;
  const { almighty } = logins;
  const port = await choosePorts();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'redis.conf');
  const common = ['bind 127.0.0.1', `port ${port}`, `dir ${folder}`, 'daemonize no', `logfile ${folder}/log`];
  const ofServers = [
    `aclfile ${folder}/users.acl`,
    `masteruser ${almighty.user}`,
    `masterauth ${almighty.password}`,
    'appendonly no',
    'save ""',
    'maxmemory-policy noeviction',
    'repl-diskless-sync yes',
    'repl-diskless-sync-delay 0',
  ];
  writeFileSync(join(folder, 'users.acl'), logins.aclFile);
  writeFileSync(file, [...common, ...(isSentinel ? [] : ofServers), ...configuration, ''].join('\n'));
  let child: ChildProcess;
  let ended: Promise<unknown> = Promise.resolve();
  const launch = async () => {
    child = spawn(command, [file, ...(isSentinel ? ['--sentinel'] : [])], {
      cwd: folder,
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC', LD_LIBRARY_PATH: libraryPath },
      stdio: 'ignore',
    });
    ended = new Promise((resolve) => {
      child.once('exit', resolve);
      child.once('error', resolve);
    });
    await until(`${file} is served`, async () => {
      if (child.exitCode !== null) throw new Error(`a Redis ended: ${file}`);
      return redis.ping().then(
        () => true,
        () => false,
      );
    });
  };
  const redis = new Redis({
    port,
    host: '127.0.0.1',
    ...(isSentinel ? {} : { username: almighty.user, password: almighty.password }),
    retryStrategy: () => 20,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    // A frozen server does not answer.
    commandTimeout: silentMs,
    socketTimeout: silentMs,
  });
  redis.on('error', () => {});
  // A run that ends without stopping them ends them, too.
  const endOnExit = () => void child?.kill('SIGKILL');
  process.on('exit', endOnExit);
  await launch();
  return {
    port,
    redis,
    signal: (signal) => void child.kill(signal),
    async startAgain() {
      await ended;
      await launch();
    },
    async stop() {
      redis.disconnect();
      child.kill('SIGKILL');
      await ended;
      process.off('exit', endOnExit);
    },
  };
}

/** A free port; the port 10,000 above it, for the cluster's nodes among themselves, is free as well. */
async function choosePorts(): Promise<number> {
  for (;;) {
    const port = await listenOnce(0);
    if (port !== null && port < 55_000 && (await listenOnce(port + 10_000)) !== null) return port;
  }
}

function listenOnce(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => {
      const { port: found } = server.address() as { port: number };
      server.close(() => resolve(found));
    });
  });
}
