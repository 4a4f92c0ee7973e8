import { setTimeout } from 'node:timers/promises';
import { queueName } from '@inventory/queue/envelope';
import { openQueue } from '@inventory/queue/queue';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { openConsumer } from '../harness/queue/consumer.ts';
import { openSubmitter } from '../harness/queue/submitter.ts';
import { startOwnRedis } from '../harness/servers/own-redis.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const own = await startOwnRedis();
const prefix = uniqueName('full');
const service = useService({ hears503: true, apis: 2, env: { REDIS_URL: own.url, QUEUE_PREFIX: prefix } });
const eventsKey = `${prefix}:${queueName(0)}:events`;

beforeEach(async () => {
  await own.redis.config('SET', 'maxmemory', '64mb');
});
afterEach(async () => {
  await own.redis.del('filler');
});
afterAll(() => own.stop());

/** Creates a key of 70 MB in one step, with a Redis command in Lua that takes a number to count with. */
async function fill(key: string, command: string): Promise<void> {
  const script = `
    redis.call('DEL', KEYS[1])
    for number = 1, 700 do ${command} end
    return redis.call('INFO', 'memory')`;
  const memory = (await own.redis.eval(script, 1, key, 'x'.repeat(100_000))) as string;
  expect(Number(/used_memory:(\d+)/.exec(memory)?.[1])).toBeGreaterThan(64 * 1024 * 1024);
}

const fillWithKeys = () => fill('filler', `redis.call('HSET', KEYS[1], number, ARGV[1])`);

const body = (itemID: string, reference: string) => ({ itemID, units: 1, wid: 1, reasonCode: 0, reference });

async function openClients(): Promise<{ clients: ApiClient[]; itemID: string }> {
  const clients = await Promise.all(service.baseUrls.map((baseUrl) => service.client({ baseUrl })));
  return { clients, itemID: await service.item() };
}

const status = async (client: ApiClient, itemID: string) =>
  (await client.post('/Inventory/Receive', body(itemID, 'again'))).status;

test('201 again after the stream of events itself has filled Redis', async () => {
  const { clients, itemID } = await openClients();
  const [client] = clients;
  expect(await status(client!, itemID)).toBe(201);
  // As if the answers of a minute ago had filled it.
  const id = `'${Date.now() - 60_000}-' .. number`;
  await fill(eventsKey, `redis.call('XADD', KEYS[1], ${id}, 'event', ARGV[1])`);
  for (const each of clients) await expect.poll(() => status(each, itemID)).toBe(201);
  expect(await own.redis.xlen(eventsKey)).toBeLessThan(200);
});

test('a worker with work in a full Redis asks a few times a second, not thousands of times', async () => {
  const { submit, prefix } = await openSubmitter({ envelopeMax: 4, inFlightMax: 4, redisUrl: own.url });
  const queue = openQueue({ shard: 0, prefix, connection: own.redis, onError() {} });
  // A job of no api, which would remove it once its callers stop waiting: it stays as long as Redis is full.
  await queue.add('envelope', { requests: [] });
  await fillWithKeys();
  const errors: string[] = [];
  await openConsumer({ redisUrl: own.url, prefix, report: ({ message }) => errors.push(message) });
  await expect.poll(() => errors[0] ?? '').toContain('OOM');
  await setTimeout(1000);
  expect(errors.length).toBeLessThan(50);
  await own.redis.del('filler');
  await expect.poll(async () => (await submit(1)[0]!).status).toBe('applied');
});
