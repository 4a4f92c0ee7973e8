import { setTimeout } from 'node:timers/promises';
import { findImbalances } from '@inventory/db/audit/audit';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import type { Sql } from '@inventory/db/postgres/pool';
import type { Stack } from '@inventory/local/stack';
import { nodeOptions } from '@inventory/process/settings/node-options';
import { addCaller, fetchToken } from '../harness/service/caller.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { createDatabase, runThere } from './stack.ts';
import type { Way } from './ways.ts';

export const itemCount = 1000;

// All callers share this machine's address.
const manyCallers = { CONNECTIONS_MAX: '10000', CONNECTIONS_PER_ADDRESS_MAX: '0' };

/** A running way of writing, on its own database. */
export type Site = {
  origin: string;
  token: string;
  sql: Sql;
  /** Resident memory of each process, bytes. */
  processes: { api: Started; worker: Started | null };
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
    DATABASE_URL: url,
    REDIS_URL: stack.redisUrl,
    PORT: '0',
    QUEUE_PREFIX: name,
    ...manyCallers,
    ...way.env,
  };
  const worker = way.worker === null ? null : await startProcess(way.worker, env, { nodeOptions });
  const api = await startProcess(way.api, env, { nodeOptions });
  const origin = `http://127.0.0.1:${api.port}`;
  return {
    origin,
    token: await fetchToken(origin, 'bench', secret),
    sql,
    processes: { api, worker },
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
