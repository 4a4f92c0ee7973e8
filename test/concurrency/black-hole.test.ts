import { connectProducer } from '@inventory/queue/redis/redis';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { openConsumer } from '../harness/queue/consumer.ts';
import { openSubmitter } from '../harness/queue/submitter.ts';
import { openWay, type Way } from '../harness/servers/black-hole.ts';
import { startOwnRedis } from '../harness/servers/own-redis.ts';
import { useService } from '../harness/service/service.ts';

// The answer comes within five seconds; without the guard, never.
const timeout = 60_000;

async function openTestWay(url: string): Promise<Way> {
  const way = await openWay(url);
  onTestFinished(way.close);
  return way;
}

async function openBoth(url: { submitter: string; consumer: string }) {
  const submitter = await openSubmitter({ envelopeMax: 4, inFlightMax: 4, redisUrl: url.submitter });
  await openConsumer({ redisUrl: url.consumer, prefix: submitter.prefix });
  const send = async () => (await submitter.submit(1)[0]!).status;
  await expect.poll(send, { timeout }).toBe('applied');
  return send;
}

test.each(['submitter', 'consumer'] as const)(
  'applied after every connection of the %s to Redis died silently',
  async (side) => {
    const direct = inject('redisUrl');
    const way = await openTestWay(direct);
    const send = await openBoth({ submitter: direct, consumer: direct, [side]: way.url });
    way.swallow();
    await expect.poll(send, { timeout }).toBe('applied');
  },
);

test('applied after all connections to Redis died while idle', async () => {
  const way = await openTestWay(inject('redisUrl'));
  const send = await openBoth({ submitter: way.url, consumer: way.url });
  way.swallow();
  await expect.poll(send, { timeout }).toBe('applied');
});

test('a connection that nobody uses recovers after it died silently', async () => {
  const way = await openTestWay(inject('redisUrl'));
  const redis = connectProducer(way.url, () => {});
  onTestFinished(() => redis.disconnect());
  await expect.poll(() => redis.status, { timeout }).toBe('ready');
  let closed = 0;
  redis.on('close', () => {
    closed += 1;
  });
  way.swallow();
  await expect.poll(() => closed, { timeout }).toBeGreaterThan(0);
  await expect.poll(() => redis.ping().catch(() => 'away'), { timeout }).toBe('PONG');
});

test('applied after a failover that left all connections at a server that is now a replica', async () => {
  const [before, after] = await Promise.all([startOwnRedis(), startOwnRedis()]);
  onTestFinished(async () => {
    await Promise.all([before.stop(), after.stop()]);
  });
  // Both have one password, so that one address leads to either.
  const { username, password } = new URL(before.url);
  await after.redis.call('ACL', 'SETUSER', username, `>${password}`);
  for (const { redis } of [before, after]) {
    await redis.config('SET', 'masteruser', username, 'masterauth', password);
    await redis.config('SET', 'repl-diskless-sync-delay', '0');
  }
  await after.redis.replicaof('127.0.0.1', before.port);
  const link = async () => /master_link_status:(\w+)/.exec(await after.redis.info('replication'))?.[1];
  await expect.poll(link, { timeout }).toBe('up');
  const way = await openTestWay(before.url);
  const send = await openBoth({ submitter: way.url, consumer: way.url });
  way.leadTo(after.port);
  await after.redis.replicaof('NO', 'ONE');
  await before.redis.replicaof('127.0.0.1', after.port);
  await expect.poll(send, { timeout }).toBe('applied');
});

describe('the service', async () => {
  const way = await openWay(inject('redisUrl'));
  const service = useService({ apis: 2, workers: 2, env: { REDIS_URL: way.url } });
  afterAll(way.close);

  test('201 from every api after all connections to Redis died silently', async () => {
    const clients = await Promise.all(service.baseUrls.map((baseUrl) => service.client({ baseUrl })));
    const itemID = await service.item();
    const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
    way.swallow();
    for (const client of clients) {
      const write = async () => (await client.post('/Inventory/Receive', body)).status;
      await expect.poll(write, { timeout }).toBe(201);
    }
  });
});
