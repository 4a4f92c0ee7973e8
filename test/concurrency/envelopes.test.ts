import { randomBytes, randomUUID } from 'node:crypto';
import type { Outcome, QueuedRequest } from '@inventory/queue/envelope';
import { openQueue } from '@inventory/queue/queue';
import { connectConsumer } from '@inventory/queue/redis';
import { createSubmitter } from '@inventory/queue/submit';
import { expect, inject, test } from 'vitest';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The api's side of a queue without a worker: what is sent stays there, to be looked at, until the verdict. */
async function openSubmitter() {
  const prefix = `envelopes-${randomBytes(6).toString('hex')}`;
  const submitter = await createSubmitter({
    redisUrl: inject('redisUrl'),
    prefix,
    shardCount: 1,
    envelopeMax: 16,
    inFlightMax: 4,
    readOutcomes: async () => new Map(),
    settle: async (requestIds) =>
      new Map<string, Outcome>(requestIds.map((id) => [id, { status: 'abandoned', result: null }])),
    report: () => {},
  });
  const redis = connectConsumer(inject('redisUrl'), () => {});
  const queue = openQueue({ shard: 0, prefix, connection: redis, onError: () => {} });
  return {
    submit: (count: number) =>
      Array.from({ length: count }, () => {
        const body = { itemID: 'I', units: 1, wid: 1, reasonCode: 0 };
        const request = {
          requestId: randomUUID(),
          clientId: 'envelopes',
          deadline: Date.now(),
          kind: 'receive',
          body,
        };
        return submitter.submit(request as QueuedRequest, performance.now());
      }),
    sizes: async () => (await queue.getWaiting()).map((job) => job.data.requests.length),
    async close() {
      await submitter.close();
      await queue.close();
      redis.disconnect();
    },
  };
}

// Tried again: a machine that stands still for some milliseconds between two turns makes an envelope unusually late.
test('a few requests travel at once; behind many they travel together: full, or when the answers are late', {
  retry: 3,
}, async () => {
  const { submit, sizes, close } = await openSubmitter();
  const answers = submit(1);
  await turn();
  answers.push(...submit(8));
  await turn();
  for (let count = 0; count < 3; count++) {
    answers.push(...submit(1));
    await turn();
  }
  await expect.poll(sizes, { timeout: 1500, interval: 10 }).toEqual([1, 8, 3]);
  answers.push(...submit(16));
  await expect.poll(sizes, { timeout: 1500, interval: 10 }).toEqual([1, 8, 3, 16]);
  for (const { status } of await Promise.all(answers)) expect(status).toBe('abandoned');
  await close();
});
