import { startServer } from '@inventory/api/server';
import { migrate } from '@inventory/db/migrate/migrate';
import { settingsOf } from '@inventory/postgres/connection-settings';
import { connect } from '@inventory/postgres/pool';
import { createLog } from '@inventory/process/log/log';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { type PgBouncer, pgbouncerPath, startPgBouncer } from '../harness/servers/pgbouncer.ts';
import { untilAnswered } from '../harness/service/api-client.ts';
import { expectInvariants } from '../harness/service/invariants.ts';
import { prepareDatabase, receiveOnce, startOwnService } from '../harness/service/own-service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

const itemID = 'ITEM';
// The setting an operator adds after looking up "unsupported startup parameter".
const everything = Object.keys(settingsOf({ name: 'tests', byKeys: true, oneProcess: true })).join(',');

describe.skipIf(pgbouncerPath === null)('through PgBouncer (skipped where there is none)', () => {
  let database: TestDatabase;
  let strict: PgBouncer;
  let lenient: PgBouncer;

  beforeAll(async () => {
    database = await createDatabase();
    await prepareDatabase(database.sql, [itemID]);
    const { username, password } = new URL(database.url);
    const owner = { name: decodeURIComponent(username), password: decodeURIComponent(password) };
    const common = { url: database.url, logins: [...inject('logins'), owner], poolSize: 2 };
    strict = await startPgBouncer({ ...common, ignores: '' });
    lenient = await startPgBouncer({ ...common, ignores: everything });
  });
  afterAll(async () => {
    await strict?.stop();
    await lenient?.stop();
    await database?.drop();
  });

  const environment = (url: string) => ({ DATABASE_URL: url, REDIS_URL: inject('redisUrl'), PORT: '0' });
  const pooled = /DATABASE_URL leads through a pooler, where locks, settings and prepared statements/;

  test('PgBouncer as DATABASE_URL is refused at start by api, worker and migration, whatever it ignores', async () => {
    for (const bouncer of [strict, lenient]) {
      const url = bouncer.through(database.url);
      await expect(startServer(asPart('api', environment(url)), createLog('api'))).rejects.toThrow(pooled);
      await expect(startWorker(asPart('worker', environment(url)), createLog('worker'))).rejects.toThrow(
        pooled,
      );
      const sql = connect(url, { name: 'tests', connectionsMax: 1 });
      await expect(migrate(sql)).rejects.toThrow(pooled);
      await sql.end({ timeout: 1 });
    }
  });

  test('PgBouncer as DATABASE_READ_URL is refused at start while its role lacks the settings, which are named', async () => {
    const started = startServer(
      asPart('api', {
        ...environment(database.url),
        DATABASE_READ_URL: lenient.through(database.url),
      }),
      createLog('api'),
    );
    await expect(started).rejects.toThrow(
      /alter role test_\w+_api set jit = 'off'; .*alter role test_\w+_api set statement_timeout = '10s';/,
    );
  });

  test('lists through PgBouncer show every write answered before them, many at once over two connections', async () => {
    const api = inject('logins').find(({ part }) => part === 'api')!.name;
    const name = new URL(database.url).pathname.slice(1);
    // In this database alone: other tests use the same login.
    const settings = { statement_timeout: "'10s'", jit: 'off', max_parallel_workers_per_gather: '0' };
    for (const [setting, value] of Object.entries(settings)) {
      await database.sql.unsafe(`alter role ${api} in database ${name} set ${setting} = ${value}`);
    }
    // Ends the connections that began with other settings.
    await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and usename = ${api}`;
    for (const bouncer of [strict, lenient]) {
      const service = await startOwnService({
        apis: 2,
        workers: 1,
        env: { DATABASE_URL: database.url, DATABASE_READ_URL: bouncer.through(database.url) },
      });
      const readsByReplica = async () => {
        const metrics = await Promise.all(service.internalPorts.map(readMetrics));
        return metrics.map((each) => each.value('inventory_api_list_reads_total{by="replica"}') ?? 0);
      };
      const writeAndRead = async (turn: number) => {
        const [writer, reader] = [service.clients[turn % 2]!, service.clients[1 - (turn % 2)]!];
        const serial = `${bouncer === strict ? 'strict' : 'lenient'}-${turn}`;
        const receipt = await receiveOnce(writer, { itemID, wid: 1 + (turn % 2), serial });
        expect(receipt.status, receipt.text).toBe(201);
        const lists = [`/Inventory?serial=${serial}`, `/Inventory?serial=${serial}&sort=units`];
        for (const list of lists) {
          const { status, text, body } = await untilAnswered(() => reader.get(list));
          expect(status, text).toBe(200);
          expect(body.totalCount, text).toBe(1);
        }
      };
      let turn = 0;
      // The api does without connections that open slowly; with them open the pooler gets its share.
      await expect
        .poll(async () => {
          await Promise.all(Array.from({ length: 8 }, () => writeAndRead(turn++)));
          return Math.min(...(await readsByReplica()));
        })
        .toBeGreaterThan(8);
      await service.stop();
    }
    await expectInvariants(database.sql);
  });
});
