import { connect } from '@inventory/db/client';
import { Redis } from 'ioredis';
import type { Cluster, Member } from './cluster.ts';
import { pickOne } from './random.ts';

/** One way of breaking the running service; `hurts`: whether callers may be answered 5xx or lose their connection. */
export type Fault = {
  name: string;
  hurts: boolean;
  /** Whether an api may find Postgres out of reach, so that it cannot say what became of a request. */
  hidesDatabase?: boolean;
  /** Whether an api stands still, and answers nobody meanwhile. */
  stopsApi?: boolean;
  strike(cluster: Cluster, random: () => number): Promise<void>;
};

const pause = (timeMs: number) => new Promise((resolve) => setTimeout(resolve, timeMs));

function killing(name: string, members: (cluster: Cluster) => Member[]): Fault {
  return {
    name,
    hurts: true,
    async strike(cluster, random) {
      pickOne(random, members(cluster)).kill('SIGKILL');
    },
  };
}

function freezing(name: string, members: (cluster: Cluster) => Member[]): Fault {
  return {
    name,
    hurts: true,
    stopsApi: name.startsWith('api'),
    async strike(cluster, random) {
      const { child } = pickOne(random, members(cluster)).current;
      child.kill('SIGSTOP');
      await pause(500 + random() * 2500);
      child.kill('SIGCONT');
    },
  };
}

function networking(state: 'stalled' | 'cut', stretch: keyof Cluster['proxies']): Fault {
  return {
    name: `${stretch} ${state}`,
    hurts: true,
    hidesDatabase: stretch === 'api-postgres',
    async strike(cluster, random) {
      cluster.proxies[stretch].setState(state);
      await pause(300 + random() * (state === 'cut' ? 700 : 2700));
      cluster.proxies[stretch].setState('open');
    },
  };
}

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
    hidesDatabase: server === 'postgres',
    async strike(cluster, random) {
      const pid = cluster.serverPid(server);
      process.kill(pid, signal);
      // What a server needs for its own recovery is not what the service needs to notice it.
      if (signal === 'SIGKILL') return untilItAnswers[server](cluster);
      await pause(500 + random() * 1500);
      process.kill(pid, 'SIGCONT');
    },
  };
}

const flushing: Fault = {
  name: 'redis FLUSHALL',
  hurts: true,
  async strike(cluster) {
    const redis = new Redis(cluster.redisUrl);
    redis.on('error', () => {});
    await redis.flushall();
    redis.disconnect();
  },
};

/** A deploy: every process is told to stop and started anew, one after the other. */
const rolling: Fault = {
  name: 'rolling SIGTERM',
  hurts: false,
  async strike(cluster) {
    for (const member of cluster.members) {
      const { exited } = member.current;
      member.kill('SIGTERM');
      await exited;
      while (member.current.child.exitCode !== null || member.port === 0) {
        if (member.role === 'worker' && member.current.child.exitCode === null) break;
        await pause(50);
      }
    }
  },
};

/** Every fault; a run strikes each once before any comes again. */
export const faults: readonly Fault[] = [
  killing('worker kill -9', (cluster) => cluster.workers),
  killing('api kill -9', (cluster) => cluster.apis),
  freezing('worker frozen', (cluster) => cluster.workers),
  freezing('api frozen', (cluster) => cluster.apis),
  signalling('redis kill -9', 'redis', 'SIGKILL'),
  signalling('redis frozen', 'redis', 'SIGSTOP'),
  flushing,
  signalling('postgres kill -9', 'postgres', 'SIGKILL'),
  networking('stalled', 'api-redis'),
  networking('stalled', 'worker-redis'),
  networking('stalled', 'api-postgres'),
  networking('stalled', 'worker-postgres'),
  networking('cut', 'api-redis'),
  networking('cut', 'worker-redis'),
  networking('cut', 'api-postgres'),
  networking('cut', 'worker-postgres'),
  rolling,
];
