import { setTimeout } from 'node:timers/promises';
import { startServer } from '@inventory/api/server';
import { createLog } from '@inventory/process/log/log';
import type { Running } from '@inventory/process/run';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService({ workers: 0 });
const running: Running[] = [];
let client: ApiClient;

beforeAll(async () => {
  const { sql } = service;
  // A clock that can be set, under the name of Postgres' own: our connections find this one first.
  await sql`create schema steps`;
  await sql`create table steps.ahead as select interval '0' as by`;
  await sql`grant usage on schema steps to public`;
  await sql`grant select on steps.ahead to public`;
  await sql`alter function pg_catalog.clock_timestamp() rename to right_clock_timestamp`;
  await sql`
    create function pg_catalog.clock_timestamp() returns timestamptz language sql volatile as $$
      select pg_catalog.right_clock_timestamp() + by from steps.ahead
    $$`;
  await sql`grant execute on function pg_catalog.clock_timestamp() to public`;
  const env: Record<string, string> = { ...service.env, QUEUE_PREFIX: uniqueName('steps') };
  const api = await startServer(asPart('api', env), createLog('api'));
  running.push(api, await startWorker(asPart('worker', env), createLog('worker')));
  const { clientId, token } = await service.client();
  client = createApiClient(`http://127.0.0.1:${api.port}/api/v1`, clientId, token, { isPatient: false });
});
afterAll(async () => {
  for (const each of running) await each.stop();
});

const steps = 3;
// If the api only measured periodically, it would notice each step 5 s late.
const knownWithinMs = steps * 2000;
const retryAfterMs = 1000;

test('201 again, right after the first 503, when the clock of Postgres is set forward', async () => {
  const itemID = await service.item();
  const receive = async (key?: string) => {
    const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
    const headers = key === undefined ? {} : { 'Idempotency-Key': key };
    return (await client.post('/Inventory/Receive', body, headers)).status;
  };
  await expect.poll(() => receive()).toBe(201);
  let met = 0;
  let refusedMs = 0;
  for (let step = 1; step <= steps; step++) {
    await service.sql`update steps.ahead set by = by + interval '1 minute'`;
    const key = uniqueName('step');
    // A periodic measurement happened at this very moment.
    if ((await receive(key)) === 201) continue;
    met += 1;
    const refusedAt = performance.now();
    await expect.poll(() => receive(), { interval: 20 }).toBe(201);
    refusedMs += performance.now() - refusedAt;
    // The same key again, as a caller would send it.
    await setTimeout(retryAfterMs);
    await expect.poll(() => receive(key), { interval: retryAfterMs }).toBe(201);
  }
  expect(met).toBeGreaterThan(0);
  expect(refusedMs).toBeLessThan(knownWithinMs);
});
