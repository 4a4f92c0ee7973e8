import { drawReader, jobIdOf } from '@inventory/queue/answer-streams';
import type { Consumer } from '@inventory/queue/consume/consume';
import { serveShard } from '@inventory/queue/consume/serve-shard';
import { shareShards } from '@inventory/queue/consume/share-shards';
import { queueName } from '@inventory/queue/envelope';
import { openQueue } from '@inventory/queue/queue';
import { leaveSeat, readSeating, readShardCount, seatKeys, seatMs, takeSeat } from '@inventory/queue/seats';
import { signEnvelope } from '@inventory/queue/signature';
import { keepSeen, lookAtQueue } from '@inventory/queue/workers-seen';
import { connectProducer } from '@inventory/redis/redis';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openConsumer } from '../harness/queue/consumer.ts';
import { fixedKeys } from '../harness/queue/envelopes.ts';
import { allApplied } from '../harness/queue/outcomes.ts';
import { createRequest, openSubmitter } from '../harness/queue/submitter.ts';
import { startOwnRedis } from '../harness/servers/own-redis.ts';
import { uniqueName } from '../harness/service/service.ts';

const own = await startOwnRedis();
const { redis, url: redisUrl } = own;
const sizes = { envelopeMax: 4, inFlightMax: 4 };
afterAll(() => own.stop());

// Longer than any machine stands still.
const longMs = 600_000;

const idOf = (name: string) => `${name}:1:00000000`;
const sit = (prefix: string, name: string, said: Partial<Parameters<typeof takeSeat>[2]> = {}) =>
  takeSeat(
    redis,
    prefix,
    {
      ...{ id: idOf(name), shardsMax: 64, isAble: true, empty: [], found: [] },
      ...said,
    },
    longMs,
  );
const mineOf = async (...args: Parameters<typeof sit>) => (await sit(...args)).mine;

/** Makes every entry look older by this much. */
async function age(prefix: string, byMs: number): Promise<void> {
  const { seats, shards } = seatKeys(prefix);
  for (const [id, said] of Object.entries(await redis.hgetall(seats))) {
    const [expires, ...rest] = said.split(' ');
    await redis.hset(seats, id, [Number(expires) - byMs, ...rest].join(' '));
  }
  for (const [field, value] of Object.entries(await redis.hgetall(shards))) {
    if (field.startsWith('out')) await redis.hset(shards, field, Number(value) - byMs);
  }
}

test('a seat expires by itself', async () => {
  const prefix = uniqueName('seats');
  const said = { id: idOf('a'), shardsMax: 64, isAble: true, empty: [], found: [] };
  expect((await takeSeat(redis, prefix, said)).mine).toEqual([0]);
  await expect.poll(() => mineOf(prefix, 'b'), { interval: seatMs / 4 }).toContain(0);
});

test('a seat dated further ahead than any seat can be belongs to nobody: the clock of Redis was set back', async () => {
  const prefix = uniqueName('seats');
  expect(await mineOf(prefix, 'dead')).toEqual([0]);
  expect(await sit(prefix, 'a')).toEqual({ count: 2, mine: [1] });
  await age(prefix, -3_600_000);
  expect((await readSeating(redis, prefix, longMs)).workers).toEqual([]);
  expect(await sit(prefix, 'a')).toEqual({ count: 1, mine: [0, 1] });
  // The notes about shards out of use, too, or they would be held for as long.
  await age(prefix, -3_600_000);
  await sit(prefix, 'a');
  await age(prefix, 60_000);
  expect(await mineOf(prefix, 'a', { empty: [1] })).toEqual([0]);
});

test('a small correction of the clock of Redis takes nobody’s seat', async () => {
  const prefix = uniqueName('seats');
  for (const name of ['a', 'b']) await sit(prefix, name);
  await age(prefix, -60_000);
  expect(await sit(prefix, 'b')).toEqual({ count: 2, mine: [1] });
});

test('a shard out of use is held until it is empty and was so for a while', async () => {
  const prefix = uniqueName('seats');
  for (const name of ['a', 'b']) await sit(prefix, name);
  await leaveSeat(redis, prefix, idOf('b'), longMs);
  expect(await sit(prefix, 'a')).toEqual({ count: 1, mine: [0, 1] });
  // As if that had been just now, however long this test takes.
  await age(prefix, -60_000);
  expect(await mineOf(prefix, 'a', { empty: [1] })).toEqual([0, 1]);
  await age(prefix, 120_000);
  expect(await mineOf(prefix, 'a')).toEqual([0, 1]);
  expect(await mineOf(prefix, 'a', { empty: [1] })).toEqual([0]);
  expect((await readSeating(redis, prefix, longMs)).shards).toHaveLength(1);
});

test('a worker that cannot do its work has no shard while another one can, and has one when nobody can', async () => {
  const prefix = uniqueName('seats');
  for (const name of ['a', 'b']) await sit(prefix, name);
  expect(await mineOf(prefix, 'a', { isAble: false })).toEqual([]);
  expect(await sit(prefix, 'b')).toEqual({ count: 1, mine: [0, 1] });
  expect((await sit(prefix, 'b', { isAble: false })).count).toBe(2);
  expect(await mineOf(prefix, 'a', { isAble: false })).not.toEqual([]);
});

test('workers with different values of QUEUE_SHARDS agree on the smallest', async () => {
  const prefix = uniqueName('seats');
  for (const name of ['a', 'b', 'c']) await sit(prefix, name);
  const told = [await sit(prefix, 'd', { shardsMax: 2 }), await sit(prefix, 'a'), await sit(prefix, 'b')];
  expect(told.map(({ count }) => count)).toEqual([2, 2, 2]);
  expect((await readSeating(redis, prefix, longMs)).shards.filter(({ isInUse }) => isInUse)).toHaveLength(2);
});

/** Workers on one queue, and the items that came to each. */
async function openWorkers(prefix: string, count: number) {
  const took: Set<string>[] = Array.from({ length: count }, () => new Set());
  const consumers: Consumer[] = [];
  for (const items of took) {
    consumers.push(
      await openConsumer({
        redisUrl,
        prefix,
        shardsMax: 64,
        apply: async (requests) => {
          for (const each of requests)
            if (each.kind !== 'batch') items.add((each.body as { itemID: string }).itemID);
          return allApplied(requests);
        },
      }),
    );
  }
  return { took, consumers };
}

test('every item is applied by one of three workers, and by another one after that has closed', async () => {
  const { submitRequests, prefix } = await openSubmitter({ ...sizes, redisUrl });
  const { took, consumers } = await openWorkers(prefix, 3);
  await expect.poll(() => readShardCount(redis, prefix)).toBe(3);
  await expect.poll(() => consumers.map((each) => each.shardCount())).toEqual([1, 1, 1]);
  const items = Array.from({ length: 30 }, (_, index) => `ITEM-${index}`);
  const send = async () => {
    const answers = await Promise.all(
      submitRequests(
        items.map((itemID) => createRequest(itemID)),
        performance.now() + 60_000,
      ),
    );
    return new Set(answers.map(({ status }) => status));
  };
  const sets = () => took.map((each) => [...each].sort());
  // The api may not know of the last worker yet.
  await expect
    .poll(async () => {
      for (const each of took) each.clear();
      expect(await send()).toEqual(new Set(['applied']));
      return took.every(({ size }) => size > 0) && took.reduce((sum, { size }) => sum + size, 0);
    })
    .toBe(items.length);
  expect(sets().flat().sort()).toEqual([...items].sort());
  await consumers[1]!.close();
  for (let turn = 0; turn < 3; turn++) expect(await send()).toEqual(new Set(['applied']));
});

test('a worker that closes while it looks for work takes no seat afterwards', async () => {
  const prefix = uniqueName('closes');
  const producer = connectProducer(redisUrl, () => {});
  onTestFinished(() => producer.disconnect());
  const held: (() => void)[] = [];
  let isHeld = true;
  // The holder of the first shard looks at others and gets no answer before it has closed.
  const slow = new Proxy(producer, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'llen') return typeof value === 'function' ? value.bind(target) : value;
      return async (key: string) => {
        if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
        return target.llen(key);
      };
    },
  });
  const share = shareShards({
    ...{ producer: slow, prefix, workerId: idOf('closes'), shardsMax: 64, isAble: () => true },
    serve: (shard) => ({ shard, queue: null as never, isOpen: () => true, close: async () => {} }),
    report: () => {},
  });
  await expect.poll(() => held.length).toBeGreaterThan(0);
  await share.close();
  expect(await mineOf(prefix, 'next')).toEqual([0]);
  isHeld = false;
  for (const lookOn of held) lookOn();
  // By then it would have asked.
  for (let turn = 0; turn < 5; turn++) await producer.ping();
  expect((await readSeating(redis, prefix, longMs)).workers).toEqual(['next:1']);
});

test('work is done in a shard that is not in use, of an api that does not know', async () => {
  const prefix = uniqueName('lost');
  const { took } = await openWorkers(prefix, 1);
  const queue = openQueue({ shard: 5, prefix, connection: redis, onError: () => {} });
  onTestFinished(() => queue.close());
  const jobId = jobIdOf(drawReader('testsite'), 1);
  const place = { queue: queue.qualifiedName, jobId };
  await queue.add('envelope', signEnvelope(await fixedKeys(), place, [createRequest('LOST')]), {
    jobId,
    removeOnComplete: true,
  });
  await expect.poll(() => [...took[0]!]).toEqual(['LOST']);
});

test('serving and giving up a shard leaves no listener on the shared connection', async () => {
  const producer = connectProducer(redisUrl, () => {});
  onTestFinished(() => producer.disconnect());
  await expect.poll(() => producer.status).toBe('ready');
  const listeners = () => producer.eventNames().map((name) => [name, producer.listenerCount(name)]);
  const serve = () =>
    serveShard({
      ...{ redisUrl, prefix: uniqueName('served'), shard: 0, workerId: 'w:1', producer, concurrency: 1 },
      ...{ work: async () => null, onUnserved() {}, onAnswerTaken() {}, report() {} },
    });
  await serve().close();
  const before = listeners();
  for (let turn = 0; turn < 12; turn++) {
    const served = serve();
    await expect.poll(() => served.isOpen()).toBe(true);
    await served.close();
  }
  expect(listeners()).toEqual(before);
});

test('all shards are assigned anew after Redis has lost the assignments', async () => {
  const { submitRequests, prefix } = await openSubmitter({ ...sizes, redisUrl });
  const { consumers } = await openWorkers(prefix, 3);
  const held = () => consumers.map((each) => each.shardCount());
  await expect.poll(held).toEqual([1, 1, 1]);
  const { seats, shards } = seatKeys(prefix);
  await redis.del(seats, shards);
  await expect.poll(() => readShardCount(redis, prefix)).toBe(3);
  const answers = await Promise.all(
    submitRequests(
      ['A', 'B', 'C', 'D', 'E', 'F'].map((itemID) => createRequest(itemID)),
      performance.now() + 60_000,
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['applied']));
  const inUse = async () =>
    (await readSeating(redis, prefix, longMs)).shards.filter(({ isInUse }) => isInUse).length;
  await expect.poll(inUse).toBe(3);
});

test('the seats leave Redis soon after the last worker', async () => {
  const prefix = uniqueName('seats');
  const { consumers } = await openWorkers(prefix, 1);
  await expect.poll(() => readShardCount(redis, prefix)).toBe(1);
  await consumers[0]!.close();
  const { seats, shards } = seatKeys(prefix);
  expect(await redis.hgetall(seats)).toEqual({});
  expect(await redis.pttl(shards)).toBeGreaterThan(0);
  expect(await redis.exists(`${prefix}:${queueName(0)}:wait`)).toBe(0);
});

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
  await expect.poll(namesSeen).toContain('live:1');
  expect(await redis.zrange(key, '0', '-1')).not.toContain(idOf('dead'));
  expect(await namesSeen()).toContain('corrected:1');
});

test('a worker dated an hour ahead is not there; a look fails in a Redis that takes no writes', async () => {
  const { queue } = await workersSeenAgo({ dead: -3_600_000 });
  expect(await lookAtQueue(redis, [queue])).toMatchObject({ workers: 0, lastSeenMs: null });
  // No worker could be noted there.
  await redis.config('SET', 'maxmemory', '1');
  onTestFinished(() => redis.config('SET', 'maxmemory', '0').then(() => {}));
  await expect(lookAtQueue(redis, [queue])).rejects.toThrow(/^OOM/);
});
