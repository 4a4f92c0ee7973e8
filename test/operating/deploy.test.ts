import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/access/clients';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import { migrate } from '@inventory/db/migrate/migrate';
import type { Sql } from '@inventory/db/postgres/pool';
import { expect, inject, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { createFolder } from '../harness/folders.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { createDatabase } from '../harness/servers/database.ts';
import { takeToken } from '../harness/service/api-client.ts';
import { expectInvariants } from '../harness/service/invariants.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { allPermissions } from '../harness/service/service.ts';

const root = join(import.meta.dirname, '../..');
const callers = 6;
const itemIDs = ['A', 'B', 'C'];
// Each step of the deploy waits until this many transactions are applied.
const appliedInStep = 40;

type Told = { reference: string; status: number; transactionNo: number | null };

/** The folder of one migration that only adds, and that no process knows; removed with the test. */
async function writeLaterMigration(): Promise<string> {
  const folder = createFolder();
  await writeFile(
    join(folder, '9001_one-more.sql'),
    'alter table lot add column one_more integer;\nalter table stock_transaction add column one_more text;\n',
  );
  return folder;
}

/** Adds a warehouse and a client. Returns the client's credentials. */
async function prepare(sql: Sql) {
  const credentials = { clientId: 'caller', secret: createSecret() };
  const rights = { permissions: allPermissions, wids: [1], readOnly: false, rateLimit: 1_000_000 };
  await addWarehouse(sql, { wid: 1, name: 'Main' });
  await addClient(sql, { clientId: 'caller', ...rights, secretDigest: digestSecret(credentials.secret) });
  return credentials;
}

test('api and worker go on, and others start beside them, on tables that a later version has extended', async () => {
  const { url: databaseUrl, sql, drop } = await createDatabase();
  const name = new URL(databaseUrl).pathname.slice(1);
  const running: Started[] = [];
  let isOver = false;
  onTestFinished(async () => {
    isOver = true;
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ exited }) => exited));
    await drop();
  });

  const credentials = await prepare(sql);
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: name,
    QUEUE_SHARDS: '2',
    PORT: '0',
    CONNECTIONS_PER_ADDRESS_MAX: '0',
  };
  const start = async (part: 'api' | 'worker') => {
    const started = await startProcess(join(root, `apps/${part}/src/main.ts`), asPart(part, env), {
      quiet: true,
    });
    running.push(started);
    return started;
  };
  const stop = async (started: Started) => {
    started.child.kill('SIGTERM');
    expect(await started.exited).toMatchObject({ code: 0 });
  };
  const [worker, api] = await Promise.all([start('worker'), start('api')]);
  const earlier = { worker, api };
  const originOf = ({ port }: Started) => `http://127.0.0.1:${port}/api/v1`;
  let origins = [originOf(earlier.api)];
  const token = await takeToken(origins[0]!, credentials);
  const send = async (path: string, body: object, origin: string) => {
    const answer = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as { transactionNo?: number } };
  };
  for (const shortID of itemIDs) {
    expect((await send('/Item', { shortID }, origins[0]!)).status).toBe(201);
    const stock = { itemID: shortID, units: 100_000, wid: 1, reasonCode: 1, spot: 'S', reference: shortID };
    expect((await send('/Inventory/Receive', stock, origins[0]!)).status).toBe(201);
  }

  const told: Told[] = [];
  const underWay = new Map<string, number>();
  const call = async (caller: number) => {
    for (let turn = 0; !isOver; turn++) {
      const reference = `${caller}-${turn}`;
      const place = { itemID: itemIDs[(caller + turn) % itemIDs.length], units: 1, wid: 1, reference };
      const [path, body] = [
        ['/Inventory/Receive', { ...place, reasonCode: 1, spot: 'S' }] as const,
        ['/Inventory/Issue', { ...place, reasonCode: 2 }] as const,
        ['/Inventory/Move', { ...place, toSpot: `T-${turn % 5}` }] as const,
      ][turn % 3]!;
      const origin = origins[turn % origins.length]!;
      underWay.set(origin, (underWay.get(origin) ?? 0) + 1);
      const answer = await send(path, body, origin);
      underWay.set(origin, underWay.get(origin)! - 1);
      told.push({ reference, status: answer.status, transactionNo: answer.body.transactionNo ?? null });
    }
  };
  const calls = meanwhile(Promise.all(Array.from({ length: callers }, (_, caller) => call(caller))));
  const appliedCount = () => told.filter(({ status }) => status < 300).length;
  const pass = async () => {
    const wanted = appliedCount() + appliedInStep;
    await Promise.race([
      expect.poll(appliedCount, { timeout: 60_000 }).toBeGreaterThanOrEqual(wanted),
      // A caller that fails says why.
      calls.then(() => Promise.reject(new Error('the callers ended'))),
    ]);
  };
  /** From now on callers use only these, and none still waits for another. */
  const ask = async (...apis: Started[]) => {
    const before = origins;
    origins = apis.map(originOf);
    const left = before.filter((origin) => !origins.includes(origin));
    await expect
      .poll(() => left.reduce((sum, origin) => sum + (underWay.get(origin) ?? 0), 0), { timeout: 60_000 })
      .toBe(0);
  };

  await pass();
  const migrated: string[] = [];
  await migrate(sql, (file) => migrated.push(file), { from: await writeLaterMigration() });
  expect(migrated).toEqual(['9001_one-more.sql']);
  await pass();
  // The new api alone with the old worker, and then the other way round.
  const laterApi = await start('api');
  await ask(laterApi);
  await pass();
  const laterWorker = await start('worker');
  await ask(earlier.api, laterApi);
  await pass();
  await stop(earlier.worker);
  await ask(earlier.api);
  await pass();
  await ask(laterApi);
  await stop(earlier.api);
  await pass();
  isOver = true;
  await calls;
  await stop(laterApi);
  await stop(laterWorker);

  const rows = await sql<{ reference: string; transaction_no: number }[]>`
      select body->>'reference' as reference, transaction_no
      from stock_transaction
      where status = 'applied'`;
  const stored = new Map<string, number[]>();
  for (const { reference, transaction_no: no } of rows)
    stored.set(reference, [...(stored.get(reference) ?? []), no]);
  // Each answer agrees with the ledger: applied once, or not there if it was not applied.
  const wrong = told.filter(({ reference, status, transactionNo }) => {
    const there = stored.get(reference) ?? [];
    return status < 300 ? there.length !== 1 || there[0] !== transactionNo : there.length !== 0;
  });
  expect(wrong).toEqual([]);
  expect(told.filter(({ status }) => status >= 300 && status !== 503)).toEqual([]);
  await expectInvariants(sql);
});
