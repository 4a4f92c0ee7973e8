import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/access/clients';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import { knownVersion } from '@inventory/db/migrate/schema-steps';
import type { Sql } from '@inventory/postgres/pool';
import { expect, inject, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { copyRepository } from '../harness/copy-repository.ts';
import { makeLaterVersion } from '../harness/later-version.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { createDatabase } from '../harness/servers/database.ts';
import { takeToken } from '../harness/service/api-client.ts';
import { runCommand, runHere } from '../harness/service/command-line.ts';
import { examine } from '../harness/service/doctor.ts';
import { expectInvariants } from '../harness/service/invariants.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { allPermissions, uniqueName } from '../harness/service/service.ts';

const root = join(import.meta.dirname, '../..');
const callers = 6;
const itemIDs = ['A', 'B', 'C'];
// Each step of the deploy waits until this many transactions are applied.
const appliedInStep = 40;

type Told = { reference: string; status: number; transactionNo: number | null };

/** Adds a warehouse and a client. Returns the client's credentials. */
async function prepare(sql: Sql) {
  const credentials = { clientId: 'caller', secret: createSecret() };
  const rights = { permissions: allPermissions, wids: [1], readOnly: false, rateLimit: 1_000_000 };
  await addWarehouse(sql, { wid: 1, name: 'Main' });
  await addClient(sql, { clientId: 'caller', ...rights, secretDigest: digestSecret(credentials.secret) });
  return credentials;
}

test('api and worker go on beside those of a later version and its tables, and the service goes back to theirs', async () => {
  const later = makeLaterVersion();
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
  const start = async (part: 'api' | 'worker', version = join(root, `apps/${part}/src/main.ts`)) => {
    const started = await startProcess(version, asPart(part, env), { quiet: true });
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
      expect.poll(appliedCount).toBeGreaterThanOrEqual(wanted),
      // A caller that fails says why.
      calls.then(() => Promise.reject(new Error('the callers ended'))),
    ]);
  };
  /** From now on callers use only these, and none still waits for another. */
  const ask = async (...apis: Started[]) => {
    const before = origins;
    origins = apis.map(originOf);
    const left = before.filter((origin) => !origins.includes(origin));
    await expect.poll(() => left.reduce((sum, origin) => sum + (underWay.get(origin) ?? 0), 0)).toBe(0);
  };

  await pass();
  const program = join(later, 'apps/admin/src/main.js');
  const { stdout: migrated, ...ended } = await runCommand(['migrate'], env, { program });
  expect(ended).toEqual({ code: 0, stderr: '' });
  // A busy machine may be slow for long enough to be told.
  expect(migrated.replaceAll(/^.* waits for .*\n/gm, '')).toBe(
    'migrated 9001_one-more.sql\nmigrated 9002_another.sql\n',
  );
  await pass();
  // The new api alone with the old worker, and then the other way round.
  const laterApi = await start('api', join(later, 'apps/api/src/main.js'));
  await ask(laterApi);
  await pass();
  const laterWorker = await start('worker', join(later, 'apps/worker/src/main.js'));
  await ask(earlier.api, laterApi);
  await pass();
  await stop(earlier.worker);
  await ask(earlier.api);
  await pass();
  await ask(laterApi);
  await stop(earlier.api);
  await pass();

  // Back, in the order of the compose file: `migrate`, then api and worker. And the commands of that version.
  const known = knownVersion();
  expect(await runCommand(['migrate'], env)).toEqual({
    code: 0,
    stdout: `nothing to do: the tables are of version 9002, newer than ${known}, and still serve this version\n`,
    stderr: '',
  });
  const again = { worker: await start('worker'), api: await start('api') };
  await ask(again.api);
  await pass();
  await stop(laterApi);
  await stop(laterWorker);
  await pass();
  const operator = asPart('operator', { ...env, REDIS_URL: inject('redisUrl') });
  const { checks, failed } = await examine(operator);
  expect({ failed, schema: checks.schema }).toMatchObject({
    failed: [],
    schema: { state: 'ok', found: `version 9002, newer than ${known}, which it still serves` },
  });
  const added = await runHere(['warehouse', 'add', '--id', '2', '--name', 'Added later'], operator);
  expect(added).toMatchObject({ code: 0, stderr: '' });
  isOver = true;
  await calls;
  await stop(again.api);
  await stop(again.worker);

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

/** A later version: a copy of the code in which a receipt has one more optional field. */
async function copyWithField(): Promise<string> {
  const copy = await copyRepository(join(root, '.local', uniqueName('later')));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  const edit = async (file: string, before: string, after: string) => {
    const text = await readFile(join(copy, file), 'utf8');
    expect(text.split(before), file).toHaveLength(2);
    await writeFile(join(copy, file), text.replace(before, after));
  };
  await edit(
    'packages/domain/src/kinds/receive.ts',
    '    ...others,\n    jobid,',
    '    ...others,\n    jobid,\n    colour: z.string().max(9).optional(),',
  );
  await edit(
    'packages/domain/src/kinds/receive.ts',
    'wid: 1, reasonCode: 1 },',
    'wid: 1, reasonCode: 1, colour: 2 },',
  );
  return copy;
}

test('a field that a later api sends waits for a worker that knows it; all else is done by any', async () => {
  const { url: databaseUrl, sql, drop } = await createDatabase();
  const running: Started[] = [];
  onTestFinished(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ exited }) => exited));
    await drop();
  });
  const credentials = await prepare(sql);
  await sql`insert into item (short_id, created_by) values ('A', 'tests')`;
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: uniqueName('field'),
    PORT: '0',
  };
  const start = async (folder: string, part: 'api' | 'worker') => {
    running.push(
      await startProcess(join(folder, `apps/${part}/src/main.ts`), asPart(part, env), { quiet: true }),
    );
    return running.at(-1)!;
  };
  const later = await copyWithField();
  const [api, worker] = await Promise.all([start(later, 'api'), start(root, 'worker')]);
  const origin = `http://127.0.0.1:${api.port}/api/v1`;
  const token = await takeToken(origin, credentials);
  const receive = async (more: object) => {
    const answer = await fetch(`${origin}/Inventory/Receive`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        prefer: 'handling=strict',
      },
      body: JSON.stringify({ itemID: 'A', units: 1, wid: 1, reasonCode: 1, ...more }),
    });
    return answer.status;
  };
  const colours = async () => {
    const rows = await sql<{ colour: string | null }[]>`
      select body->>'colour' as colour from stock_transaction where status = 'applied' order by transaction_no`;
    return rows.map(({ colour }) => colour);
  };
  // Busy machines answer 503 now and then.
  await expect.poll(() => receive({})).toBe(201);
  expect(await receive({ colour: 'red' })).toBe(503);
  expect(await colours()).not.toContain('red');
  await start(later, 'worker');
  // The shard of the item may be its own until it ends.
  await worker.stop();
  await expect.poll(() => receive({ colour: 'blue' })).toBe(201);
  expect((await colours()).filter((colour) => colour !== null)).toEqual(['blue']);
});
