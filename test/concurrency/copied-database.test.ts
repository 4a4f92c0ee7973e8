import { startServer } from '@inventory/api/server';
import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient } from '@inventory/db/access/clients';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import { createLog } from '@inventory/process/log/log';
import type { Running } from '@inventory/process/run';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { type ApiClient, askToken, createApiClient } from '../harness/service/api-client.ts';
import { allPermissions, uniqueName } from '../harness/service/service.ts';

// Two databases with the same identity and the same keys, as a copy and its original, with a service each, on
// one Redis under one prefix.
type Site = { database: TestDatabase; client: ApiClient; workerPort: number };
const sites: Site[] = [];
const running: Running[] = [];
const itemCount = 20;
const itemName = (index: number) => `COPIED-${index}`;

beforeAll(async () => {
  process.env.LOG_LEVEL ??= 'fatal';
  const original = await createDatabase();
  const { sql } = original;
  await addWarehouse(sql, { wid: 1, name: 'Main' });
  const secret = createSecret();
  const account = { clientId: 'copied', permissions: allPermissions, wids: [1], readOnly: false };
  await addClient(sql, { ...account, rateLimit: null, secretDigest: digestSecret(secret) });
  for (let index = 0; index < itemCount; index++)
    await sql`insert into item (short_id, created_by) values (${itemName(index)}, 'tests')`;
  const [{ name }] = await sql<[{ name: string }]>`select current_database() as name`;
  await sql.end({ timeout: 10 });
  const prefix = uniqueName('copied');
  for (let count = 0; count < 2; count++) {
    const database = await createDatabase(name);
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: inject('redisUrl'),
      QUEUE_PREFIX: prefix,
      PORT: '0',
      INTERNAL_PORT: '0',
    };
    const api = await startServer(asPart('api', env), createLog('api'));
    const worker = await startWorker(asPart('worker', env), createLog('worker'));
    running.push(api, worker);
    const baseUrl = `http://127.0.0.1:${api.port}/api/v1`;
    const { body } = await askToken(baseUrl, { clientId: 'copied', secret });
    const client = createApiClient(baseUrl, 'copied', body.access_token, { isPatient: false });
    sites.push({ database, client, workerPort: worker.internalPort! });
  }
});
afterAll(async () => {
  for (const each of running) await each.stop();
  for (const { database } of sites) await database.drop();
});

test('503 or 201, and never a line in the other database, when a copy of the database works on the same Redis', async () => {
  const write = async (index: number) => {
    const site = index % 2;
    const body = { itemID: itemName(index % itemCount), units: 1, wid: 1, reasonCode: 0 };
    const { status } = await sites[site]!.client.post('/Inventory/Receive', {
      ...body,
      reference: `${site}`,
    });
    return { site, status };
  };
  const answers: Awaited<ReturnType<typeof write>>[] = [];
  const send = async (index: number) => {
    answers.push(await write(index));
    return answers.at(-1)!.status;
  };
  // Until both services are up, and each has a queue.
  for (const site of [0, 1]) {
    let index = site;
    const sendNext = () => {
      index += 2;
      return send(index);
    };
    await expect.poll(sendNext).toBe(201);
  }
  await Promise.all(Array.from({ length: 80 }, (_, index) => send(index)));
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([]);
  for (const [site, { database }] of sites.entries()) {
    const found = await database.sql<{ reference: string; count: number }[]>`
      select reference, count(*)::integer as count from lot group by reference`;
    const acknowledged = answers.filter((each) => each.site === site && each.status === 201).length;
    expect([...found]).toEqual(acknowledged === 0 ? [] : [{ reference: `${site}`, count: acknowledged }]);
  }
  // The workers that refused say so.
  const refused = await Promise.all(
    sites.map(async ({ workerPort }) => {
      const text = await (await fetch(`http://127.0.0.1:${workerPort}/metrics`)).text();
      return Number(/^inventory_worker_refused_envelopes (\S+)$/m.exec(text)?.[1]);
    }),
  );
  expect(Math.max(...refused)).toBeGreaterThan(0);
});
