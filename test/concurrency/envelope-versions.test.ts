import { randomUUID } from 'node:crypto';
import { kinds } from '@inventory/domain/kinds/kinds';
import type { QueuedRequest, StockRequest } from '@inventory/domain/request';
import { envelopeVersionOf, queueName } from '@inventory/queue/envelope';
import { openQueue } from '@inventory/queue/queue';
import { knownVersion } from '@inventory/queue/request-versions';
import { signEnvelope } from '@inventory/queue/signature';
import { blockMs, connectConsumer } from '@inventory/redis/redis';
import { Worker } from 'bullmq';
import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { openConsumer } from '../harness/queue/consumer.ts';
import { fixedKeys } from '../harness/queue/envelopes.ts';
import { allApplied } from '../harness/queue/outcomes.ts';
import { openSubmitter } from '../harness/queue/submitter.ts';
import { uniqueName } from '../harness/service/service.ts';

// One queue and one worker of this version for all tests.
const redisUrl = inject('redisUrl');
const prefix = uniqueName('versions');
const keys = await fixedKeys();
const redis = connectConsumer(redisUrl, '', () => {});
const queue = openQueue({ shard: 0, prefix, connection: redis, onError: () => {} });
let consumer: Awaited<ReturnType<typeof openConsumer>>;
/** Those of the envelopes that the worker took for known, and how many attempts of each fail. */
const attempts: number[] = [];
let failures = 0;
const reported: string[] = [];

beforeAll(async () => {
  const apply = async (requests: QueuedRequest[], attempt: number) => {
    attempts.push(attempt);
    if (attempt <= failures) throw new Error('the database is away');
    return allApplied(requests);
  };
  const report = (error: Error, what: string) => reported.push(`${what}: ${error.message}`);
  consumer = await openConsumer({ redisUrl, prefix, apply, report }, () => {});
});
beforeEach(() => {
  attempts.length = 0;
  failures = 0;
});
afterAll(async () => {
  await consumer?.close();
  await queue.close();
  redis.disconnect();
});

const request = (kind: string = 'receive'): QueuedRequest =>
  ({
    requestId: randomUUID(),
    clientId: 'somebody',
    deadline: Date.now() + 3_600_000,
    kind,
    body: { itemID: 'I', units: 1, wid: 1, reasonCode: 0 },
  }) as QueuedRequest;

function sign(requests: QueuedRequest[], version: number) {
  const jobId = randomUUID();
  return { jobId, data: signEnvelope(keys, { queue: queue.qualifiedName, jobId }, requests, version) };
}

async function add({ jobId, data }: ReturnType<typeof sign>, options: { delay?: number } = {}) {
  await queue.add('envelope', data, { jobId, attempts: 3, removeOnComplete: true, ...options });
  return jobId;
}

/** A worker of a later version that applies whatever it gets; `ids` are those of its jobs. */
function startLaterWorker(): string[] {
  const own = connectConsumer(redisUrl, '', () => {});
  const done: string[] = [];
  const worker = new Worker(
    queueName(0),
    async (job) => {
      done.push(job.id ?? '');
      return null;
    },
    { connection: own, prefix, skipVersionCheck: true, drainDelay: blockMs / 1000 },
  );
  worker.on('error', () => {});
  onTestFinished(async () => {
    await worker.close(true);
    own.disconnect();
  });
  return done;
}

const takenTimes = async (jobId: string) => (await queue.getJob(jobId))?.attemptsStarted ?? 0;

const isEmpty = () =>
  expect
    .poll(async () => Object.values(await queue.getJobCounts('wait', 'active', 'delayed')))
    .toEqual([0, 0, 0]);

test('an envelope of a later version or with an unknown kind of request is left to a worker that knows it, and the rest is done', async () => {
  const unknown = [
    await add(sign([request()], knownVersion + 1)),
    await add(sign([request(), request('transfer')], 1)),
  ].sort();
  for (const jobId of unknown) await expect.poll(() => takenTimes(jobId)).toBeGreaterThan(2);
  for (let count = 1; count <= 5; count++) {
    await add(sign([request()], 1));
    await expect.poll(() => attempts.length).toBe(count);
  }
  const done = startLaterWorker();
  await isEmpty();
  expect(done.sort()).toEqual(unknown);
  expect(attempts).toEqual(Array(5).fill(1));
  expect(consumer.refusedCount()).toBe(0);
  // Once, however often the envelopes came.
  expect(reported).toEqual([
    'envelopes: 1 left to others: an api of a later version sent what this worker does not know',
  ]);
});

test.each([
  ['in its body', { body: { itemID: 'I', units: 1, wid: 1, reasonCode: 0, colour: 'red' } }],
  ['beside its body', { colour: 'red' }],
  ['in its evidence', { evidence: { capturedAt: 1, colour: 'red' } }],
  ['in its key', { key: { digest: '', fingerprint: '', askedAt: 1, colour: 'red' } }],
  ['in the key of another', { after: { requestId: '', key: { digest: '', colour: 'red' } } }],
  [
    'in what it reverses',
    { kind: 'reverse', body: { transactionNo: 1 }, of: { kind: 'move', colour: 'red' } },
  ],
  [
    'naming a kind in what it reverses',
    { kind: 'reverse', body: { transactionNo: 1 }, of: { kind: 'transfer' } },
  ],
  [
    'in an operation',
    {
      kind: 'batch',
      body: { mode: 'atomic', count: 1, digest: '' },
      operations: [{ ...request(), body: { itemID: 'I', colour: 'red' } }],
    },
  ],
])(
  'an envelope is left if a request has a field %s that this version does not know, whatever version its api signed',
  async (_, more) => {
    const withField = { ...request(), ...more } as unknown as QueuedRequest;
    expect(envelopeVersionOf([request(), withField])).toBe(knownVersion + 1);
    const jobId = await add(sign([request(), withField], 1));
    await expect.poll(() => takenTimes(jobId)).toBeGreaterThan(2);
    const done = startLaterWorker();
    await isEmpty();
    expect({ done, attempts }).toEqual({ done: [jobId], attempts: [] });
  },
);

test('attempt 1: an envelope that other workers left', async () => {
  const jobId = await add(sign([request()], 1), { delay: 3_600_000 });
  await redis.hset(queue.toKey(jobId), 'ats', 7);
  await (await queue.getJob(jobId))!.promote();
  await expect.poll(() => attempts).toEqual([1]);
});

test('an envelope that no worker knows, of an api that has ended, is dropped in the end', async () => {
  const jobId = await add(sign([request()], knownVersion + 1));
  await expect.poll(() => takenTimes(jobId)).toBeGreaterThan(1);
  await redis.hset(queue.toKey(jobId), 'ats', 1000);
  await isEmpty();
  expect(attempts).toEqual([]);
  expect(consumer.refusedCount()).toBe(0);
});

test('503 and not applied: an envelope of a kind no worker knows is removed from the queue', async () => {
  // The api knows it; this is the worker's list of versions.
  Object.assign(kinds, { transfer: kinds.issue });
  onTestFinished(() => void Reflect.deleteProperty(kinds, 'transfer'));
  const kind = {
    kind: 'batch',
    body: { mode: 'atomic', count: 1, digest: '' },
    operations: [request('transfer')],
  } as unknown as StockRequest;
  const { submit } = await openSubmitter({ envelopeMax: 4, inFlightMax: 4, prefix, kind });
  expect(await Promise.all(submit(1))).toEqual([{ status: 'abandoned', result: null }]);
  await isEmpty();
  expect(attempts).toEqual([]);
});

test('work of another version that no api signed is refused, not left', async () => {
  const ofFirst = sign([request()], 1);
  const ofSecond = sign([request()], 2);
  await add({ ...ofFirst, data: { ...ofFirst.data, version: 2 } });
  await add({ ...ofSecond, data: { ...ofSecond.data, version: 1 } });
  await add({ ...sign([request()], 2), jobId: randomUUID() });
  for (const version of [0, -1, 1.5, '2', null, [2], {}] as number[]) {
    const signed = sign([request()], 1);
    await add({ ...signed, data: { ...signed.data, version } });
  }
  await isEmpty();
  expect(consumer.refusedCount()).toBe(10);
  expect(attempts).toEqual([]);
});

test('attempt 1 when an envelope is first taken, 2 and 3 after failures', async () => {
  failures = 2;
  const { submit } = await openSubmitter({ envelopeMax: 4, inFlightMax: 4, prefix });
  // Long compared with the attempts: the request must not be settled before the third.
  const answers = submit(1, performance.now() + 60_000);
  await expect.poll(() => attempts).toEqual([1, 2, 3]);
  await Promise.all(answers);
});
