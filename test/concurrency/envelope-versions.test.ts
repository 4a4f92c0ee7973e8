import { randomBytes, randomUUID } from 'node:crypto';
import type { QueuedRequest, StockRequest } from '@inventory/domain/stock/request';
import { queueName } from '@inventory/queue/envelope';
import { openQueue } from '@inventory/queue/queue';
import { blockMs, connectConsumer } from '@inventory/queue/redis/redis';
import { signEnvelope } from '@inventory/queue/signature';
import { type Queue, Worker } from 'bullmq';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openConsumer } from '../harness/queue/consumer.ts';
import { fixedKeys } from '../harness/queue/envelopes.ts';
import { allApplied } from '../harness/queue/outcomes.ts';
import { openSubmitter } from '../harness/queue/submitter.ts';

const redisUrl = inject('redisUrl');
const waits = { timeout: 60_000 };
const keys = await fixedKeys();

const request = (kind: string = 'receive'): QueuedRequest =>
  ({
    requestId: randomUUID(),
    clientId: 'somebody',
    deadline: Date.now() + 3_600_000,
    kind,
    body: { itemID: 'I', units: 1, wid: 1, reasonCode: 0 },
  }) as QueuedRequest;

function openQueueOf(prefix: string) {
  const redis = connectConsumer(redisUrl, '', () => {});
  const queue = openQueue({ shard: 0, prefix, connection: redis, onError: () => {} });
  onTestFinished(async () => {
    await queue.close();
    redis.disconnect();
  });
  return { redis, queue };
}

/** A worker that applies everything, and notes the attempt of each envelope. */
const applyNoting = (attempts: number[]) => async (requests: QueuedRequest[], attempt: number) => {
  attempts.push(attempt);
  return allApplied(requests);
};

/** A queue with a worker of this version; `attempts` are those of the envelopes it applied. */
async function openLine() {
  const prefix = `versions-${randomBytes(6).toString('hex')}`;
  const { redis, queue } = openQueueOf(prefix);
  const attempts: number[] = [];
  const reported: string[] = [];
  const consumer = await openConsumer({
    redisUrl,
    prefix,
    apply: applyNoting(attempts),
    report: (error, what) => reported.push(`${what}: ${error.message}`),
  });
  const sign = (requests: QueuedRequest[], version: number) => {
    const jobId = randomUUID();
    return { jobId, data: signEnvelope(keys, { queue: queue.qualifiedName, jobId }, requests, version) };
  };
  const add = async ({ jobId, data }: ReturnType<typeof sign>) => {
    await queue.add('envelope', data, { jobId, attempts: 3, removeOnComplete: true });
    return jobId;
  };
  return { prefix, redis, queue, consumer, attempts, reported, sign, add };
}

/** A worker of a later version that applies whatever it gets; `ids` are those of its jobs. */
function startLaterWorker(prefix: string): string[] {
  const redis = connectConsumer(redisUrl, '', () => {});
  const done: string[] = [];
  const worker = new Worker(
    queueName(0),
    async (job) => {
      done.push(job.id ?? '');
      return null;
    },
    { connection: redis, prefix, skipVersionCheck: true, drainDelay: blockMs / 1000 },
  );
  worker.on('error', () => {});
  onTestFinished(async () => {
    await worker.close(true);
    redis.disconnect();
  });
  return done;
}

const takenTimes = async (queue: Queue, jobId: string) => (await queue.getJob(jobId))?.attemptsStarted ?? 0;

const isEmpty = (queue: Queue) =>
  expect
    .poll(async () => Object.values(await queue.getJobCounts('wait', 'active', 'delayed')), waits)
    .toEqual([0, 0, 0]);

test.each([
  ['of a later version', [request()], 2],
  ['with an unknown kind of request', [request(), request('transfer')], 1],
])(
  'an envelope %s is left to a worker that knows it, whichever worker takes it first',
  async (_, requests, version) => {
    const { prefix, queue, consumer, attempts, reported, sign, add } = await openLine();
    const jobId = await add(sign(requests, version));
    await expect.poll(() => takenTimes(queue, jobId), waits).toBeGreaterThan(2);
    const done = startLaterWorker(prefix);
    await isEmpty(queue);
    expect(done).toEqual([jobId]);
    expect(attempts).toEqual([]);
    expect(consumer.refusedCount()).toBe(0);
    // Once, however often the envelope came.
    expect(reported).toEqual([
      'envelopes: 1 left to others: an api of a later version sent what this worker does not know',
    ]);
  },
);

test('a worker leaves work it does not know and goes on with the rest', async () => {
  const { queue, attempts, sign, add } = await openLine();
  const jobId = await add(sign([request()], 2));
  await expect.poll(() => takenTimes(queue, jobId), waits).toBeGreaterThan(1);
  for (let count = 1; count <= 5; count++) {
    await add(sign([request()], 1));
    await expect.poll(() => attempts.length, waits).toBe(count);
  }
  expect(attempts).toEqual(Array(5).fill(1));
  await queue.remove(jobId);
});

test('attempt 1: an envelope that other workers left', async () => {
  const { redis, prefix, queue, attempts, consumer, sign } = await openLine();
  await consumer.close();
  const { jobId, data } = sign([request()], 1);
  await queue.add('envelope', data, { jobId, removeOnComplete: true });
  await redis.hset(queue.toKey(jobId), 'ats', 7);
  await openConsumer({ redisUrl, prefix, apply: applyNoting(attempts) });
  await expect.poll(() => attempts, waits).toEqual([1]);
});

test('an envelope that no worker knows, of an api that has ended, is dropped in the end', async () => {
  const { redis, queue, attempts, consumer, sign, add } = await openLine();
  const jobId = await add(sign([request()], 2));
  await expect.poll(() => takenTimes(queue, jobId), waits).toBeGreaterThan(1);
  await redis.hset(queue.toKey(jobId), 'ats', 1000);
  await isEmpty(queue);
  expect(attempts).toEqual([]);
  expect(consumer.refusedCount()).toBe(0);
});

const unknownWithin = {
  kind: 'batch',
  body: { mode: 'atomic', count: 1, digest: '' },
  operations: [request('transfer')],
} as unknown as StockRequest;

test('503 and not applied: an envelope of a kind no worker knows is removed from the queue', async () => {
  const attempts: number[] = [];
  const { prefix, submit } = await openSubmitter({
    envelopeMax: 4,
    inFlightMax: 4,
    kind: unknownWithin,
  });
  const { queue } = openQueueOf(prefix);
  await openConsumer({ redisUrl, prefix, apply: applyNoting(attempts) });
  expect(await Promise.all(submit(1))).toEqual([{ status: 'abandoned', result: null }]);
  await isEmpty(queue);
  expect(attempts).toEqual([]);
});

test('work of another version that no api signed is refused, not left', async () => {
  const { queue, consumer, attempts, sign, add } = await openLine();
  const ofFirst = sign([request()], 1);
  const ofSecond = sign([request()], 2);
  await add({ ...ofFirst, data: { ...ofFirst.data, version: 2 } });
  await add({ ...ofSecond, data: { ...ofSecond.data, version: 1 } });
  await add({ ...sign([request()], 2), jobId: randomUUID() });
  for (const version of [0, -1, 1.5, '2', null, [2], {}] as number[]) {
    const signed = sign([request()], 1);
    await add({ ...signed, data: { ...signed.data, version } });
  }
  await isEmpty(queue);
  expect(consumer.refusedCount()).toBe(10);
  expect(attempts).toEqual([]);
});

test('attempt 1 when an envelope is first taken, 2 and 3 after failures', async () => {
  const attempts: number[] = [];
  const { submit, redisUrl, prefix } = await openSubmitter({ envelopeMax: 4, inFlightMax: 4 });
  await openConsumer({
    redisUrl,
    prefix,
    apply: async (requests, attempt) => {
      attempts.push(attempt);
      if (attempt < 3) throw new Error('the database is away');
      return allApplied(requests);
    },
  });
  // Long compared with the attempts: the request must not be settled before the third.
  const answers = submit(1, performance.now() + 60_000);
  await expect.poll(() => attempts, { timeout: 60_000 }).toEqual([1, 2, 3]);
  await Promise.all(answers);
});
