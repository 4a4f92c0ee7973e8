import { randomBytes } from 'node:crypto';
import type { Part } from '@inventory/db/access/logins';
import { connect, type Sql } from '@inventory/postgres/pool';
import { inject, onTestFinished } from 'vitest';
import { addressFor } from '../as-part.ts';
import { databaseOf, templateName } from '../global-setup.ts';

export type TestDatabase = { url: string; sql: Sql; drop(): Promise<void> };

/** Postgres' own template: a database without tables. */
export const noTables = 'template1';

/** A test's own database with all tables, empty; or a copy of another database without connections. */
export async function createDatabase(template: string = templateName): Promise<TestDatabase> {
  const serverUrl = inject('databaseUrl');
  const name = `inventory_test_${randomBytes(6).toString('hex')}`;
  const server = connect(serverUrl, { name: 'tests', connectionsMax: 1 });
  await server.unsafe(`create database ${name} template ${template}`);
  const url = databaseOf(serverUrl, name);
  const sql = connect(url, { name: 'tests', connectionsMax: 4 });
  return {
    url,
    sql,
    async drop() {
      await sql.end({ timeout: 10 });
      await server.unsafe(`drop database if exists ${name} with (force)`);
      await server.end();
    },
  };
}

/** A connection with the rights of a part, until the test ends. */
export function connectAs(part: Part, url: string): Sql {
  const sql = connect(addressFor(part, url), { name: 'tests', connectionsMax: 2 });
  onTestFinished(() => sql.end({ timeout: 5 }));
  return sql;
}
