import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf, parts } from '@inventory/db/access/logins';
import { refuseUnableToMakeRoles } from '@inventory/db/migrate/migrate';
import { knownVersion } from '@inventory/db/migrate/schema-steps';
import { connect, type Sql } from '@inventory/db/postgres/pool';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { programOf } from '../harness/compiled.ts';
import { databaseOf } from '../harness/global-setup.ts';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';

const root = join(import.meta.dirname, '../..');

/** Runs the command line in its own process. */
function inventory(args: string[], databaseUrl: string) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const env = { ...process.env, DATABASE_URL: databaseUrl };
    const program = [...programOf(join(root, 'apps/admin/src/main.ts')), ...args];
    execFile(process.execPath, program, { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

describe('migrate refuses before it writes anything', () => {
  const name = `inventory_test_${randomBytes(6).toString('hex')}`;
  const owner = {
    name: `owner_${randomBytes(6).toString('hex')}`,
    password: randomBytes(12).toString('hex'),
  };
  const url = databaseOf(inject('databaseUrl'), name);
  let server: Sql;
  let sql: Sql;
  let folder: string;

  beforeAll(async () => {
    server = connect(inject('databaseUrl'), { name: 'tests', connectionsMax: 1 });
    await server.unsafe(`create role ${owner.name} login password '${owner.password}'`);
    await server.unsafe(`create database ${name} owner ${owner.name}`);
    sql = connect(url, { name: 'tests', connectionsMax: 1 });
    folder = await mkdtemp(join(tmpdir(), 'refusals-'));
    for (const part of parts) {
      await mkdir(join(folder, part));
      await writeFile(join(folder, part, 'database-password'), 'unused');
    }
  });
  afterAll(async () => {
    await sql.end();
    await server.unsafe(`drop database if exists ${name} with (force)`);
    await server.unsafe(`drop role if exists ${owner.name}`);
    await server.end();
    await rm(folder, { recursive: true });
  });

  /** The existing tables. */
  const tables = async () =>
    (await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`).map(
      (table) => table.name,
    );

  test('a database that could lose answered writes', async () => {
    await server.unsafe(`alter database ${name} set synchronous_commit = off`);
    const { code, stderr } = await inventory(['migrate'], url);
    await server.unsafe(`alter database ${name} reset synchronous_commit`);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'error: the database runs with synchronous_commit = off: an answered transaction could be lost in a crash\n',
    });
    expect(await tables()).toEqual([]);
  });

  test('an owner who may not create the logins asked for', async () => {
    const { code, stderr } = await inventory(['migrate', '--logins', folder], addressOf(url, owner));
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(
        `^error: ${owner.name} may not create roles: let a role that may do so run \`create role inventory_login_`,
      ),
    );
    expect(await tables()).toEqual([]);
  });

  test('an owner who may not create the roles of the parts', async () => {
    const weak = connect(addressOf(url, owner), { name: 'tests', connectionsMax: 1 });
    const role = `missing_${randomBytes(6).toString('hex')}`;
    await expect(refuseUnableToMakeRoles(weak, ['inventory_api', role])).rejects.toThrow(
      `${owner.name} may not create roles: let a role that may do so run \`create role ${role} nologin;\`, then migrate again`,
    );
    // Existing roles need nobody to create them, and an owner who may create roles creates the missing ones.
    await refuseUnableToMakeRoles(weak, ['inventory_api']);
    await refuseUnableToMakeRoles(sql, [role]);
    await weak.end();
  });
});

describe('a database of another version is refused before anything is written', () => {
  const known = knownVersion();
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
    await database.sql`insert into schema_version (version, name, checksum) values (${known + 1}, 'later', '')`;
  });
  afterAll(() => database.drop());

  const newer = `error: the database's schema is ${known + 1}, newer than ${known}, the last that this version knows: run the newer version\n`;

  test('a backup is taken all the same', async () => {
    const { code, stdout } = await inventory(['backup', '-'], database.url);
    expect({ code, isThere: stdout.length > 0 }).toEqual({ code: 0, isThere: true });
  });

  test.each([
    ['migrate'],
    ['warehouse', 'add', '--id', '7', '--name', 'North'],
    ['seed', '--items', '1', '--warehouses', '1', '--lots', '1', '--yes'],
  ])('%s', async (...args) => {
    const { code, stdout, stderr } = await inventory(args, database.url);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: newer });
    const [found] = await database.sql`
      select (select count(*) from warehouse) as warehouses, (select count(*) from item) as items`;
    expect(found).toEqual({ warehouses: 0, items: 0 });
  });
});
