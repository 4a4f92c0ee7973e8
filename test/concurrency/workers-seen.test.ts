import { openQueue } from '@inventory/queue/queue';
import { keepSeen, lookAtQueue } from '@inventory/queue/workers-seen';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startOwnRedis } from '../harness/servers/own-redis.ts';
import { uniqueName } from '../harness/service/service.ts';

const own = await startOwnRedis();
const { redis } = own;
const patient = { timeout: 60_000 };
afterAll(() => own.stop());

const idOf = (name: string) => `${name}:1:00000000`;

/** A queue whose workers were seen this long ago; a negative age is ahead of the clock. */
async function workersSeenAgo(agoMs: Record<string, number>) {
  const queue = openQueue({ connection: redis, prefix: uniqueName('seen'), shard: 0, onError: () => {} });
  onTestFinished(() => queue.close());
  const key = queue.toKey('workers');
  const [seconds, micros] = await redis.time();
  const now = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  for (const [name, ms] of Object.entries(agoMs)) await redis.zadd(key, now - ms, idOf(name));
  return {
    queue,
    key,
    namesSeen: async () => (await lookAtQueue(redis, [queue])).seen.map(({ name }) => name),
  };
}

test('a worker dated an hour ahead is not there: the clock of Redis was set back', async () => {
  const { queue, namesSeen } = await workersSeenAgo({ dead: -3_600_000 });
  expect(await namesSeen()).toEqual([]);
  expect(await lookAtQueue(redis, [queue])).toMatchObject({ workers: 0, lastSeenMs: null });
});

test('entries dated ahead go with the first word of a worker, and a small correction removes no worker', async () => {
  const { key, namesSeen } = await workersSeenAgo({ dead: -3_600_000, corrected: -900 });
  expect(await namesSeen()).toEqual(['corrected:1']);
  const stop = keepSeen(
    redis,
    { key, id: idOf('live') },
    () => true,
    () => null,
  );
  onTestFinished(stop);
  await expect.poll(namesSeen, patient).toContain('live:1');
  expect(await redis.zrange(key, '0', '-1')).not.toContain(idOf('dead'));
  expect(await namesSeen()).toContain('corrected:1');
});

test('a look fails in a Redis that takes no writes, because no worker could be noted there', async () => {
  const { queue } = await workersSeenAgo({});
  expect(await lookAtQueue(redis, [queue])).toMatchObject({ workers: 0 });
  await redis.config('SET', 'maxmemory', '1');
  onTestFinished(() => redis.config('SET', 'maxmemory', '0').then(() => {}));
  await expect(lookAtQueue(redis, [queue])).rejects.toThrow(/^OOM/);
});
