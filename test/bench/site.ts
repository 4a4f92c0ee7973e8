import { setTimeout } from 'node:timers/promises';
import { addressOf, type Part } from '@inventory/db/access/logins';
import { findImbalances } from '@inventory/db/audit/audit';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import type { Stack } from '@inventory/local/stack';
import type { Sql } from '@inventory/postgres/pool';
import { nodeOptions } from '@inventory/process/settings/node-options';
import { addLogins, createLogins } from '../harness/servers/logins.ts';
import { addCaller, fetchToken } from '../harness/service/caller.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { createDatabase, runThere } from './stack.ts';
import type { Way } from './ways.ts';

export const itemCount = 1000;

// All callers share this machine's address.
const manyCallers = { CONNECTIONS_MAX: '10000', CONNECTIONS_PER_ADDRESS_MAX: '0' };

// Else the processes of its sites outlive a run that is cut, some of them stopped.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

/** A running way of writing, on its own database. */
export type Site = {
  origin: string;
  token: string;
  sql: Sql;
  /** Resident memory of each process, bytes. */
  processes: { api: Started; worker: Started | null };
  /** Stops its processes where they are, so that they take nothing from the others, and lets them go on. */
  pause(): void;
  resume(): void;
  /** Waits up to a minute until it is idle, so that leftover work of one load does not burden the next. */
  settle(): Promise<void>;
  /** Stops it. Throws if levels, lots and entries do not add up. */
  stop(): Promise<void>;
};

/** A service that writes in this way, with a thousand items and whatever `seed` adds before it starts. */
export async function startSite(
  stack: Stack,
  way: Way,
  name: string,
  seed: (sql: Sql) => Promise<void> = async () => {},
): Promise<Site> {
  const { url, sql, secret } = await makeDatabase(stack, name, way.source);
  await seed(sql);
  const env = {
    REDIS_URL: stack.redisUrl,
    PORT: '0',
    QUEUE_PREFIX: name,
    ...manyCallers,
    ...way.env,
  };
  const writesAlone = way.worker === null;
  const addresses = await makeLogins(sql, url, { writesAlone });
  const start = (program: string, address: string) =>
    startProcess(
      program,
      { ...env, DATABASE_URL: address },
      { nodeOptions, ...(way.command && { command: way.command }) },
    );
  const worker = way.worker === null ? null : await start(way.worker, addresses.worker);
  const api = await start(way.api, writesAlone ? addresses.worker : addresses.api);
  const signal = (name: NodeJS.Signals) => {
    for (const process of [worker, api]) process?.child.kill(name);
  };
  const origin = `http://127.0.0.1:${api.port}`;
  return {
    origin,
    token: await fetchToken(origin, 'bench', secret),
    sql,
    processes: { api, worker },
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    settle: () => untilIdle(sql),
    async stop() {
      await api.stop();
      await worker?.stop();
      if (way.source !== undefined) runThere(way.source, 'audit', url);
      const imbalances = way.source === undefined ? await findImbalances(sql) : [];
      await sql.end();
      if (imbalances.length > 0)
        throw new Error(`${way.name}: does not add up: ${JSON.stringify(imbalances.slice(0, 3))}`);
    },
  };
}

/** A database with a thousand items and a client `bench` with every permission. */
export async function makeDatabase(stack: Stack, name: string, source?: string) {
  const { url, sql } = await createDatabase(stack, name, { source });
  await addWarehouse(sql, { wid: 1, name: 'Main' });
  await sql`insert into item (short_id, created_by) select 'I' || n, 'bench' from generate_series(0, ${itemCount - 1}) as n`;
  return { url, sql, secret: await addCaller(sql, 'bench', 1) };
}

/**
 * The addresses for logins with the rights of the parts, as the service has them in production: the triggers
 * check less for the owner of the tables. `writesAlone`: the login of the worker may write everything.
 */
async function makeLogins(sql: Sql, url: string, { writesAlone }: { writesAlone: boolean }) {
  const logins = createLogins();
  await addLogins(sql, logins);
  const loginOf = (part: Part) => logins.find((login) => login.part === part)!;
  if (writesAlone) {
    const { name } = loginOf('worker');
    await sql.unsafe(`
      grant select, insert, update on all tables in schema public to ${name};
      grant usage on all sequences in schema public to ${name}`);
  }
  return { api: addressOf(url, loginOf('api')), worker: addressOf(url, loginOf('worker')) };
}

async function untilIdle(sql: Sql): Promise<void> {
  const until = performance.now() + 60_000;
  for (let quiet = 0; quiet < 10 && performance.now() < until; ) {
    await setTimeout(50);
    const busy = await sql`
      select pid
      from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'active'`;
    quiet = busy.length === 0 ? quiet + 1 : 0;
  }
}
