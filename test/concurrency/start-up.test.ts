import { startServer } from '@inventory/api/server';
import { migrate } from '@inventory/db/migrate/migrate';
import { knownVersion } from '@inventory/db/migrate/schema-steps';
import { connect } from '@inventory/postgres/pool';
import { createLog } from '@inventory/process/log/log';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';

const refusal = (name: string) =>
  `the database runs with ${name} = off: an answered transaction could be lost in a crash`;

/** The message of each process of the service when it starts on this database; null if it starts. */
async function startEach(databaseUrl: string): Promise<(string | null)[]> {
  process.env.LOG_LEVEL ??= 'fatal';
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: inject('redisUrl'),
    PORT: '0',
    QUEUE_PREFIX: 'start-up',
  };
  const said = [];
  for (const { part, start } of [
    { part: 'api' as const, start: startServer },
    { part: 'worker' as const, start: startWorker },
  ]) {
    said.push(
      await start(asPart(part, env), createLog('start-up')).then(
        (running) => running.stop().then(() => null),
        (error: Error) => error.message,
      ),
    );
  }
  return said;
}

describe('a database that could lose answered writes', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  test('synchronous_commit = off is refused by api and worker', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await database.sql.unsafe(`alter database ${name} set synchronous_commit = off`);
    expect(await startEach(database.url)).toEqual(Array(2).fill(refusal('synchronous_commit')));
    await database.sql.unsafe(`alter database ${name} reset synchronous_commit`);
  });

  test.each(['fsync', 'full_page_writes'])('%s = off is refused by api and worker', async (setting) => {
    // It holds for the whole server, which others use, so only this database shows it as off.
    const catalog = connect(database.url, { name: 'tests', connectionsMax: 1 });
    await catalog.unsafe(`
      set allow_system_table_mods = on;
      alter view pg_catalog.pg_settings rename to real_settings;
      create view pg_catalog.pg_settings as
      select name, case when name = '${setting}' then 'off' else setting end as setting from pg_catalog.real_settings;
      grant select on pg_catalog.pg_settings to public`);
    expect(await startEach(database.url)).toEqual(Array(2).fill(refusal(setting)));
    await catalog.unsafe(`
      drop view pg_catalog.pg_settings;
      alter view pg_catalog.real_settings rename to pg_settings`);
    await catalog.end();
  });
});

describe('a database whose schema is of another version', () => {
  const known = knownVersion();
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  /** As if a migration had come that still suits this version, `oldest`, and later ones. */
  async function makeNewer(oldest: number) {
    await database.sql`delete from schema_version where version = ${known + 1}`;
    await database.sql`insert into schema_version (version, name, checksum) values (${known + 1}, 'later', '')`;
    await database.sql`update schema_compatibility set oldest = ${oldest}`;
  }

  test('an older one is refused by api and worker, which say that it must be migrated', async () => {
    const [last] = await database.sql`delete from schema_version where version = ${known} returning *`;
    onTestFinished(() => database.sql`insert into schema_version ${database.sql(last!)}`.then(() => {}));
    await database.sql`
      insert into schema_version (version, name, checksum) values (${known - 1}, 'before', '')
      on conflict (version) do nothing`;
    expect(await startEach(database.url)).toEqual(
      Array(2).fill(
        `the database's schema is ${known - 1}, this version needs ${known}: run \`./inventory migrate\` first`,
      ),
    );
  });

  test('a newer one that says it is still good for this version is accepted by api and worker', async () => {
    await makeNewer(known);
    expect(await startEach(database.url)).toEqual([null, null]);
  });

  test('a newer one is refused by api and worker, which say that it needs a newer version', async () => {
    await makeNewer(known + 1);
    expect(await startEach(database.url)).toEqual(
      Array(2).fill(
        `the database's schema is ${known + 1}, newer than ${known}, the last that this version knows: run the newer version`,
      ),
    );
  });
});

describe('a database made by other files', () => {
  test.each([
    ['with a schema edited since', "update schema_version set checksum = 'another'"],
    [
      'in the migrations from before there was a schema',
      `drop table schema_version;
      create table schema_version (version bigint primary key, name text, md5 text, run_at timestamptz);
      insert into schema_version (version, name, md5) values (0, null, null), (1, 'catalog-and-clients', 'c'), (37, 'lists', 'd');
      grant select on schema_version to inventory_api, inventory_worker`,
    ],
  ])('%s, is refused by api, worker and migrate, which say what to do', async (_title, before) => {
    const { url, sql, drop } = await createDatabase();
    onTestFinished(drop);
    await sql.unsafe(before);
    const refused =
      "the database's tables were made from other files than this version's (schema): if a file in packages/db/schema was edited, undo that; " +
      'if a version before 0.1.0 made them, run that version. There is no way from those tables to these; ' +
      'only if you need nothing in them, start again with an empty database (`./inventory reset` empties the one of `start`)';
    expect(await startEach(url)).toEqual([refused, refused]);
    await expect(migrate(sql)).rejects.toThrow(refused);
  });
});
