import { randomBytes, randomUUID } from 'node:crypto';
import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { answersKey, readerOf } from '@inventory/queue/answer-streams';
import { openQueue } from '@inventory/queue/queue';
import { createRefusals } from '@inventory/queue/refusals';
import { signAnswer, signEnvelope } from '@inventory/queue/signature';
import { connectConsumer } from '@inventory/redis/redis';
import type { Queue } from 'bullmq';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { openConsumer } from '../harness/queue/consumer.ts';
import { fixedKeys } from '../harness/queue/envelopes.ts';
import { allApplied } from '../harness/queue/outcomes.ts';
import { openSubmitter } from '../harness/queue/submitter.ts';
import { useService } from '../harness/service/service.ts';
import { receive } from '../harness/stock/stock.ts';

// An attacker who may do anything with Redis, and has nothing else.
function openForger(prefix: string): { queue: Queue; redis: ReturnType<typeof connectConsumer> } {
  const redis = connectConsumer(inject('redisUrl'), '', () => {});
  const queue = openQueue({ shard: 0, prefix, connection: redis, onError: () => {} });
  onTestFinished(async () => {
    await queue.close();
    redis.disconnect();
  });
  return { queue, redis };
}

const requestOf = (units = 1_000_000): QueuedRequest => ({
  requestId: randomUUID(),
  clientId: 'somebody',
  deadline: Date.now() + 3_600_000,
  kind: 'receive',
  body: { itemID: 'I', units, wid: 1, reasonCode: 0 },
});

const noWork = (queue: Queue) =>
  expect
    .poll(async () => Object.values(await queue.getJobCounts('wait', 'active', 'delayed')))
    .toEqual([0, 0, 0]);

test('a worker applies nothing that no api signed for this very job, reports it once, and goes on with a job that an api signed', async () => {
  const keys = await fixedKeys();
  const prefix = `forged-${randomBytes(6).toString('hex')}`;
  const { queue, redis } = openForger(prefix);
  const applied: QueuedRequest[] = [];
  const reported: string[] = [];
  const signed = (jobId: string, requests: QueuedRequest[], shard = 0) =>
    signEnvelope(keys, { queue: `${prefix}:{stock-${shard}}`, jobId }, requests, 1);
  const retried = { attempts: 3, backoff: { type: 'fixed', delay: 1 }, removeOnFail: true };
  const add = (data: unknown, jobId: string = randomUUID()) =>
    queue.add('envelope', data, { jobId, ...retried });
  const genuine = signed('genuine', [requestOf()]);
  const forged: unknown[] = [
    { requests: [requestOf()] },
    { ...genuine, mac: undefined },
    { ...genuine, mac: genuine.mac.slice(0, -2) },
    { ...genuine, mac: '' },
    { ...genuine, mac: randomBytes(32).toString('base64url') },
    { ...genuine, mac: [genuine.mac] },
    { ...genuine, key: 2 },
    { ...genuine, key: 'constructor' },
    { ...genuine, requests: [{ ...genuine.requests[0], clientId: 'other' }] },
    { ...genuine, requests: [...genuine.requests, requestOf()] },
    { ...genuine, requests: { length: 1, 0: requestOf() } },
    // A signed job copied under another id, or signed for another queue.
    genuine,
    signEnvelope(keys, { queue: `other:{stock-0}`, jobId: 'elsewhere' }, [requestOf()]),
    null,
    0,
    'text',
    [requestOf()],
    {},
  ];
  for (const data of forged) await add(data);
  await add(signed('shard', [requestOf()], 1), 'shard');
  // A signature of the right key over something else: a worker's words.
  const answer = signAnswer(keys, { queue: `${prefix}:{stock-0}`, jobId: 'answer' }, [['applied', '{}']]);
  await add({ ...answer, requests: [requestOf()] }, 'answer');
  const unreadable = [{ data: '{"requests":[' }, { opts: '{"attempts":' }, { opts: 'null' }];
  for (const [index, fields] of unreadable.entries()) {
    await add({}, `unreadable-${index}`);
    await redis.hset(queue.toKey(`unreadable-${index}`), fields);
  }
  const consumer = await openConsumer({
    redisUrl: inject('redisUrl'),
    prefix,
    apply: async (requests) => {
      applied.push(...requests);
      return allApplied(requests);
    },
    report: (error, what) => reported.push(`${what}: ${error.message}`),
  });
  const last = requestOf(5);
  await add(signed('last', [last]), 'last');
  await expect.poll(() => applied).toEqual([last]);
  await noWork(queue);
  expect(applied).toEqual([last]);
  expect(consumer.refusedCount()).toBe(forged.length + 2 + unreadable.length);
  const told = reported.filter((line) => line.startsWith('envelopes: '));
  expect(told).toEqual(['envelopes: 1 refused: not signed by this service for this job']);
  expect(reported.join()).not.toContain('1000000');
});

describe('an api', async () => {
  const keys = await fixedKeys();
  const applied: Outcome = { status: 'applied', result: '{}' };

  /** A request under way that no worker has touched, and what Postgres is asked about it. */
  async function openApi() {
    const asked: string[][] = [];
    const { submit, prefix } = await openSubmitter({
      envelopeMax: 4,
      inFlightMax: 4,
      readOutcomes: async (requests) => {
        asked.push(requests.map(({ requestId }) => requestId));
        return new Map();
      },
    });
    const { queue, redis } = openForger(prefix);
    const [answer] = submit(1);
    let jobId = '';
    await expect
      .poll(async () => ([jobId = ''] = (await queue.getWaiting()).map(({ id }) => id!)))
      .toHaveLength(1);
    const tell = (returnvalue: unknown) =>
      redis.xadd(
        answersKey(queue.qualifiedName, readerOf(jobId)!),
        ...['*', 'event', 'completed', 'jobId', jobId, 'prev', 'active'],
        'returnvalue',
        typeof returnvalue === 'string' ? returnvalue : JSON.stringify(returnvalue),
      );
    const place = (changed: Partial<{ queue: string; jobId: string }>) => ({
      queue: queue.qualifiedName,
      jobId,
      ...changed,
    });
    return { answer: answer!, asked, tell, place };
  }

  const results: [[Outcome['status'], string]] = [['applied', '{}']];

  test('gives the answer that a worker signed for this job', async () => {
    const { answer, tell, place } = await openApi();
    await tell(signAnswer(keys, place({}), results));
    expect(await answer).toEqual(applied);
  });

  test('ignores an answer that no worker signed for this job, and asks Postgres', async () => {
    const { answer, asked, tell, place } = await openApi();
    const genuine = signAnswer(keys, place({}), [['refused', '{"code":"conflict"}']]);
    const two = (...texts: string[]) => texts.map((text): [Outcome['status'], string] => ['applied', text]);
    const ofTwo = signAnswer(keys, place({}), two('{}', '[]'));
    for (const forged of [
      results,
      { results },
      { ...genuine, results },
      { ...genuine, results: [['applied', genuine.results[0]![1]]] },
      // The same letters, split elsewhere.
      { ...ofTwo, results: two('{}[', ']') },
      { ...genuine, results: 'refused' },
      { ...genuine, results: [null] },
      { ...genuine, key: 2 },
      signAnswer(keys, place({ jobId: randomUUID() }), results),
      signAnswer(keys, place({ queue: 'other:{stock-0}' }), results),
      { ...signEnvelope(keys, place({}), [requestOf()]), results },
      null,
      '{',
      '"applied"',
    ]) {
      await tell(forged);
    }
    // Nothing was done for it, so that is the verdict.
    expect(await answer).toEqual({ status: 'abandoned', result: null });
    expect(asked.length).toBeGreaterThan(0);
  });
});

describe('the service', () => {
  const prefix = `forgery-${randomBytes(6).toString('hex')}`;
  const service = useService({ env: { QUEUE_PREFIX: prefix } });

  async function stockOf(itemID: string): Promise<number> {
    const [level] = await service.sql<{ in_stock: string }[]>`
      select in_stock
      from stock_level
      join item using (part_no)
      where short_id = ${itemID}`;
    return Number(level?.in_stock);
  }

  test('a job that an attacker put into Redis in a client’s name does not create a million units', async () => {
    const { queue } = openForger(prefix);
    const client = await service.client();
    const itemID = await service.item();
    await receive(client, itemID, 5);
    const { body, ...rest } = requestOf();
    const request = { ...rest, clientId: client.clientId, body: { ...body, itemID } };
    await queue.add('envelope', { requests: [request] }, { jobId: randomUUID(), removeOnComplete: true });
    await noWork(queue);
    expect(await stockOf(itemID)).toBe(5);
    await receive(client, itemID, 2);
    expect(await stockOf(itemID)).toBe(7);
  });
});

test('refusals count for some minutes, and again when they come again', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  const refusals = createRefusals('envelopes', ({ message }) => told.push(message));
  refusals.note();
  refusals.note();
  for (const [minutes, count] of [
    [0, 2],
    [4, 2],
    [7, 0],
  ] as const) {
    vi.advanceTimersByTime(minutes * 60_000);
    expect(refusals.count()).toBe(count);
  }
  refusals.note();
  expect(refusals.count()).toBe(1);
  expect(told.map((each) => Number.parseInt(each, 10))).toEqual([1, 2]);
});
