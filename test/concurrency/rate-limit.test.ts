import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { retryAfterOf } from '@inventory/api/limit-headers';
import { createOperationLimiter, createRateLimiter } from '@inventory/auth/rate-limit';
import { createSlidingLogs } from '@inventory/auth/sliding-log';
import { connectProducer } from '@inventory/queue/redis';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { startProxy } from '../faults/proxy.ts';
import { type OwnRedis, startOwnRedis } from '../harness/own-redis.ts';
import { uniqueName } from '../harness/service.ts';

const limit = 100;

/**
 * Two api processes whose clocks are moved by hand: nobody has to wait a minute. `waitMs`: how long Redis has
 * to answer, if not as long as it has in the service.
 */
function startProcesses(redisUrl: string, count = 2, waitMs?: number) {
  const prefix = uniqueName('limit');
  const clock = { movedMs: 0 };
  const connections = Array.from({ length: count }, () => connectProducer(redisUrl, () => {}));
  const limiters = connections.map((redis) =>
    createRateLimiter(redis, prefix, {
      now: () => performance.now() + clock.movedMs,
      ...(waitMs !== undefined && { waitMs }),
    }),
  );
  return {
    limiters,
    prefix,
    redis: connections[0]!,
    async ready() {
      // Connecting began when they were made, so it may be over by now: then no event would come.
      await Promise.all(connections.map((each) => (each.status === 'ready' ? null : once(each, 'ready'))));
    },
    /** Sends so many requests at once over all processes; how many pass. */
    async take(clientId: string, requests: number): Promise<number> {
      const verdicts = await Promise.all(
        Array.from({ length: requests }, (_, index) =>
          limiters[index % limiters.length]!.take(clientId, limit),
        ),
      );
      return verdicts.filter((verdict) => verdict.allowed).length;
    },
    /** Makes all that was counted so far this much older: by the processes, and by Redis. */
    age(clientId: string, milliseconds: number): Promise<void> {
      clock.movedMs += milliseconds;
      return this.ageThere(clientId, milliseconds);
    },
    /** By Redis alone; less than 0: as after its clock was set back. */
    async ageThere(clientId: string, milliseconds: number): Promise<void> {
      const key = `{${prefix}:rate:${clientId}}:log`;
      const counted = await connections[0]!.lrange(key, 0, -1);
      expect(counted.length).toBeGreaterThan(0);
      await connections[0]!.del(key);
      for (const each of counted) {
        const [at, amount] = each.split(':');
        await connections[0]!.rpush(key, `${Number(at) - milliseconds}:${amount}`);
      }
    },
    /** As `age`, with a Redis that has nothing to make older. */
    ageHere(milliseconds: number) {
      clock.movedMs += milliseconds;
    },
    async isCountedOver(clientId: string): Promise<boolean> {
      return (await connections[0]!.exists(`{${prefix}:rate:${clientId}}:log`)) === 1;
    },
    stop() {
      for (const each of connections) each.disconnect();
    },
  };
}

type Processes = ReturnType<typeof startProcesses>;

/** Until Redis counts again: a process that got no answer leaves it alone for a while. */
async function untilCountedOver(processes: Processes) {
  for (const limiter of processes.limiters) {
    const counts = async () => {
      const clientId = uniqueName('client');
      await limiter.take(clientId, limit);
      return processes.isCountedOver(clientId);
    };
    await expect.poll(counts).toBe(true);
  }
}

describe('over all processes', () => {
  // However slow the machine: this is about what Redis counts.
  const processes = startProcesses(inject('redisUrl'), 2, 60_000);
  beforeAll(() => processes.ready());
  afterAll(() => processes.stop());
  beforeEach(() => untilCountedOver(processes));

  test.each([0, 30_000, 50_000])(
    'never over 100 in any 60 s, wherever its edges lie: %i ms later',
    async (later) => {
      const clientId = uniqueName('client');
      expect(await processes.take(clientId, 150)).toBe(100);
      await processes.age(clientId, later);
      expect(await processes.take(clientId, 150)).toBe(0);
    },
  );

  test('what is older than 60 s counts no more, and what is younger does', async () => {
    const clientId = uniqueName('client');
    expect(await processes.take(clientId, 30)).toBe(30);
    await processes.age(clientId, 30_000);
    expect(await processes.take(clientId, 50)).toBe(50);
    // 50 s old now, and what the machine took.
    await processes.age(clientId, 20_000);
    expect(await processes.take(clientId, 100)).toBe(20);
    await processes.age(clientId, 12_000);
    expect(await processes.take(clientId, 100)).toBe(30);
    expect(await processes.take(clientId, 1)).toBe(0);
  });

  test('a limit that is lowered while Redis counts holds for those who wait for it', async () => {
    const clientId = uniqueName('client');
    const [limiter] = processes.limiters;
    const first = Promise.all([1, 2, 3].map(() => limiter!.take(clientId, limit)));
    // Redis has not answered yet.
    await nextTurn();
    const later = Promise.all([1, 2, 3].map(() => limiter!.take(clientId, 4)));
    expect((await first).map(({ allowed }) => allowed)).toEqual([true, true, true]);
    expect((await later).map(({ allowed, limit }) => [allowed, limit])).toEqual([
      [true, 4],
      [false, 4],
      [false, 4],
    ]);
  });

  test('a clock of Redis that is set back shuts nobody out: each process goes by what it has counted itself', async () => {
    const clientId = uniqueName('client');
    expect(await processes.take(clientId, 150)).toBe(100);
    await processes.ageThere(clientId, -3_600_000);
    const { allowed, resetMs } = await createRateLimiter(processes.redis, processes.prefix).take(
      clientId,
      limit,
    );
    expect(allowed).toBe(true);
    expect(resetMs).toBeLessThanOrEqual(60_001);
    // Each has the rest of its own, and Redis has counted one so far.
    expect(await processes.take(clientId, 150)).toBe(99);
    expect(await processes.take(clientId, 150)).toBe(0);
  });

  test('a clock of Redis that is corrected by a little forgets nothing, and nobody is told to wait for longer than a minute', async () => {
    const clientId = uniqueName('client');
    expect(await processes.take(clientId, 150)).toBe(100);
    await processes.ageThere(clientId, -900);
    expect(await processes.take(clientId, 150)).toBe(0);
    expect(retryAfterOf({ allowed: false, limit, remaining: 0, resetMs: 60_900 })).toBe('60');
  });

  test('whoever has more counted than a lowered limit allows is told when there is room again', async () => {
    const clientId = uniqueName('client');
    expect(await processes.take(clientId, 30)).toBe(30);
    await processes.age(clientId, 30_000);
    expect(await processes.take(clientId, 30)).toBe(30);
    // The last knows what Redis has counted, and nothing of its own.
    const { limiters, redis, prefix } = processes;
    for (const limiter of [...limiters, createRateLimiter(redis, prefix)]) {
      const { allowed, resetMs } = await limiter.take(clientId, 10);
      expect(allowed).toBe(false);
      // Those of a moment ago must leave too.
      expect(resetMs).toBeGreaterThan(45_000);
    }
    const clock = { now: 0 };
    const logs = createSlidingLogs({ windowMs: 60_000, now: () => clock.now });
    for (; clock.now < 30_000; clock.now += 300) logs.take([{ key: 'a', limit: 100 }], 1);
    const { granted, waitMs } = logs.take([{ key: 'a', limit: 10 }], 1);
    expect(granted).toBe(0);
    clock.now += waitMs - 1;
    expect(logs.take([{ key: 'a', limit: 10 }], 1).granted).toBe(0);
    clock.now += 1;
    expect(logs.take([{ key: 'a', limit: 10 }], 1).granted).toBe(1);
  });

  test('what was refused is counted nowhere: who waits as told gets through', async () => {
    const clientId = uniqueName('client');
    expect(await processes.take(clientId, 100)).toBe(100);
    await processes.age(clientId, 30_000);
    for (let round = 0; round < 5; round++) expect(await processes.take(clientId, 60)).toBe(0);
    const verdict = await processes.limiters[0]!.take(clientId, limit);
    expect(verdict).toMatchObject({ allowed: false, remaining: 0 });
    expect(verdict.resetMs).toBeLessThanOrEqual(30_001);
    await processes.age(clientId, verdict.resetMs + 1000);
    const [first] = processes.limiters;
    const after = await Promise.all(Array.from({ length: 150 }, () => first!.take(clientId, limit)));
    expect(after.filter(({ allowed }) => allowed)).toHaveLength(100);
  });

  test('what passes is told when the oldest leaves the window, not the newest, by whichever process', async () => {
    const clientId = uniqueName('client');
    const [first, second] = processes.limiters;
    await first!.take(clientId, limit);
    await processes.age(clientId, 30_000);
    for (const limiter of [first!, second!, first!]) {
      const verdict = await limiter.take(clientId, limit);
      expect(verdict.allowed).toBe(true);
      expect(verdict.resetMs).toBeLessThanOrEqual(30_001);
      expect(verdict.resetMs).toBeGreaterThan(0);
    }
  });

  test('a process that has let none pass tells how long to wait as Redis knows it', async () => {
    const clientId = uniqueName('client');
    const [first, second] = processes.limiters;
    for (let count = 0; count < limit; count++) await first!.take(clientId, limit);
    await processes.age(clientId, 40_000);
    const verdict = await second!.take(clientId, limit);
    expect(verdict).toMatchObject({ allowed: false, remaining: 0 });
    expect(verdict.resetMs).toBeLessThanOrEqual(20_001);
  });
});

test('operations: over two processes at once as many batches pass as have room, and never one more', async () => {
  // Redis has all the time that a busy machine may need: later than usual each process would count alone.
  const connections = [1, 2].map(() => new Redis(inject('redisUrl')));
  const prefix = uniqueName('limit');
  const limiters = connections.map((redis) => createOperationLimiter(redis, prefix, { waitMs: 60_000 }));
  try {
    await Promise.all(connections.map((redis) => redis.ping()));
    const clientId = uniqueName('client');
    const verdicts: Promise<{ allowed: boolean }>[] = [];
    for (let turn = 0; turn < 16; turn++) {
      for (const limiter of limiters)
        verdicts.push(limiter.take(clientId, 60, 5), limiter.take(clientId, 60, 5));
      await nextTurn();
    }
    expect((await Promise.all(verdicts)).filter(({ allowed }) => allowed)).toHaveLength(12);
  } finally {
    for (const redis of connections) redis.disconnect();
  }
});

test('operations: a batch that is refused beside one that passed is told when it has room, in whichever process', async () => {
  const connections = [1, 2].map(() => new Redis(inject('redisUrl')));
  const prefix = uniqueName('limit');
  const clientId = uniqueName('client');
  const log = `{${prefix}:operations:${clientId}}:log`;
  const clock = { movedMs: 0 };
  const [first, second] = connections.map((redis) =>
    createOperationLimiter(redis, prefix, {
      now: () => performance.now() + clock.movedMs,
      waitMs: 60_000,
    }),
  );
  try {
    await Promise.all(connections.map((redis) => redis.ping()));
    // 500 of 1,000, 100 each at five moments.
    for (let moment = 0; moment < 5; moment++) {
      expect((await first!.take(clientId, 1000, 100)).allowed).toBe(true);
      clock.movedMs += 10_000;
      const counted = (await connections[0]!.lrange(log, 0, -1)).map((each) => each.split(':').map(Number));
      await connections[0]!.del(log);
      for (const [at, count] of counted) await connections[0]!.rpush(log, `${at! - 10_000}:${count}`);
    }
    // 50, 40, 30, 20 and 10 s old. The second process knows of them by Redis alone.
    for (const [limiter, refusedHere] of [
      [first!, true],
      [second!, false],
    ] as const) {
      const copy = await connections[0]!.lrange(log, 0, -1);
      const batches = await Promise.all([
        limiter.take(clientId, 1000, 400),
        limiter.take(clientId, 1000, 400),
      ]);
      expect(
        batches.map(({ allowed }) => allowed),
        `refused here: ${refusedHere}`,
      ).toEqual([true, false]);
      const [passed, refused] = batches;
      expect(passed!.resetMs).toBeLessThanOrEqual(10_001);
      // 100 are left, so the three oldest must leave.
      expect(refused!.resetMs).toBeGreaterThan(20_001);
      expect(refused!.resetMs).toBeLessThanOrEqual(30_001);
      // As before, for the other process.
      await connections[0]!.del(log, log.replace(/log$/, 'total'));
      await connections[0]!.rpush(log, ...copy);
      await connections[0]!.set(log.replace(/log$/, 'total'), 500);
    }
  } finally {
    for (const redis of connections) redis.disconnect();
  }
});

describe('with a Redis that is lost', () => {
  let own: OwnRedis;
  let processes: Processes;
  beforeAll(async () => {
    own = await startOwnRedis();
  });
  afterAll(async () => {
    processes?.stop();
    await own.stop();
  });

  test('never over 100 in any 60 s from one process, whenever Redis forgets all it knew', async () => {
    processes = startProcesses(own.url, 1);
    await processes.ready();
    await untilCountedOver(processes);
    const clientId = uniqueName('client');
    expect(await processes.take(clientId, 60)).toBe(60);
    await own.redis.flushall();
    expect(await processes.take(clientId, 60)).toBe(40);
    await own.redis.flushall();
    processes.ageHere(59_000);
    expect(await processes.take(clientId, 60)).toBe(0);
    processes.ageHere(1500);
    expect(await processes.take(clientId, 150)).toBe(100);
    processes.stop();
  });

  test('each process holds the limit on its own: 200 over two when Redis is gone in the middle, and no more', async () => {
    processes = startProcesses(own.url);
    await processes.ready();
    await untilCountedOver(processes);
    const clientId = uniqueName('client');
    expect(await processes.take(clientId, 50)).toBe(50);
    // Gone for the one test that is left.
    await own.stop();
    await expect.poll(() => processes.redis.status, { interval: 5 }).not.toBe('ready');
    for (const limiter of processes.limiters) {
      const verdicts = await Promise.all(Array.from({ length: 150 }, () => limiter.take(clientId, limit)));
      // 25 of them passed before.
      expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(75);
      expect(verdicts.at(-1)).toMatchObject({ allowed: false, remaining: 0 });
    }
  });
});

test('a Redis that is late gives no second allowance', async () => {
  const redisUrl = new URL(inject('redisUrl'));
  const network = await startProxy(Number(redisUrl.port));
  redisUrl.hostname = '127.0.0.1';
  redisUrl.port = String(network.port);
  const processes = startProcesses(redisUrl.href, 1);
  try {
    await processes.ready();
    const clientId = uniqueName('client');
    let passed = 0;
    for (const state of ['open', 'stalled', 'open', 'cut', 'open'] as const) {
      network.setState(state);
      passed += await processes.take(clientId, 60);
      passed += await processes.take(clientId, 60);
    }
    expect(passed).toBe(100);
  } finally {
    processes.stop();
    network.close();
  }
});

test('in one process: never over the limit in any window, never refused with room, whatever comes when', () => {
  const windowMs = 60_000;
  const steps = fc.array(
    fc.record({
      laterMs: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: 0, max: 70_000 }),
      ),
      asked: fc.integer({ min: 1, max: 40 }),
      // How many of those that pass here are refused elsewhere.
      refused: fc.integer({ min: 0, max: 10 }),
    }),
    { maxLength: 60 },
  );
  const run = fc.check(
    fc.property(steps, fc.integer({ min: 1, max: 60 }), (taken, most) => {
      let now = 5;
      const logs = createSlidingLogs({ windowMs, now: () => now });
      const passed: number[] = [];
      for (const { laterMs, asked, refused } of taken) {
        now += laterMs;
        const before = passed.filter((at) => now - at <= windowMs).length;
        const { granted, remaining, resetMs, giveBack } = logs.take([{ key: 'a', limit: most }], asked);
        expect(granted).toBe(Math.min(asked, most - before));
        expect(remaining).toBe(most - before - granted);
        const oldest = passed.find((at) => now - at <= windowMs) ?? now;
        expect(resetMs).toBe(oldest + windowMs + 1 - now);
        const back = Math.min(granted, refused);
        giveBack(back);
        for (let count = 0; count < granted - back; count++) passed.push(now);
      }
    }),
  );
  expect(run.failed, fc.defaultReportMessage(run)).toBe(false);
});

test('in one process: a limit of a million costs a few thousand entries, and holds', () => {
  let now = 0;
  const logs = createSlidingLogs({ windowMs: 60_000, now: () => now });
  const keys = [{ key: 'a', limit: 1_000_000 }];
  const passed: { at: number; count: number }[] = [];
  for (; now < 200_000; now++) {
    passed.push({ at: now, count: logs.take(keys, 20).granted });
    if (now % 997 !== 0) continue;
    expect(logs.size().entries).toBeLessThanOrEqual(2002);
    const inWindow = passed.filter(({ at }) => now - at <= 60_000);
    expect(inWindow.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(1_000_000);
  }
  // As many as there is room for, but for the moment in which entries lie together.
  expect(passed.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(3_300_000);
});

test('in one process: a client that is gone for a minute is forgotten', () => {
  let now = 0;
  const logs = createSlidingLogs({ windowMs: 60_000, now: () => now });
  for (let client = 0; client < 5000; client++) logs.take([{ key: `client-${client}`, limit }], 1);
  expect(logs.size()).toEqual({ keys: 5000, entries: 5000 });
  now = 60_001;
  logs.take([{ key: 'another', limit }], 1);
  expect(logs.size()).toEqual({ keys: 1, entries: 1 });
});
