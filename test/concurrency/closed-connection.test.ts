import { connectConsumer } from '@inventory/queue/redis/redis';
import { RedisConnection } from 'bullmq';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startProxy } from '../faults/proxy.ts';
import { through } from '../harness/servers/black-hole.ts';
import { uniqueName } from '../harness/service/service.ts';

// This happens when a worker gives up a shard, or stops, while its wait for work is being set up again. The
// connection would stay until the process ends, and nobody would see its errors.
test('a BullMQ connection that is closed while it waits to reconnect does not reconnect', async () => {
  const network = await startProxy(Number(new URL(inject('redisUrl')).port));
  onTestFinished(() => network.close());
  const redis = connectConsumer(through(inject('redisUrl'), network), uniqueName('closed'), () => {});
  onTestFinished(() => redis.disconnect());
  const connection = new RedisConnection(redis as never, { blocking: true, skipVersionCheck: true });
  connection.on('error', () => {});
  await connection.client;
  network.setState('cut');
  // Redis now accepts connections and says nothing.
  network.setState('stalled');
  await expect.poll(() => redis.status, { interval: 1 }).toBe('connect');
  const back = connection.reconnect().catch(() => {});
  await connection.close(true);
  network.setState('open');
  await back;
  expect(redis.status).toBe('end');
});
