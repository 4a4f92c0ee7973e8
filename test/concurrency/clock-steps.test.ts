import { startServer } from '@inventory/api/server';
import { createLog } from '@inventory/process/log';
import type { Running } from '@inventory/process/run';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type ApiClient, createApiClient } from '../harness/api-client.ts';
import { asPart } from '../harness/as-part.ts';
import { uniqueName, useService } from '../harness/service.ts';

const service = useService({ workers: 0 });
const running: Running[] = [];
let client: ApiClient;

beforeAll(async () => {
  const { sql, databaseUrl } = service;
  // A clock that can be set: connections that come now find it before that of Postgres.
  await sql`create schema steps`;
  await sql`create table steps.ahead as select interval '0' as by`;
  await sql`
    create function steps.clock_timestamp() returns timestamptz language sql volatile as $$
      select pg_catalog.clock_timestamp() + by from steps.ahead
    $$`;
  await sql`grant usage on schema steps to public`;
  await sql`grant execute on function steps.clock_timestamp() to public`;
  await sql`grant select on steps.ahead to public`;
  const database = new URL(databaseUrl).pathname.slice(1);
  await sql.unsafe(`alter database "${database}" set search_path = steps, pg_catalog, public`);
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: uniqueName('steps'),
    PORT: '0',
  };
  const api = await startServer(asPart('api', env), createLog('api'));
  running.push(api, await startWorker(asPart('worker', env), createLog('worker')));
  const { clientId, token } = await service.client();
  client = createApiClient(`http://127.0.0.1:${api.port}/api/v1`, clientId, token, { isPatient: false });
});
afterAll(async () => {
  for (const each of running) await each.stop();
});

const steps = 5;
// Each step is met by one request, and by a few more on a machine that is slow to ask for the time; until the
// next measurement of its own it would be all for seconds.
const refusedMax = 5 * steps;

test('201 again, right after the first 503, when the clock of Postgres is set forward', async () => {
  const itemID = await service.item();
  const receive = async (key?: string) => {
    const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
    const headers = key === undefined ? {} : { 'Idempotency-Key': key };
    return (await client.post('/Inventory/Receive', body, headers)).status;
  };
  await expect.poll(() => receive(), { timeout: 120_000 }).toBe(201);
  const statuses: number[] = [];
  for (let step = 1; step <= steps; step++) {
    await service.sql`update steps.ahead set by = by + interval '1 minute'`;
    // The same key again, as its caller would, and then others without one.
    const key = uniqueName('step');
    for (let status = 0; status !== 201; statuses.push(status)) status = await receive(key);
    for (let more = 0; more < 3; more++) statuses.push(await receive());
  }
  const refused = statuses.filter((status) => status !== 201);
  expect(new Set(refused)).toEqual(new Set([503]));
  expect(refused.length).toBeLessThanOrEqual(refusedMax);
});
