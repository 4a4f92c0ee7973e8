import { watchService } from '@inventory/queue/consume/service-watch';
import { openQueue } from '@inventory/queue/queue';
import { connectConsumer, connectProducer } from '@inventory/redis/redis';
import { RedisConnection } from 'bullmq';
import { Redis } from 'ioredis';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { openStretch } from '../harness/network/through.ts';
import { openConsumer } from '../harness/queue/consumer.ts';
import { openSubmitter } from '../harness/queue/submitter.ts';
import { startOwnRedis } from '../harness/servers/own-redis.ts';
import { uniqueName } from '../harness/service/service.ts';

const direct = inject('redisUrl');

/** A way to a Redis on which connections can die silently. */
async function openWay(redisUrl = direct) {
  const network = await openStretch(redisUrl);
  onTestFinished(() => network.close());
  return { ...network, swallow: () => network.setState('black hole') };
}

async function startTestRedis() {
  const own = await startOwnRedis();
  onTestFinished(own.stop);
  return own;
}

/** Sends a request and gives its status; both sides are well. */
async function openBoth(url: { submitter: string; consumer: string }) {
  const submitter = await openSubmitter({ envelopeMax: 4, inFlightMax: 4, redisUrl: url.submitter });
  await openConsumer({ redisUrl: url.consumer, prefix: submitter.prefix });
  const send = async () => (await submitter.submit(1)[0]!).status;
  await expect.poll(send).toBe('applied');
  return send;
}

test.each(['submitter', 'consumer'] as const)(
  'applied after every connection of the %s to Redis died silently',
  async (side) => {
    const way = await openWay();
    const send = await openBoth({ submitter: direct, consumer: direct, [side]: way.url });
    way.swallow();
    await expect.poll(send).toBe('applied');
  },
);

test('a connection that nobody uses recovers after it died silently', async () => {
  const way = await openWay();
  const redis = connectProducer(way.url, () => {});
  onTestFinished(() => redis.disconnect());
  await expect.poll(() => redis.status).toBe('ready');
  let closed = 0;
  redis.on('close', () => {
    closed += 1;
  });
  way.swallow();
  await expect.poll(() => closed).toBeGreaterThan(0);
  await expect.poll(() => redis.ping().catch(() => 'away')).toBe('PONG');
});

test('applied after a failover that left all connections at a server that is now a replica', async () => {
  const [before, after] = [await startTestRedis(), await startTestRedis()];
  // Both have one password, so that one address leads to either.
  const { username, password } = new URL(before.url);
  await after.redis.call('ACL', 'SETUSER', username, `>${password}`);
  for (const { redis } of [before, after]) {
    await redis.config('SET', 'masteruser', username, 'masterauth', password);
    await redis.config('SET', 'repl-diskless-sync-delay', '0');
  }
  await after.redis.replicaof('127.0.0.1', before.port);
  const link = async () => /master_link_status:(\w+)/.exec(await after.redis.info('replication'))?.[1];
  await expect.poll(link).toBe('up');
  const way = await openWay(before.url);
  const send = await openBoth({ submitter: way.url, consumer: way.url });
  way.leadTo(after.port);
  await after.redis.replicaof('NO', 'ONE');
  await before.redis.replicaof('127.0.0.1', after.port);
  await expect.poll(send).toBe('applied');
});

describe('a worker that takes nothing', () => {
  /** Its checks of whether it is served, each two seconds after the one before by its clock. */
  function watch(redisUrl: string) {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    // Unlike the service's, this connection is never replaced: it calls itself ready, however long silent.
    // Its time-out is by the same clock, which must leave Redis time to answer.
    const connection = new Redis(redisUrl, { commandTimeout: 60_000, maxRetriesPerRequest: 0 });
    connection.on('error', () => {});
    const queue = openQueue({ shard: 0, prefix: uniqueName('canary'), connection, onError: () => {} });
    let unserved = 0;
    const stop = watchService({ queue, connection, lastServedAt: () => 0, onUnserved: () => unserved++ });
    onTestFinished(() => {
      stop();
      connection.disconnect();
    });
    const unservedAfterCheck = () => {
      vi.advanceTimersByTime(2000);
      return unserved;
    };
    return { connection, queue, unservedAfterCheck };
  }

  test('is unserved when work waits', async () => {
    const { unservedAfterCheck } = watch(direct);
    // Its own empty envelopes are work.
    await expect.poll(unservedAfterCheck).toBeGreaterThan(0);
  });

  test('is unserved when a connection that calls itself ready answers nothing', async () => {
    const way = await openWay();
    const { connection, unservedAfterCheck } = watch(way.url);
    await expect.poll(() => connection.status).toBe('ready');
    way.swallow();
    await expect.poll(unservedAfterCheck).toBeGreaterThan(0);
  });

  test('is not unserved when work waits in a Redis that is full', async () => {
    const own = await startTestRedis();
    const { queue, unservedAfterCheck } = watch(own.url);
    await queue.add('work', {});
    await own.redis.config('SET', 'maxmemory', '1');
    await own.redis.config('RESETSTAT');
    const refused = async () => {
      expect(unservedAfterCheck()).toBe(0);
      return Number(
        /cmdstat_set:.*rejected_calls=(\d+)/.exec(await own.redis.info('commandstats'))?.[1] ?? 0,
      );
    };
    // Twice as many checks as it takes to be sure.
    await expect.poll(refused).toBeGreaterThan(10);
    expect(unservedAfterCheck()).toBe(0);
  });
});

// This happens when a worker gives up a shard, or stops, while its wait for work is being set up again. The
// connection would stay until the process ends, and nobody would see its errors.
test('a BullMQ connection that is closed while it waits to reconnect does not reconnect', async () => {
  const way = await openWay();
  const redis = connectConsumer(way.url, uniqueName('closed'), () => {});
  onTestFinished(() => redis.disconnect());
  const connection = new RedisConnection(redis as never, { blocking: true, skipVersionCheck: true });
  connection.on('error', () => {});
  await connection.client;
  way.setState('cut');
  // Redis now accepts connections and says nothing.
  way.setState('stalled');
  await expect.poll(() => redis.status, { interval: 1 }).toBe('connect');
  const back = connection.reconnect().catch(() => {});
  await connection.close(true);
  way.setState('open');
  await back;
  expect(redis.status).toBe('end');
});
