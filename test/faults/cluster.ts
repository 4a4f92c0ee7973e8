import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { connect, type Sql } from '@inventory/db/client';
import { addClient } from '@inventory/db/clients';
import { migrate } from '@inventory/db/migrate';
import { addWarehouse } from '@inventory/db/warehouses';
import { startStack } from '@inventory/local/stack';
import { type Started, startProcess } from '../harness/processes.ts';
import { type NetworkStretch, startProxy } from './proxy.ts';

const root = join(import.meta.dirname, '../..');
export const itemCount = 20;

type Role = 'api' | 'worker';

/** A process of the service that is started again whenever it ends. */
export type Member = {
  name: string;
  role: Role;
  current: Started;
  /** Of the present incarnation, 0 while there is none that listens. */
  port: number;
  kill(signal: NodeJS.Signals): void;
};

/** The real processes, each of their network stretches behind a proxy of its own. */
export type Cluster = {
  members: Member[];
  apis: Member[];
  workers: Member[];
  proxies: Record<`${Role}-${'postgres' | 'redis'}`, NetworkStretch>;
  /** Past the proxies: how the checker looks. */
  sql: Sql;
  databaseUrl: string;
  redisUrl: string;
  serverPid(server: 'postgres' | 'redis'): number;
  clientId: string;
  secret: string;
  stop(): Promise<void>;
};

/** Starts 2 api and 2 worker processes on a local Postgres and Redis with throw-away data. */
export async function startCluster(options: {
  folder: string;
  /** Where the sources are: a mutated copy, or the repository. */
  sourceRoot?: string;
  env?: Record<string, string>;
  report: (line: string) => void;
}): Promise<Cluster> {
  const stack = await startStack({ folder: options.folder, throwAway: true, report: options.report });
  const sql = connect(stack.databaseUrl, { name: 'checker', connectionsMax: 3 });
  await migrate(sql);
  await addWarehouse(sql, { wid: 1, name: 'Main' });
  await addWarehouse(sql, { wid: 2, name: 'Overflow' });
  await sql`
    insert into item (short_id, created_by) select 'ITEM-' || n, 'faults' from generate_series(0, ${itemCount - 1}) as n`;
  const secret = createSecret();
  const clientId = 'faults';
  await addClient(sql, {
    clientId,
    permissions: [11, 15, 88, 95, 116],
    wids: [1, 2],
    readOnly: false,
    rateLimit: 100_000_000,
    secretDigest: digestSecret(secret),
  });
  const portOf = (url: string) => Number(new URL(url).port);
  const proxies = {
    'api-postgres': await startProxy(portOf(stack.databaseUrl)),
    'api-redis': await startProxy(portOf(stack.redisUrl)),
    'worker-postgres': await startProxy(portOf(stack.databaseUrl)),
    'worker-redis': await startProxy(portOf(stack.redisUrl)),
  };
  const through = (url: string, proxy: NetworkStretch) => {
    const changed = new URL(url);
    changed.port = String(proxy.port);
    return changed.href;
  };

  let stopping = false;
  const restarts = new Set<Promise<void>>();
  async function startMember(role: Role, index: number): Promise<Member> {
    const env: Record<string, string> = {
      DATABASE_URL: through(stack.databaseUrl, proxies[`${role}-postgres`]),
      REDIS_URL: through(stack.redisUrl, proxies[`${role}-redis`]),
      PORT: '0',
      DRAIN_MS: '1000',
      LOG_LEVEL: 'info',
      ...options.env,
    };
    const file = join(options.sourceRoot ?? root, `apps/${role}/src/main.ts`);
    const start = () => startProcess(file, env, { quiet: process.env.VERBOSE === undefined });
    const member = { name: `${role}-${index}`, role } as Member;
    const follow = (started: Started) => {
      member.current = started;
      member.port = started.port;
      started.exited.then(() => {
        member.port = 0;
        const restart = startAgain().finally(() => restarts.delete(restart));
        restarts.add(restart);
      });
    };
    async function startAgain() {
      while (!stopping) {
        try {
          follow(await start());
          return;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
      }
    }
    member.kill = (signal) => {
      // A draining api gets no new callers, as behind a load balancer.
      if (signal === 'SIGTERM') member.port = 0;
      member.current.child.kill(signal);
    };
    follow(await start());
    return member;
  }

  const apis = await Promise.all([startMember('api', 1), startMember('api', 2)]);
  const workers = await Promise.all([startMember('worker', 1), startMember('worker', 2)]);
  const members = [...apis, ...workers];
  return {
    members,
    apis,
    workers,
    proxies,
    sql,
    databaseUrl: stack.databaseUrl,
    redisUrl: stack.redisUrl,
    serverPid: (server) => JSON.parse(readFileSync(join(options.folder, `${server}.pid`), 'utf8')).pid,
    clientId,
    secret,
    async stop() {
      stopping = true;
      for (const proxy of Object.values(proxies)) proxy.setState('open');
      // A process that is just being started would outlive this one.
      await Promise.all(restarts);
      await Promise.all(
        members.map((member) => {
          member.current.child.kill('SIGCONT');
          member.current.child.kill('SIGTERM');
          const late = setTimeout(() => member.current.child.kill('SIGKILL'), 5000);
          return member.current.exited.then(() => clearTimeout(late));
        }),
      );
      for (const proxy of Object.values(proxies)) proxy.close();
      await sql.end({ timeout: 5 });
      await stack.stop();
    },
  };
}
