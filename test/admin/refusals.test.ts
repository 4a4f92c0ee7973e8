import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addressOf, parts } from '@inventory/db/access/logins';
import { knownVersion } from '@inventory/db/migrate/schema-steps';
import { connect, type Sql } from '@inventory/postgres/pool';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { useFolder } from '../harness/folders.ts';
import { databaseOf } from '../harness/global-setup.ts';
import { createDatabase, noTables, type TestDatabase } from '../harness/servers/database.ts';
import { runCommand, runHere } from '../harness/service/command-line.ts';

const inventory = (args: string[], databaseUrl: string) => runHere(args, { DATABASE_URL: databaseUrl });

describe('before it writes anything', () => {
  const name = `inventory_test_${randomBytes(6).toString('hex')}`;
  const owner = {
    name: `owner_${randomBytes(6).toString('hex')}`,
    password: randomBytes(12).toString('hex'),
  };
  const url = databaseOf(inject('databaseUrl'), name);
  const folder = useFolder();
  let server: Sql;
  let sql: Sql;

  beforeAll(async () => {
    server = connect(inject('databaseUrl'), { name: 'tests', connectionsMax: 1 });
    await server.unsafe(`create role ${owner.name} login password '${owner.password}'`);
    await server.unsafe(`create database ${name} owner ${owner.name}`);
    sql = connect(url, { name: 'tests', connectionsMax: 1 });
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
  });

  /** The existing tables. */
  const tables = async () =>
    (await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`).map(
      (table) => table.name,
    );

  test('migrate and start refuse a database that could lose answered writes', async () => {
    await server.unsafe(`alter database ${name} set synchronous_commit = off`);
    const line =
      'error: the database runs with synchronous_commit = off: an answered transaction could be lost in a crash\n';
    const servers = { DATABASE_URL: url, REDIS_URL: inject('redisUrl'), PORT: '0' };
    for (const refused of [await inventory(['migrate'], url), await runCommand(['start'], servers)])
      expect(refused).toMatchObject({ code: 1, stderr: line });
    await server.unsafe(`alter database ${name} reset synchronous_commit`);
    expect(await tables()).toEqual([]);
  });

  test('start refuses settings that the api or the worker would refuse', async () => {
    const refused = await runCommand(['start', '--yes'], {
      ...{ DATABASE_URL: url, REDIS_URL: inject('redisUrl'), PORT: '0' },
      ...{ LOG_LEVEL: 'loud', RATE_LIMIT: 'abc', BATCH_MAX: '0' },
    });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    for (const wrong of [
      'LOG_LEVEL must be one of fatal, error',
      'RATE_LIMIT must be a whole number',
      'BATCH_MAX must be at least 1',
    ])
      expect(refused.stderr).toContain(wrong);
    expect(refused.stderr.trim().split('\n')).toHaveLength(1);
    expect(await tables()).toEqual([]);
  });

  test('migrate refuses an owner who may not create the logins asked for', async () => {
    const { code, stderr } = await inventory(['migrate', '--logins', folder], addressOf(url, owner));
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(
        `^error: ${owner.name} may not create roles: let a role that may do so run \`create role inventory_login_`,
      ),
    );
    expect(await tables()).toEqual([]);
  });

  test('migrate refuses a database in which texts cannot be searched in every language', async () => {
    const withoutIcu = await createDatabase(noTables);
    onTestFinished(() => withoutIcu.drop());
    await withoutIcu.sql`drop collation pg_catalog."und-x-icu"`;
    const latin = `${name}_latin`;
    await server.unsafe(
      `create database ${latin} template template0 encoding 'LATIN1' locale_provider libc locale 'C'`,
    );
    onTestFinished(async () => {
      await server.unsafe(`drop database ${latin} with (force)`);
    });
    expect(await inventory(['migrate'], withoutIcu.url)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: the database has no collation und-x-icu, .* built with ICU/),
    });
    expect(await inventory(['migrate'], databaseOf(url, latin))).toMatchObject({
      code: 1,
      stderr: "error: the database's encoding is LATIN1: create one with the encoding UTF8\n",
    });
    expect([...(await withoutIcu.sql`select from pg_tables where schemaname = 'public'`)]).toEqual([]);
  });

  test('migrate and every other command refuse a database with the tables of another program', async () => {
    const other = await createDatabase(noTables);
    onTestFinished(() => other.drop());
    await other.sql`create table invoice ()`;
    for (const command of [['migrate'], ['warehouse', 'add', '--id', '9', '--name', 'Nine']]) {
      expect(await inventory(command, other.url)).toMatchObject({
        code: 1,
        stderr:
          'error: the database holds tables of something else (invoice): give the service its own database\n',
      });
    }
    const there = await other.sql`select relname from pg_class where relnamespace = 'public'::regnamespace`;
    expect([...there]).toEqual([{ relname: 'invoice' }]);
  });
});

test('a given database is left alone by seed without --yes', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const seed = ['seed', '--items', '2', '--warehouses', '1', '--lots', '3'];
  expect(await inventory(seed, database.url)).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: seed adds made-up stock for good; --yes allows it in the database of DATABASE_URL\n',
  });
  expect([...(await database.sql`select from item`)]).toEqual([]);
  expect((await inventory([...seed, '--yes'], database.url)).code).toBe(0);
  expect((await database.sql`select from item`).length).toBe(2);
});

describe('a database of another version is refused before anything is written', () => {
  const known = knownVersion();
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
    await database.sql`insert into schema_version (version, name, checksum) values (${known + 1}, 'later', '')`;
    await database.sql`update schema_compatibility set oldest = ${known + 1}`;
  });
  afterAll(() => database.drop());

  const newer = `error: the database's schema is ${known + 1}, newer than ${known}, the last that this version knows: run the newer version\n`;

  test('a backup is taken all the same', async () => {
    const { code, stdout } = await runCommand(['backup', '-'], { DATABASE_URL: database.url });
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

test('tables of a later version that still serve this one are no reason to refuse a command', async () => {
  const known = knownVersion();
  const { url, sql, drop } = await createDatabase();
  onTestFinished(drop);
  await sql`insert into schema_version (version, name, checksum) values (${known + 1}, 'later', '')`;
  for (const command of [
    'migrate',
    'migrate --dry-run',
    'warehouse add --id 7 --name North',
    'client add --id c-1 --permissions list --warehouses 7',
    'seed --items 1 --warehouses 1 --lots 1 --yes',
    'audit',
    'key rotate',
  ]) {
    const ended = await inventory(command.split(' '), url);
    expect({ command, ...ended }).toMatchObject({ command, code: 0, stderr: '' });
    if (command.startsWith('migrate')) {
      expect(ended.stdout).toBe(
        `nothing to do: the tables are of version ${known + 1}, newer than ${known}, and still serve this version\n`,
      );
    }
  }
});
