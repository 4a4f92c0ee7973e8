import { afterAll, beforeAll, expect, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { type WatchedStatusPage, watchStatusPage } from '../harness/pages/status-page-stream.ts';
import { startOwnRedis } from '../harness/servers/own-redis.ts';
import { createApiClient } from '../harness/service/api-client.ts';
import { examine } from '../harness/service/doctor.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { logLinesOf } from '../harness/watch/log-lines.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

const own = await startOwnRedis();
const service = useService({ workers: 0, env: { QUEUE_PREFIX: uniqueName('replicas-other') } });
const prefix = uniqueName('replicas');
let env: Record<string, string>;
let started: Started[] = [];
let api: Started;
let page: WatchedStatusPage;

beforeAll(async () => {
  env = {
    ...{ DATABASE_URL: service.databaseUrl, REDIS_URL: own.url, QUEUE_PREFIX: prefix },
    ...{ PORT: '0', INTERNAL_PORT: '0', LOG_LEVEL: 'info' },
  };
  const start = (part: 'api' | 'worker') =>
    startProcess(`apps/${part}/src/main.ts`, asPart(part, env), { keep: true });
  started = await Promise.all([start('api'), start('worker')]);
  api = started[0]!;
  page = await watchStatusPage(api.internalPort);
});
afterAll(async () => {
  page?.close();
  for (const each of started) await each.stop();
  await own.stop();
});

test('a Redis that lacks replicas is named as that by log, metrics, page and doctor, with the remedy, until it takes work again', async () => {
  const known = await service.client();
  const client = createApiClient(`http://127.0.0.1:${api.port}/api/v1`, known.clientId, known.token, {
    isPatient: false,
  });
  const itemID = await service.item();
  const receive = async () =>
    (await client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 })).status;
  await expect.poll(receive).toBe(201);
  await expect.poll(() => page.now()?.sentence).toBe('All is well.');
  const refused = async () =>
    (await readMetrics(api.internalPort)).value('inventory_api_redis_unwritable{reason="replicas"}');
  expect(await refused()).toBe(undefined);

  await own.redis.config('SET', 'min-replicas-to-write', '1');
  const words = 'fewer replicas are attached than min-replicas-to-write asks for';
  await expect
    .poll(() => page.now()?.causes.map(({ code, sentence }) => [code, sentence]))
    .toEqual([
      [
        'redisUnwritable',
        `Redis answers but refuses work (${words}): receive, move and issue are refused, lists are served.`,
      ],
    ]);
  const { advice } = page.now()!.causes[0]!;
  expect(advice).toContain('lower `min-replicas-to-write`');
  expect(await receive()).toBe(503);
  expect((await client.get('/Inventory')).status).toBe(200);
  await expect.poll(refused).toBe(1);
  await expect
    .poll(() => logLinesOf(api.written()).map(({ msg }) => msg))
    // Behind it may stand how many times, if there was a slow answer a moment before.
    .toEqual(expect.arrayContaining([expect.stringContaining(`Redis is away or takes no work: ${words}`)]));
  const { checks, failed } = await examine(asPart('operator', env));
  expect(checks['redis-role']).toMatchObject({
    ...{ state: 'fail', found: `it refuses work: ${words}`, remedy: advice },
  });
  // Another worker is not the remedy of any check.
  for (const id of failed) expect(checks[id]!.remedy, id).not.toMatch(/start a(nother)? worker/i);

  await own.redis.config('SET', 'min-replicas-to-write', '0');
  await expect.poll(receive).toBe(201);
  await expect.poll(() => page.now()?.sentence).toBe('All is well.');
  expect(await refused()).toBe(undefined);
});
