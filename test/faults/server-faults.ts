import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '@inventory/postgres/pool';
import { Redis } from 'ioredis';
import {
  masterName,
  type RedisServer,
  roleOf,
  type SentinelTrio,
  until,
} from '../harness/servers/redis-servers.ts';
import type { Cluster } from './cluster.ts';
import type { Fault } from './fault.ts';

const untilItAnswers = {
  async postgres({ databaseUrl }: Cluster) {
    for (;;) {
      const sql = connect(databaseUrl, { name: 'checker', connectionsMax: 1 });
      const answers = await sql`select`.then(
        () => true,
        () => false,
      );
      await sql.end({ timeout: 0 });
      if (answers) return;
      await pause(20);
    }
  },
  async redis({ redisUrl }: Cluster) {
    const redis = new Redis(redisUrl, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    redis.on('error', () => {});
    await redis.ping();
    redis.disconnect();
  },
};

function signalling(name: string, server: 'postgres' | 'redis', signal: 'SIGKILL' | 'SIGSTOP'): Fault {
  return {
    name,
    hurts: true,
    hurtsReads: server === 'postgres',
    hidesDatabase: server === 'postgres',
    hindersStart: true,
    async strike({ cluster, random }) {
      if (server === 'redis' && cluster.trio !== null) {
        const stopMs = signal === 'SIGSTOP' ? 500 + random() * 1500 : null;
        return strikeMaster(cluster.trio, stopMs);
      }
      const pid = cluster.serverPid(server);
      process.kill(pid, signal);
      // The server's own recovery does not count as the service's time to notice it.
      if (signal === 'SIGKILL') return untilItAnswers[server](cluster);
      await pause(500 + random() * 1500);
      process.kill(pid, 'SIGCONT');
    },
  };
}

/** Kills the master, or freezes it for this long. Resolves once the other servers follow a master. */
async function strikeMaster(trio: SentinelTrio, stopMs: number | null): Promise<void> {
  const master = await masterOf(trio);
  if (stopMs === null) {
    master.signal('SIGKILL');
    await untilAnother(trio, master.port);
    await master.startAgain();
  } else {
    master.signal('SIGSTOP');
    await pause(stopMs);
    master.signal('SIGCONT');
  }
  await untilFollowed(trio);
}

async function masterOf(trio: SentinelTrio) {
  const found: RedisServer[] = [];
  await until('there is a master', async () => {
    const master = await trio.findMaster();
    if (master !== null) found.push(master);
    return master !== null;
  });
  return found[0]!;
}

function untilAnother(trio: SentinelTrio, before: number, ask?: () => Promise<unknown>): Promise<void> {
  const isThere = async () => {
    const master = await trio.findMaster();
    return master !== null && master.port !== before;
  };
  return until('another master', isThere, ask);
}

/** Waits until one server is the master that the Sentinels name, and the others follow. */
function untilFollowed(trio: SentinelTrio): Promise<void> {
  return until('the others follow the master', async () => {
    const roles = await Promise.all(trio.servers.map(roleOf));
    return (await trio.findMaster()) !== null && roles.filter((role) => role === 'slave').length === 2;
  });
}

/** The Sentinels replace a living master, as for its maintenance. */
const replacing: Fault = {
  name: 'redis master replaced',
  hurts: true,
  hindersStart: true,
  async strike({ cluster }) {
    const trio = cluster.trio!;
    const { port } = await masterOf(trio);
    await untilAnother(trio, port, () => trio.sentinels[0]!.redis.call('SENTINEL', 'FAILOVER', masterName));
  },
};

/** One of three Sentinels is killed and comes back. */
const endingSentinel: Fault = {
  name: 'sentinel kill -9',
  hurts: false,
  async strike({ cluster, random }) {
    const sentinel = cluster.trio!.sentinels[1]!;
    sentinel.signal('SIGKILL');
    await pause(random() * 1000);
    await sentinel.startAgain();
  },
};

async function askRedis<T>({ redisUrl, trio }: Cluster, ask: (redis: Redis) => Promise<T>): Promise<T> {
  if (trio !== null) return ask((await masterOf(trio)).redis);
  const redis = new Redis(redisUrl);
  redis.on('error', () => {});
  try {
    return await ask(redis);
  } finally {
    redis.disconnect();
  }
}

const flushing: Fault = {
  name: 'redis FLUSHALL',
  hurts: true,
  hindersStart: true,
  strike: ({ cluster }) => askRedis(cluster, async (redis) => void (await redis.flushall())),
};

const roomBytes = 128 * 1024;

/** Redis is at its memory limit and refuses commands that need more. */
const memoryLimit: Fault = {
  name: 'redis memory limit',
  hurts: true,
  hindersStart: true,
  strike: ({ cluster, random }) =>
    askRedis(cluster, async (redis) => {
      const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
      const [, before] = (await redis.config('GET', 'maxmemory')) as [string, string];
      await redis.config('SET', 'maxmemory', String(used + roomBytes));
      await pause(1500 + random() * 2500);
      await redis.config('SET', 'maxmemory', before);
    }),
};

const workerNames = ['inventory-worker', 'inventory-counts'];

/**
 * Ends backends of one kind of process several times in a row, only busy ones or all, as an operator or a
 * failover does.
 */
function terminating(name: string, role: 'api' | 'worker'): Fault {
  return {
    name,
    hurts: true,
    losesAnswers: role === 'api',
    hurtsReads: role === 'api',
    hindersStart: true,
    async strike({ cluster: { sql }, random }) {
      for (let times = 0; times < 8; times++) {
        const idleToo = random() < 0.3;
        await sql`
          select pg_terminate_backend(pid)
          from pg_stat_activity
          where datname = current_database() and application_name like 'inventory-%'
            and (application_name = any(${workerNames})) = ${role === 'worker'}
            and (${idleToo} or state <> 'idle')`;
        await pause(50 + random() * 200);
      }
    },
  };
}

/** Like a primary that has just become a standby: every write is refused (25006), reads work. */
const readOnly: Fault = {
  name: 'postgres read-only',
  hurts: true,
  // Requests that are already under way can be looked up but not settled.
  hidesDatabase: true,
  hindersStart: true,
  async strike({ cluster: { sql } }) {
    await sql`alter system set default_transaction_read_only = on`;
    await sql`select pg_reload_conf()`;
    await pause(1000);
    await sql`alter system reset default_transaction_read_only`;
    await sql`select pg_reload_conf()`;
  },
};

/** Postgres and Redis that are killed, frozen, emptied, full or read-only, or that end connections. */
export const serverFaults: readonly Fault[] = [
  signalling('redis kill -9', 'redis', 'SIGKILL'),
  signalling('redis frozen', 'redis', 'SIGSTOP'),
  flushing,
  memoryLimit,
  signalling('postgres kill -9', 'postgres', 'SIGKILL'),
  readOnly,
  terminating('worker backends terminated', 'worker'),
  terminating('api backends terminated', 'api'),
];

/** The faults that need Sentinels. */
export const sentinelFaults: readonly Fault[] = [replacing, endingSentinel];
