import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MigrateOptions, migrate, migrationLockKey } from '@inventory/db/migrate/migrate';
import { connect, type Sql } from '@inventory/db/postgres/pool';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../harness/servers/database.ts';

/** A database with all tables and one additional migration. */
async function openOneBehind(script = '') {
  const from = await mkdtemp(join(tmpdir(), 'migrations-'));
  const write = (script: string) => writeFile(join(from, '9001_one-more.sql'), script);
  await write(script);
  const database = await createDatabase();
  const pools: Sql[] = [];
  onTestFinished(async () => {
    await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })));
    await database.drop();
    await rm(from, { recursive: true });
  });
  const open = (name: string) => {
    const pool = connect(database.url, { name, connectionsMax: 1 });
    pools.push(pool);
    return pool;
  };
  const run = (name: string, options: MigrateOptions = {}) =>
    migrate(open(name), () => {}, { from, ...options });
  const isApplied = async () => {
    const [row] = await database.sql`select from schema_version where version = 9001`;
    return row !== undefined;
  };
  const indexes = async () => [
    ...(await database.sql`
      select relname as name, indisvalid as valid
      from pg_index
      join pg_class on pg_class.oid = indexrelid
      where relname like 'one_more%'
      order by relname`),
  ];
  return { ...database, write, open, run, isApplied, indexes };
}

const addColumn = 'alter table warehouse add column one_more integer;\n';

const addIndexes = `-- Runs outside a transaction.
-- Two of them.
create index concurrently if not exists one_more_idx on warehouse (name);
create unique index concurrently if not exists one_more_key
  on warehouse (name, wid);
`;

test('readers of a table go on while a migration waits for it; the migration runs once the table is free', async () => {
  const { sql, open, run, isApplied } = await openOneBehind(addColumn);
  const holder = await open('holder').reserve();
  await holder`begin`;
  await holder`select from warehouse`;
  let tries = 0;
  const patience = { lockTimeoutMs: 300, vacuumTimeoutMs: 300, restMs: 100, giveUpAfterMs: 600_000 };
  const migrated = run('migrator', { onWait: () => tries++, patience });
  // Each of these would wait for the holder behind a migration that waits in the queue of locks.
  for (let seen = 1; seen <= 3; seen++) {
    await expect.poll(() => tries).toBeGreaterThanOrEqual(seen);
    await sql`insert into warehouse (wid, name) values (${seen}, 'W')`;
  }
  expect(await isApplied()).toBe(false);
  await holder`rollback`;
  await migrated;
  expect(await isApplied()).toBe(true);
  expect((await sql`select one_more from warehouse`).length).toBe(3);
  holder.release();
});

test('a migration that waits too long changes nothing and says so; run again, it succeeds', async () => {
  const { open, run, isApplied } = await openOneBehind(`create table one_more ();\n${addColumn}`);
  const holder = await open('holder').reserve();
  await holder`begin`;
  await holder`select from warehouse`;
  await expect(
    run('migrator', { patience: { lockTimeoutMs: 100, vacuumTimeoutMs: 100, restMs: 1, giveUpAfterMs: 0 } }),
  ).rejects.toThrow('a table was in use');
  expect(await isApplied()).toBe(false);
  await holder`rollback`;
  await run('next migrator');
  expect(await isApplied()).toBe(true);
  holder.release();
});

test('a migration that is broken off before it is noted changes nothing; run again, it succeeds', async () => {
  const { sql, run, isApplied } = await openOneBehind(addColumn);
  await sql`
    create function break_off() returns trigger language plpgsql as $$
    begin
      perform pg_terminate_backend(pg_backend_pid());
      return new;
    end
    $$`;
  await sql`create trigger break_off before insert on schema_version for each row execute function break_off()`;
  await expect(run('migrator')).rejects.toThrow();
  expect(await isApplied()).toBe(false);
  await expect(sql`select one_more from warehouse`).rejects.toThrow('does not exist');
  await sql`drop trigger break_off on schema_version`;
  await run('next migrator');
  expect(await isApplied()).toBe(true);
  expect(await sql`select one_more from warehouse`).toHaveLength(0);
});

test('a migration reports and waits for a running backup, unless there is nothing to do', async () => {
  const { open, run, isApplied } = await openOneBehind(addColumn);
  const backup = await open('backup').reserve();
  await backup`select pg_advisory_lock_shared(${migrationLockKey}::bigint)`;
  await migrate(open('up to date'), () => {}, { onHeld: () => expect.unreachable() });
  let held = 0;
  const migrated = run('migrator', { onHeld: () => held++ });
  await expect.poll(() => held).toBe(1);
  expect(await isApplied()).toBe(false);
  await backup`select pg_advisory_unlock_shared(${migrationLockKey}::bigint)`;
  await migrated;
  expect(await isApplied()).toBe(true);
  expect(held).toBe(1);
  backup.release();
});

test('indexes are built while rows are written, by two migrations at once, and again after the first was cut off', async () => {
  const { sql, open, run, isApplied, indexes } = await openOneBehind(addIndexes);
  const holder = await open('holder').reserve();
  await holder`begin`;
  await holder`insert into warehouse (wid, name) values (1, 'held')`;
  const cut = run('cut off').then(
    () => null,
    (error: Error) => error,
  );
  // It waits for the holder's transaction without blocking writes.
  await expect.poll(indexes).toEqual([{ name: 'one_more_idx', valid: false }]);
  await sql`insert into warehouse (wid, name) values (2, 'written')`;
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut off'`;
  expect(await cut).toBeInstanceOf(Error);
  expect(await indexes()).toEqual([{ name: 'one_more_idx', valid: false }]);
  await holder`commit`;
  holder.release();
  const both = await Promise.allSettled([run('first'), run('second')]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  expect(await isApplied()).toBe(true);
  expect(await indexes()).toEqual([
    { name: 'one_more_idx', valid: true },
    { name: 'one_more_key', valid: true },
  ]);
});

test('a file that runs outside a transaction may hold only statements that can run twice', async () => {
  const { write, run, isApplied } = await openOneBehind();
  for (const statement of [
    'create index one_more_idx on warehouse (name);',
    'create index concurrently one_more_idx on warehouse (name);',
    'alter table warehouse add column one_more integer;',
    "update warehouse set name = 'x';",
  ]) {
    await write(`-- Runs outside a transaction.\n${statement}\n`);
    await expect(run('migrator')).rejects.toThrow('a migration outside a transaction must not run');
    expect(await isApplied()).toBe(false);
  }
});
