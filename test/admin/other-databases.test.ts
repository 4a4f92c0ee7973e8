import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { knownVersion } from '@inventory/db/migrate/schema-steps';
import { connect, type Sql } from '@inventory/db/postgres/pool';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { databaseOf } from '../harness/global-setup.ts';
import { createDatabase } from '../harness/servers/database.ts';
import { runCommand } from '../harness/service/command-line.ts';
import { uniqueName } from '../harness/service/service.ts';

const root = join(import.meta.dirname, '../..');
const server = connect(inject('databaseUrl'), { name: 'tests', connectionsMax: 1 });
afterAll(() => server.end());

/** An empty database. */
async function createEmpty(): Promise<{ url: string; sql: Sql; name: string }> {
  const name = `inventory_empty_${randomBytes(6).toString('hex')}`;
  await server.unsafe(`create database ${name}`);
  const url = databaseOf(inject('databaseUrl'), name);
  const sql = connect(url, { name: 'tests', connectionsMax: 1 });
  onTestFinished(async () => {
    await sql.end({ timeout: 5 });
    await server.unsafe(`drop database ${name} with (force)`);
  });
  return { url, sql, name };
}

/** The names of everything in a database: any write there adds one. */
async function contents(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace
    union all
    select proname from pg_proc where pronamespace = 'public'::regnamespace
    order by 1`;
  return rows.map(({ name }) => name);
}

describe('before any write', () => {
  test('start refuses a database that could lose answered writes', async () => {
    const { url, sql, name } = await createEmpty();
    await server.unsafe(`alter database ${name} set synchronous_commit = off`);
    const refused = await runCommand(['start'], {
      DATABASE_URL: url,
      REDIS_URL: inject('redisUrl'),
      PORT: '0',
    });
    expect(refused).toMatchObject({
      code: 1,
      stderr:
        'error: the database runs with synchronous_commit = off: an answered transaction could be lost in a crash\n',
    });
    expect(await contents(sql)).toEqual([]);
  });

  test('start refuses settings that the api or the worker would refuse', async () => {
    const { url, sql } = await createEmpty();
    const refused = await runCommand(['start', '--yes'], {
      DATABASE_URL: url,
      REDIS_URL: inject('redisUrl'),
      PORT: '0',
      LOG_LEVEL: 'loud',
      RATE_LIMIT: 'abc',
      BATCH_MAX: '0',
    });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    for (const wrong of [
      'LOG_LEVEL must be one of fatal, error',
      'RATE_LIMIT must be a whole number',
      'BATCH_MAX must be at least 1',
    ])
      expect(refused.stderr).toContain(wrong);
    expect(refused.stderr.trim().split('\n')).toHaveLength(1);
    expect(await contents(sql)).toEqual([]);
  });

  test('migrate and every other command refuse a database with the tables of another program', async () => {
    const { url, sql } = await createEmpty();
    await sql`create table invoice ()`;
    for (const command of [['migrate'], ['warehouse', 'add', '--id', '9', '--name', 'Nine']]) {
      const { code, stderr } = await runCommand(command, { DATABASE_URL: url });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr:
          'error: the database holds tables of something else (invoice): give the service its own database\n',
      });
    }
    expect(await contents(sql)).toEqual(['invoice']);
  });

  test('migrate and every other command refuse a database of a newer version', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const known = knownVersion();
    await database.sql`insert into schema_version (version, name, checksum) values (${known + 1}, 'later', '')`;
    for (const command of [
      ['migrate'],
      ['warehouse', 'add', '--id', '9', '--name', 'Nine'],
      ['seed', '--items', '1', '--warehouses', '1', '--lots', '1', '--yes'],
    ]) {
      expect(await runCommand(command, { DATABASE_URL: database.url })).toMatchObject({
        code: 1,
        stderr: `error: the database's schema is ${known + 1}, newer than ${known}, the last that this version knows: run the newer version\n`,
      });
    }
    expect([...(await database.sql`select from warehouse`)]).toEqual([]);
  });
});

describe('a given database', () => {
  test('is left alone by seed without --yes', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const seed = ['seed', '--items', '2', '--warehouses', '1', '--lots', '3'];
    expect(await runCommand(seed, { DATABASE_URL: database.url })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: seed adds made-up stock for good; --yes allows it in the database of DATABASE_URL\n',
    });
    expect([...(await database.sql`select from item`)]).toEqual([]);
    expect((await runCommand([...seed, '--yes'], { DATABASE_URL: database.url })).code).toBe(0);
    expect((await database.sql`select from item`).length).toBe(2);
  });

  test('gets no demo data from start without --yes, nor with --yes and --no-demo', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const counts = async () =>
      (
        await database.sql`
          select (select count(*) from client)::integer as clients, (select count(*) from item)::integer as items`
      )[0];
    expect(await startAndStop(database.url, [])).toMatch(/no demo data and no demo client/);
    expect(await counts()).toEqual({ clients: 0, items: 0 });
    expect(await startAndStop(database.url, ['--yes', '--no-demo'])).not.toMatch(/client_secret/);
    expect(await counts()).toEqual({ clients: 0, items: 0 });
    expect(await startAndStop(database.url, ['--yes'])).toMatch(/client_secret/);
    expect(await counts()).toEqual({ clients: 2, items: 7 });
  });
});

/** Runs `start` on a database until it is up; returns its output. */
async function startAndStop(databaseUrl: string, args: string[]): Promise<string> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(root, 'apps/admin/src/main.ts'), 'start', ...args],
    {
      cwd: root,
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl,
        REDIS_URL: inject('redisUrl'),
        QUEUE_PREFIX: uniqueName('start'),
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve) => {
    const listen = (stream: ChildProcess['stdout']) =>
      stream!.on('data', (chunk: Buffer) => {
        said += chunk;
        if (said.includes('Stop it with Ctrl-C')) resolve();
      });
    listen(child.stdout);
    listen(child.stderr);
    void ended.then(resolve);
  });
  child.kill('SIGTERM');
  await ended;
  expect(said).toContain('The inventory service is up.');
  return said;
}
