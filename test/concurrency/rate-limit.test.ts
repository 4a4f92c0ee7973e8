import { once } from 'node:events';
import { createRateLimiter } from '@inventory/auth/rate-limit';
import { connectProducer } from '@inventory/redis/redis';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { openStretch } from '../harness/network/through.ts';
import { startOwnRedis } from '../harness/servers/own-redis.ts';
import { uniqueName } from '../harness/service/service.ts';

const limit = 100;
const windowMs = 60_000;

/** Several api processes. `waitMs`: how long Redis has to answer, if not as long as in the service. */
function startProcesses(redisUrl: string, count = 2, waitMs?: number) {
  const prefix = uniqueName('limit');
  const connections = Array.from({ length: count }, () => connectProducer(redisUrl, () => {}));
  const limiters = connections.map((redis) =>
    createRateLimiter(redis, { prefix, what: 'requests', ...(waitMs !== undefined && { waitMs }) }),
  );
  // An api may not move the end of a window.
  const operator = new Redis(redisUrl, { lazyConnect: true });
  return {
    limiters,
    redis: connections[0]!,
    async ready() {
      // Connecting began when they were created, so it may be over by now and no event would come.
      await Promise.all(connections.map((each) => (each.status === 'ready' ? null : once(each, 'ready'))));
    },
    /** Sends this many requests at once over all processes; returns how many pass. */
    async take(clientId: string, requests: number): Promise<number> {
      const verdicts = await Promise.all(
        Array.from({ length: requests }, (_, index) =>
          limiters[index % limiters.length]!.take(clientId, limit),
        ),
      );
      return verdicts.filter((verdict) => verdict.allowed).length;
    },
    /** Moves the end of a client's window, as the clock of Redis would. */
    async endsIn(clientId: string, milliseconds: number) {
      expect(await operator.pexpire(`${prefix}:requests:${clientId}`, milliseconds)).toBe(1);
    },
    stop() {
      for (const each of [...connections, operator]) each.disconnect();
    },
  };
}

describe('over all processes', () => {
  // Independent of the machine's speed: this is about the counts in Redis.
  const processes = startProcesses(inject('redisUrl'), 2, 60_000);
  const [first, second] = processes.limiters;
  beforeAll(() => processes.ready());
  afterAll(() => processes.stop());

  test('exactly the limit in a window, however many requests arrive together', async () => {
    const turns = fc.array(
      fc.array(fc.record({ by: fc.boolean(), count: fc.integer({ min: 1, max: 30 }) }), { maxLength: 8 }),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(turns, fc.integer({ min: 1, max: 60 }), async (all, most) => {
        const clientId = uniqueName('client');
        let asked = 0;
        let passed = 0;
        for (const turn of all) {
          const before = asked;
          const verdicts = await Promise.all(
            turn.map(({ by, count }) => (by ? first! : second!).take(clientId, most, count)),
          );
          turn.forEach(({ count }, index) => {
            asked += count;
            if (verdicts[index]!.allowed) passed += count;
          });
          expect(passed).toBeLessThanOrEqual(most);
          // As long as everything asked for fits, all of it passes.
          if (asked <= most) expect(passed).toBe(asked);
          for (const { remaining, resetMs } of verdicts) {
            expect(remaining).toBeLessThanOrEqual(Math.max(0, most - before));
            expect(resetMs).toBeLessThanOrEqual(windowMs);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a window begins with the first request, and the next window has the whole limit', async () => {
    const clientId = uniqueName('client');
    expect(await processes.take(clientId, 150)).toBe(100);
    await processes.endsIn(clientId, 30_000);
    const { allowed, resetMs } = await second!.take(clientId, limit);
    expect(allowed).toBe(false);
    expect(resetMs).toBeGreaterThan(0);
    expect(resetMs).toBeLessThanOrEqual(30_000);
    await processes.endsIn(clientId, 0);
    expect(await processes.take(clientId, 150)).toBe(100);
  });

  test('a lowered or raised limit holds from the next request on', async () => {
    const clientId = uniqueName('client');
    expect(await processes.take(clientId, 30)).toBe(30);
    expect(await first!.take(clientId, 10)).toMatchObject({ allowed: false, limit: 10, remaining: 0 });
    expect(await second!.take(clientId, 40)).toMatchObject({ allowed: true, limit: 40, remaining: 8 });
  });

  test('a clock of Redis that is set back locks nobody out: the window begins anew', async () => {
    const clientId = uniqueName('client');
    expect(await processes.take(clientId, 150)).toBe(100);
    await processes.endsIn(clientId, 3_600_000);
    const { allowed, resetMs } = await first!.take(clientId, limit);
    expect(allowed).toBe(true);
    expect(resetMs).toBeLessThanOrEqual(windowMs);
    expect(await processes.take(clientId, 150)).toBe(99);
  });
});

/** Processes beside a Redis that a test can take away; both end with the test. */
async function startBeside(redisUrl: string, count: number) {
  const network = await openStretch(redisUrl);
  onTestFinished(() => network.close());
  const processes = startProcesses(network.url, count);
  onTestFinished(() => processes.stop());
  await processes.ready();
  return { network, processes };
}

test('without Redis each process counts alone, so the limit holds per process; with Redis back it holds over all', async () => {
  const own = await startOwnRedis();
  onTestFinished(own.stop);
  const { network, processes } = await startBeside(own.url, 2);
  expect(await processes.take(uniqueName('client'), 150)).toBe(100);
  network.setState('cut');
  await expect.poll(() => processes.redis.status, { interval: 5 }).not.toBe('ready');
  const clientId = uniqueName('client');
  expect(await processes.take(clientId, 300)).toBe(200);
  expect(await processes.take(clientId, 300)).toBe(0);
  network.setState('open');
  const isCountedOverAll = async () => (await processes.take(uniqueName('client'), 150)) === 100;
  await expect.poll(isCountedOverAll).toBe(true);
});

test('a Redis that does not answer delays no request, and one process lets through at most twice the limit', async () => {
  const { network, processes } = await startBeside(inject('redisUrl'), 1);
  const clientId = uniqueName('client');
  let passed = 0;
  for (const state of ['open', 'stalled', 'open', 'cut', 'open'] as const) {
    network.setState(state);
    for (let turn = 0; turn < 3; turn++) passed += await processes.take(clientId, 60);
  }
  // Once as Redis counts, once as the process does.
  expect(passed).toBeGreaterThanOrEqual(100);
  expect(passed).toBeLessThanOrEqual(200);
});
