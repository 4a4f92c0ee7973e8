import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/access/clients';
import { migrate } from '@inventory/db/migrate/migrate';
import { connect, type Sql } from '@inventory/db/postgres/pool';
import { type Stack, startStack } from '@inventory/local/stack';
import { databaseOf } from '../harness/global-setup.ts';

export const benchFolder = join(import.meta.dirname, '../../.local/bench');

/** Postgres and Redis for a run of measurements. */
export function startBenchStack(): Promise<Stack> {
  return startStack({
    folder: benchFolder,
    throwAway: true,
    report: (line) => process.stderr.write(`${line}\n`),
  });
}

export type BenchDatabase = {
  url: string;
  sql: Sql;
  /** Ends the connections and deletes the data. */
  drop(): Promise<void>;
};

/**
 * Creates a database with empty tables. `source`: the folder of the checkout whose tables they are, if not
 * this one.
 */
export async function createDatabase(
  stack: Stack,
  name: string,
  { connectionsMax = 2, source }: { connectionsMax?: number; source?: string | undefined } = {},
): Promise<BenchDatabase> {
  await run(`create database ${name}`);
  const url = databaseOf(stack.databaseUrl, name);
  const sql = connect(url, { name: 'bench', connectionsMax });
  if (source === undefined) await migrate(sql);
  else {
    const env = { ...process.env, DATABASE_URL: url };
    const migrateThere = ['--import', 'tsx', 'apps/admin/src/main.ts', 'migrate'];
    execFileSync(process.execPath, migrateThere, { cwd: source, env });
  }
  return {
    url,
    sql,
    async drop() {
      await sql.end();
      await run(`drop database ${name} with (force)`);
    },
  };

  async function run(statement: string) {
    const server = connect(stack.databaseUrl, { name: 'bench', connectionsMax: 1 });
    await server.unsafe(statement);
    await server.end();
  }
}

/** Adds a client with every permission in the warehouses 1 to `warehouses`. Returns its secret. */
export async function addCaller(sql: Sql, clientId: string, warehouses: number): Promise<string> {
  const secret = createSecret();
  await addClient(sql, {
    clientId,
    permissions: [11, 15, 88, 95, 116],
    wids: Array.from({ length: warehouses }, (_, index) => index + 1),
    readOnly: false,
    rateLimit: 1_000_000_000,
    operationsPerMinute: 1_000_000_000,
    secretDigest: digestSecret(secret),
  });
  return secret;
}

/** Asks for a token and returns the whole answer. */
export function askToken(origin: string, clientId: string, secret: string): Promise<Response> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  return fetch(`${origin}/api/v1/Token`, { method: 'POST', body: new URLSearchParams(form) });
}

export async function fetchToken(origin: string, clientId: string, secret: string): Promise<string> {
  const answer = await askToken(origin, clientId, secret);
  return ((await answer.json()) as { access_token: string }).access_token;
}
