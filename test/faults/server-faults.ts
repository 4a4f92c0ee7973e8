import { connect } from '@inventory/db/client';
import { Redis } from 'ioredis';
import type { Cluster } from './cluster.ts';
import { type Fault, pause } from './fault.ts';

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
      const pid = cluster.serverPid(server);
      process.kill(pid, signal);
      // A server's time for its own recovery is not the service's time to notice it.
      if (signal === 'SIGKILL') return untilItAnswers[server](cluster);
      await pause(500 + random() * 1500);
      process.kill(pid, 'SIGCONT');
    },
  };
}

async function askRedis<T>({ redisUrl }: Cluster, ask: (redis: Redis) => Promise<T>): Promise<T> {
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

/** Redis may take no more memory than it has; whatever would need some is refused. */
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
 * Ends backends of some processes several times in a row, in the middle of what they do or all there are, as
 * an operator or a failover does.
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

/** As a primary that has just become a standby: every write is refused (25006), reads go on. */
const readOnly: Fault = {
  name: 'postgres read-only',
  hurts: true,
  hindersStart: true,
  async strike({ cluster: { sql } }) {
    await sql`alter system set default_transaction_read_only = on`;
    await sql`select pg_reload_conf()`;
    await pause(1000);
    await sql`alter system reset default_transaction_read_only`;
    await sql`select pg_reload_conf()`;
  },
};

/** Postgres and Redis that die, stand still, forget, refuse, or end connections. */
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
