import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findImbalances } from '@inventory/db/audit/audit';
import { type MigrateOptions, migrate, migrationLockKey } from '@inventory/db/migrate/migrate';
import { readSteps } from '@inventory/db/migrate/schema-steps';
import { type TryOptions, tryMigrations } from '@inventory/db/migrate/try-migrations';
import { seed } from '@inventory/db/operator/seed';
import { connect, type Sql } from '@inventory/postgres/pool';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../harness/servers/database.ts';

/** A database with all tables and one additional migration. */
async function openOneBehind(script = '') {
  const from = await mkdtemp(join(tmpdir(), 'migrations-'));
  const write = (script: string, name = '9001_one-more.sql') => writeFile(join(from, name), script);
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
  const attempt = (options: Partial<TryOptions> = {}) =>
    tryMigrations(open('trial'), { holdMs: 60_000, from, ...options });
  return { ...database, from, write, open, run, isApplied, indexes, attempt };
}

type Opened = Awaited<ReturnType<typeof openOneBehind>>;

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

test.each([
  ['lot_origin.sql', 'lot_origin.sql has no such name'],
  ['2_lot-origin.sql', '2_lot-origin.sql has no such name'],
  ['9002_LotOrigin.SQL', '9002_LotOrigin.SQL has no such name'],
  ['0001_lot-origin.sql', '0001_lot-origin.sql has the number of schema'],
  ['9001_two-more.sql', '9001_two-more.sql has the number of 9001_one-more.sql'],
])('a migration named %s is refused by its name before anything is asked of Postgres', async (name, said) => {
  const { from, write, run, isApplied } = await openOneBehind();
  await write('create table two_more ();', name);
  expect(() => readSteps(from)).toThrow(`${said}: a migration is named NNNN_subject.sql`);
  await expect(run('migrator')).rejects.toThrow(said);
  expect(await isApplied()).toBe(false);
});

test('a migration whose comments were mended after it was applied has nothing to do', async () => {
  const { sql, write, run } = await openOneBehind(addColumn);
  await run('first');
  await write(`-- One more column.\n\n${addColumn}`);
  await run('second');
  expect(await sql`select one_more from warehouse`).toEqual([]);
});

test.each([
  [
    'edited',
    async ({ write }: Opened) => write('create table other ();'),
    '9001_one-more.sql was edited after',
  ],
  [
    'renamed',
    async ({ from }: Opened) => rename(join(from, '9001_one-more.sql'), join(from, '9002_one-more.sql')),
    null,
  ],
  [
    'replaced',
    async ({ from, write }: Opened) => {
      await write('create table other ();', '9001_other.sql');
      await rm(join(from, '9001_one-more.sql'));
    },
    '9001_other.sql has the number of 9001_one-more.sql, which was applied',
  ],
  [
    'preceded by another one',
    async ({ write }: Opened) => write('create table other ();', '9000_other.sql'),
    '9000_other.sql was not applied to this database, although 9001_one-more.sql was, which comes later',
  ],
])(
  'a migration that was %s after it was applied is named, and nobody is told to empty the database',
  async (_, change, said) => {
    const opened = await openOneBehind('create table one_more ();');
    await opened.run('first');
    await change(opened);
    const error = await opened.run('second').then(
      () => expect.unreachable(),
      ({ message }: Error) => message,
    );
    // Under its new number it is a new step, which finds its table there.
    expect(error).toContain(said ?? '9002_one-more.sql failed: relation "one_more" already exists');
    expect(error).not.toMatch(/empty|reset/);
  },
);

test.each([
  [
    'alter table warehouse\n  add colum one_more integer;\n',
    /^9001_one-more.sql failed in line 2: syntax error at or near "integer" \(42601\); nothing was changed$/,
  ],
  [
    'select 1;\nupdate nothing set a = 1;\n',
    /^9001_one-more.sql failed in line 2: relation "nothing" does not exist \(42P01\); nothing was changed$/,
  ],
  [
    "alter table warehouse add constraint short check (name <> 'A secret');\n",
    /^9001_one-more.sql failed: check_violation; rows of warehouse break short \(23514\); nothing was changed$/,
  ],
  [
    '-- Runs outside a transaction.\ncreate unique index concurrently if not exists one_more_idx on warehouse (name);\n',
    /^9001_one-more.sql failed: unique_violation; rows of warehouse break one_more_idx \(23505\); what it has built stays, and it begins again the next time$/,
  ],
  [
    '-- Runs outside a transaction.\ndrop table warehouse;\n',
    /^9001_one-more.sql: a migration outside a transaction must not run: drop table warehouse$/,
  ],
])('a step that fails is named, with its line and its reason in words: %j', async (script, said) => {
  const { sql, run } = await openOneBehind(script);
  await sql`insert into warehouse (wid, name) values (1, 'A secret'), (2, 'A secret')`;
  await expect(run('migrator')).rejects.toThrow(said);
});

test('a trial runs every step in turn, tells what each holds, and takes it back; a wrong one is named', async () => {
  const { sql, write, attempt, isApplied } = await openOneBehind(addColumn);
  await write(addIndexes, '9002_indexes.sql');
  await write(
    'create table one_more (wid integer references warehouse);\nupdate warehouse set one_more = 1;\n',
    '9003_more.sql',
  );
  const good = await attempt();
  expect(good!.tried).toMatchObject([
    {
      name: '9001_one-more.sql',
      outcome: 'works',
      held: [{ table: 'warehouse', waiting: 'reads and writes' }],
    },
    { name: '9002_indexes.sql', outcome: 'outside', held: [] },
    { name: '9003_more.sql', outcome: 'works', held: [] },
  ]);
  expect(good).toMatchObject({ left: [], serves: true });
  await write('update schema_compatibility set oldest = 9004;\n', '9004_takes.sql');
  expect(await attempt()).toMatchObject({ serves: false });
  await write('alter table warehouse drop column nothing;\n', '9004_takes.sql');
  await write('select 1;\n', '9005_last.sql');
  expect(await attempt()).toMatchObject({
    tried: [
      {},
      {},
      {},
      { outcome: 'wrong', error: { message: expect.stringContaining('column "nothing"') } },
    ],
    left: ['9005_last.sql'],
    serves: null,
  });
  expect(await isApplied()).toBe(false);
  expect(await sql`select to_regclass('one_more') as there`).toEqual([{ there: null }]);
});

test('a trial stops while others wait for it, tells of a table in use, and leaves a backup alone', async () => {
  const { open, write, attempt } = await openOneBehind(`${addColumn}select pg_sleep(600);\n`);
  expect(await attempt({ holdMs: 500 })).toMatchObject({ tried: [{ outcome: 'long' }] });
  // Many statements, each short.
  await write(`${addColumn}${'select pg_sleep(0.3);\n'.repeat(2000)}`);
  expect(await attempt({ holdMs: 500 })).toMatchObject({ tried: [{ outcome: 'long' }] });
  await write(addColumn);
  const holder = await open('holder').reserve();
  await holder`begin`;
  await holder`select from warehouse`;
  expect(await attempt()).toMatchObject({ tried: [{ outcome: 'busy' }] });
  await holder`rollback`;
  await holder`select pg_advisory_lock_shared(${migrationLockKey}::bigint)`;
  expect(await attempt()).toBe(null);
  await holder`select pg_advisory_unlock_shared(${migrationLockKey}::bigint)`;
  expect(await attempt()).toMatchObject({ tried: [{ outcome: 'works' }] });
  holder.release();
});

// Each waits in a statement: a migration in its own, the others for a table.
const longWork: [name: string, table: string, work: (opened: Opened, sql: Sql) => Promise<unknown>][] = [
  ['a migration', 'webhook', ({ from }, sql) => migrate(sql, () => {}, { from })],
  ['a trial of one', 'webhook', ({ from }, sql) => tryMigrations(sql, { from, holdMs: 600_000 })],
  ['an audit', 'stock_entry', (_, sql) => findImbalances(sql)],
  [
    'seeding',
    'warehouse',
    (_, sql) => seed(sql, { items: 1, warehouses: 1, lots: 1, transactions: 1 }, () => {}),
  ],
];
test.each(longWork)('%s ends in Postgres, too, when its process has ended', async (_, table, work) => {
  const opened = await openOneBehind(`${addColumn}select pg_sleep(600);\n`);
  const { sql, open } = opened;
  const holder = await open('holder').reserve();
  await holder`begin`;
  await holder.unsafe(`lock table ${table} in access exclusive mode`);
  const command = open('command');
  // The driver gives no answer to what was sent on a connection that is ended.
  work(opened, command).catch(() => {});
  const count = async () => {
    const rows = await sql`
      select pid
      from pg_stat_activity
      where application_name = 'command' and datname = current_database() and wait_event in ('PgSleep', 'relation')`;
    return rows.length;
  };
  await expect.poll(count).toBe(1);
  await command.end({ timeout: 0 });
  await expect.poll(count).toBe(0);
  await holder`rollback`;
  holder.release();
});
