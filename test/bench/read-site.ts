import { join } from 'node:path';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/access/clients';
import { findImbalances } from '@inventory/db/audit/audit';
import { migrate } from '@inventory/db/migrate/migrate';
import { seed, transactionsFor } from '@inventory/db/operator/seed';
import { connect, type Sql } from '@inventory/db/postgres/pool';
import { type Stack, startStack } from '@inventory/local/stack';
import { databaseOf } from '../harness/global-setup.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { warehouseCount } from './read-lists.ts';

export function startReadStack(): Promise<Stack> {
  const folder = join(import.meta.dirname, '../../.local/bench-read');
  return startStack({ folder, throwAway: true, report: (line) => process.stderr.write(`${line}\n`) });
}

/** An api on a database of this many lots. */
export type ReadSite = {
  baseUrl: string;
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
  const server = connect(stack.databaseUrl, { name: 'bench', connectionsMax: 1 });
  await server.unsafe(`create database ${name}`);
  const url = databaseOf(stack.databaseUrl, name);
  const sql = connect(url, { name: 'bench', connectionsMax });
  await migrate(sql);
  const items = Math.ceil(lots / 5);
  const size = { items, lots, warehouses: warehouseCount, transactions: transactionsFor(lots) };
  const seedSeconds = await timed(() => seed(sql, size, () => {}));
  const auditSeconds = await timed(async () => {
    const imbalances = await findImbalances(sql);
    if (imbalances.length > 0) throw new Error(`does not add up: ${JSON.stringify(imbalances.slice(0, 3))}`);
  });
  const env = { DATABASE_URL: url, REDIS_URL: stack.redisUrl, PORT: '0', QUEUE_PREFIX: name };
  const api = await startProcess('apps/api/src/main.ts', env);
  const baseUrl = `http://127.0.0.1:${api.port}/api/v1`;
  const token = await addCaller(sql, baseUrl, 'bench');
  return {
    baseUrl,
    token,
    items,
    seedSeconds,
    auditSeconds,
    sql,
    api,
    async stop() {
      await api.stop();
      await sql.end();
      await server.unsafe(`drop database ${name} with (force)`);
      await server.end();
    },
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

/** Adds a client with every permission in all warehouses of the data, and gets it a token. */
export async function addCaller(sql: Sql, baseUrl: string, clientId: string): Promise<string> {
  const secret = createSecret();
  await addClient(sql, {
    clientId,
    permissions: [11, 15, 88, 95, 116],
    wids: Array.from({ length: warehouseCount }, (_, index) => index + 1),
    readOnly: false,
    rateLimit: 1_000_000_000,
    secretDigest: digestSecret(secret),
  });
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  const answer = await fetch(`${baseUrl}/Token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return token;
}
