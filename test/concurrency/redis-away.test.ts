import { startServer } from '@inventory/api/server';
import { createLog } from '@inventory/process/log/log';
import { connectProducer } from '@inventory/redis/redis';
import { startWorker } from '@inventory/worker/worker';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { openStretch } from '../harness/network/through.ts';
import { startOwnRedis } from '../harness/servers/own-redis.ts';
import { type ApiAnswer, createApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receive } from '../harness/stock/stock.ts';

const network = await openStretch(inject('redisUrl'));

afterEach(() => {
  network.setState('open');
});
afterAll(() => {
  network.close();
});

describe('the service', () => {
  const service = useService({ hears503: true, apis: 2, workers: 1, env: { REDIS_URL: network.url } });

  // The most that a closed or hanging socket may cost, with room for a machine that also runs other tests.
  // Tried again, because that machine stands still now and then.
  test.each([
    { state: 'cut' as const, withinMs: 1000 },
    { state: 'stalled' as const, withinMs: 3000 },
  ])(
    '200 for reads, 503 for writes within $withinMs ms while the network to Redis is $state; both work again after',
    { retry: 3 },
    async ({ state, withinMs }) => {
      const clients = await Promise.all(service.baseUrls.map((baseUrl) => service.client({ baseUrl })));
      const itemID = await service.item();
      for (const client of clients) {
        const body = { itemID: await service.item(), units: 1, wid: 1, reasonCode: 0 };
        await expect.poll(async () => (await client.post('/Inventory/Receive', body)).status).toBe(201);
        await receive(client, itemID, 5);
      }
      const timed = async (call: () => Promise<ApiAnswer>) => {
        const startedAt = performance.now();
        const answer = await call();
        return { answer, tookMs: performance.now() - startedAt };
      };
      const references: string[] = [];
      const write = (index: number) => {
        const reference = uniqueName('refused');
        references.push(reference);
        const body = { itemID, units: 1, wid: 1, reasonCode: 0, reference };
        return timed(() => clients[index % 2]!.post('/Inventory/Issue', body));
      };
      const read = (index: number) => timed(() => clients[index % 2]!.get(`/Inventory?itemID=${itemID}`));

      network.setState(state);
      for (let round = 0; round < 4; round++) {
        const writes = await Promise.all(Array.from({ length: 20 }, (_, index) => write(index)));
        for (const { answer, tookMs } of writes) {
          expect(
            { status: answer.status, retryAfter: answer.headers.get('Retry-After') },
            answer.text,
          ).toEqual({
            status: 503,
            retryAfter: '1',
          });
          expect(tookMs).toBeLessThan(withinMs);
        }
        const reads = await Promise.all(Array.from({ length: 20 }, (_, index) => read(index)));
        for (const { answer, tookMs } of reads) {
          expect({ status: answer.status, total: answer.body.totalCount }).toEqual({ status: 200, total: 2 });
          expect(tookMs).toBeLessThan(withinMs);
        }
      }
      network.setState('open');
      for (const client of clients) {
        const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
        await expect.poll(async () => (await client.post('/Inventory/Issue', body)).status).toBe(200);
      }
      const applied = await service.sql`
      select transaction_no
      from stock_transaction
      where status = 'applied' and body->>'reference' = any(${references})`;
      expect([...applied]).toEqual([]);
    },
  );

  test('201 for a write to processes that were started while Redis is away, soon after it is there', async () => {
    const { clientId, token } = await service.client();
    const env: Record<string, string> = { ...service.env, QUEUE_PREFIX: uniqueName('away') };
    network.setState('cut');
    const api = await startServer(asPart('api', env), createLog('api'));
    onTestFinished(() => api.stop());
    const worker = await startWorker(asPart('worker', env), createLog('worker'));
    onTestFinished(() => worker.stop());
    const baseUrl = `http://127.0.0.1:${api.port}/api/v1`;
    const client = createApiClient(baseUrl, clientId, token, { isPatient: false });
    const itemID = uniqueName('ITEM');
    expect((await client.post('/Item', { shortID: itemID })).status).toBe(201);
    const write = () => client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 });
    expect((await write()).status).toBe(503);
    network.setState('open');
    await expect.poll(async () => (await write()).status).toBe(201);
  });
});

describe('a connection of the api to Redis', () => {
  // Tried again, as above.
  test('a command fails at once while Redis is away, and is not carried out when it is back', {
    retry: 3,
  }, async () => {
    const key = uniqueName('key');
    const redis = connectProducer(network.url, () => {});
    await expect.poll(() => redis.status).toBe('ready');
    network.setState('cut');
    await expect.poll(() => redis.status, { interval: 5 }).not.toBe('ready');
    // From now on connections open and nobody answers on them.
    network.setState('stalled');
    await expect.poll(() => redis.status, { interval: 5 }).toBe('connect');
    const startedAt = performance.now();
    const failure = await redis.set(key, 'sent', 'EX', 60).then(
      () => null,
      (error: Error) => error.message,
    );
    const tookMs = performance.now() - startedAt;
    network.setState('open');
    await expect.poll(() => redis.status).toBe('ready');
    const stored = await redis.get(key);
    redis.disconnect();
    expect({ failed: failure !== null, stored }).toEqual({ failed: true, stored: null });
    expect(tookMs).toBeLessThan(500);
  });
});

test('many replies that ask for another server end a connection once, and leave one listener on it', async () => {
  const own = await startOwnRedis();
  onTestFinished(own.stop);
  const producer = connectProducer(own.url, () => {});
  onTestFinished(() => producer.disconnect());
  await expect.poll(() => producer.status).toBe('ready');
  const { stream } = producer as Redis;
  const before = stream.listenerCount('close');
  await own.redis.call('REPLICAOF', '127.0.0.1', '1');
  const writes = Array.from({ length: 20 }, () => producer.set('key', 'value'));
  const answers = await Promise.allSettled(writes);
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill('rejected'));
  expect(stream.listenerCount('close')).toBeLessThanOrEqual(before + 1);
  await own.redis.call('REPLICAOF', 'NO', 'ONE');
  await expect.poll(() => producer.set('key', 'value').catch(() => 'not yet')).toBe('OK');
});
