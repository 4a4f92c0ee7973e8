import { once } from 'node:events';
import { createRateLimiter } from '@inventory/auth/rate-limit';
import { connectProducer } from '@inventory/queue/redis';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { uniqueName } from '../harness/service.ts';

// Two api processes, and the clock turned back for what they counted: nobody has to wait a minute.
const prefix = uniqueName('limit');
const processes = [1, 2].map(() => connectProducer(inject('redisUrl'), () => {}));
const limiters = processes.map((redis) => createRateLimiter(redis, prefix));

beforeAll(async () => {
  // Connecting began when this file was loaded, so it may be over by now: then no event would come.
  await Promise.all(processes.map((redis) => (redis.status === 'ready' ? null : once(redis, 'ready'))));
});
afterAll(() => {
  for (const redis of processes) redis.disconnect();
});

/** Sends so many requests at once over both processes; how many pass. */
async function take(clientId: string, count: number): Promise<number> {
  const verdicts = await Promise.all(
    Array.from({ length: count }, (_, index) => limiters[index % 2]!.take(clientId, 100)),
  );
  return verdicts.filter((verdict) => verdict.allowed).length;
}

/** Makes all that was counted so far this much older. */
async function age(clientId: string, milliseconds: number): Promise<void> {
  const key = `{${prefix}:rate:${clientId}}:log`;
  const redis = processes[0]!;
  const counted = await redis.lrange(key, 0, -1);
  expect(counted.length).toBeGreaterThan(0);
  await redis.del(key);
  for (const each of counted) {
    const [at, count] = each.split(':');
    await redis.rpush(key, `${Number(at) - milliseconds}:${count}`);
  }
}

test.each([0, 30_000, 50_000])(
  'never over 100 in any 60 s, wherever its edges lie: %i ms later',
  async (later) => {
    const clientId = uniqueName('client');
    expect(await take(clientId, 150)).toBe(100);
    await age(clientId, later);
    expect(await take(clientId, 150)).toBe(0);
  },
);

test('what is older than 60 s counts no more, and what is younger does', async () => {
  const clientId = uniqueName('client');
  expect(await take(clientId, 30)).toBe(30);
  await age(clientId, 30_000);
  expect(await take(clientId, 50)).toBe(50);
  // 50 s old now, and what the machine took.
  await age(clientId, 20_000);
  expect(await take(clientId, 100)).toBe(20);
  await age(clientId, 12_000);
  expect(await take(clientId, 100)).toBe(30);
  expect(await take(clientId, 1)).toBe(0);
});
