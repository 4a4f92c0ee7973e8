import { randomBytes } from 'node:crypto';
import { watchService } from '@inventory/queue/consume/service-watch';
import { openQueue } from '@inventory/queue/queue';
import { Redis } from 'ioredis';
import { afterAll, inject, test } from 'vitest';
import { openWay } from '../harness/servers/black-hole.ts';
import { startOwnRedis } from '../harness/servers/own-redis.ts';

const own = await startOwnRedis();
const way = await openWay(inject('redisUrl'));
const endings: (() => void)[] = [];

afterAll(async () => {
  for (const end of endings) end();
  way.close();
  await own.stop();
});

const timeout = 60_000;

/** A canary beside a worker that never takes anything. */
function watch(redisUrl: string) {
  // Unlike the service's, this connection is never replaced: it calls itself ready however long it is silent.
  const connection = new Redis(redisUrl, { commandTimeout: 500, maxRetriesPerRequest: 0 });
  connection.on('error', () => {});
  const queue = openQueue({
    shard: 0,
    prefix: `canary-${randomBytes(6).toString('hex')}`,
    connection,
    onError: () => {},
  });
  const seen = { unserved: 0 };
  const stop = watchService({
    queue,
    connection,
    lastServedAt: () => 0,
    onUnserved: () => {
      seen.unserved += 1;
    },
  });
  endings.push(stop, () => connection.disconnect());
  return { connection, queue, seen };
}

test.concurrent('unserved: work waits and no worker takes it', async ({ expect }) => {
  const { seen } = watch(inject('redisUrl'));
  // Its own empty envelopes are work.
  await expect.poll(() => seen.unserved, { timeout }).toBeGreaterThan(0);
});

test.concurrent('unserved: a connection that calls itself ready answers nothing', async ({ expect }) => {
  const { connection, seen } = watch(way.url);
  await expect.poll(() => connection.status, { timeout }).toBe('ready');
  way.swallow();
  await expect.poll(() => seen.unserved, { timeout }).toBeGreaterThan(0);
});

test.concurrent('not unserved: work waits in a Redis that is full', async ({ expect }) => {
  const { queue, seen } = watch(own.url);
  await queue.add('work', {});
  await own.redis.config('SET', 'maxmemory', '1');
  await own.redis.config('RESETSTAT');
  const refused = async () =>
    Number(/cmdstat_set:.*rejected_calls=(\d+)/.exec(await own.redis.info('commandstats'))?.[1] ?? 0);
  // Enough checks to be sure.
  await expect.poll(refused, { timeout }).toBeGreaterThan(5);
  expect(seen.unserved).toBe(0);
});
