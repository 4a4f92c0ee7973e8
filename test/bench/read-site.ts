import { findImbalances } from '@inventory/db/audit/audit';
import { seed, transactionsFor } from '@inventory/db/operator/seed';
import type { Sql } from '@inventory/db/postgres/pool';
import type { Stack } from '@inventory/local/stack';
import { addCaller, fetchToken } from '../harness/service/caller.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { warehouseCount } from './read-lists.ts';
import { createDatabase } from './stack.ts';

/** An api on a database of this many lots. */
export type ReadSite = {
  origin: string;
  token: string;
  items: number;
  seedSeconds: number;
  auditSeconds: number;
  sql: Sql;
  api: Started;
  stop(): Promise<void>;
};

export async function startReadSite(stack: Stack, lots: number, connectionsMax: number): Promise<ReadSite> {
  const name = `read_${lots}`;
  const { url, sql, drop } = await createDatabase(stack, name, { connectionsMax });
  const items = Math.ceil(lots / 5);
  const size = { items, lots, warehouses: warehouseCount, transactions: transactionsFor(lots) };
  const seedSeconds = await timed(() => seed(sql, size, () => {}));
  const auditSeconds = await timed(async () => {
    const imbalances = await findImbalances(sql);
    if (imbalances.length > 0) throw new Error(`does not add up: ${JSON.stringify(imbalances.slice(0, 3))}`);
  });
  const env = { DATABASE_URL: url, REDIS_URL: stack.redisUrl, PORT: '0', QUEUE_PREFIX: name };
  const api = await startProcess('apps/api/src/main.ts', env);
  const origin = `http://127.0.0.1:${api.port}`;
  const secret = await addCaller(sql, 'bench', warehouseCount);
  return {
    origin,
    token: await fetchToken(origin, 'bench', secret),
    items,
    seedSeconds,
    auditSeconds,
    sql,
    api,
    async stop() {
      await api.stop();
      await drop();
    },
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
