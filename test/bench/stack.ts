import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { migrate } from '@inventory/db/migrate/migrate';
import { type Stack, startStack } from '@inventory/local/stack';
import { connect, type Sql } from '@inventory/postgres/pool';
import { types } from '../harness/compiled.ts';
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

type BenchDatabase = {
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
  else runThere(source, 'migrate', url);
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

/** Runs a command of another checkout on its database, whose tables only it knows. Throws if it fails. */
export function runThere(source: string, command: string, url: string): void {
  const env = { ...process.env, DATABASE_URL: url };
  execFileSync(process.execPath, ['--import', types, 'apps/admin/src/main.ts', command], {
    cwd: source,
    env,
  });
}
