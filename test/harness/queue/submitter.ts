import { randomBytes, randomUUID } from 'node:crypto';
import type { QueuedRequest, StockRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { queueName } from '@inventory/queue/envelope';
import { openQueue } from '@inventory/queue/queue';
import { type SubmitOptions, type SubmitResult, Submitter } from '@inventory/queue/submit/submit';
import { connectConsumer } from '@inventory/redis/redis';
import { inject, onTestFinished } from 'vitest';
import { addressFor } from '../as-part.ts';
import { fixedKeys } from './envelopes.ts';

/** The end of this turn of the event loop, when waiting requests are sent. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));

export type TestSubmitter = {
  redisUrl: string;
  prefix: string;
  /** Submits this many requests in this turn, all for one queue, arriving now unless told otherwise. */
  submit(count: number, arrivedAt?: number): Promise<SubmitResult>[];
  /** Submits these requests in this turn. */
  submitRequests(requests: readonly QueuedRequest[], arrivedAt: number): Promise<SubmitResult>[];
  /** Ends it before the test does. */
  close(): Promise<void>;
  /** The number of requests in each sent envelope, oldest first. */
  sizes(): Promise<number[]>;
};

/**
 * The api's side of a queue without a worker: envelopes stay there, to be looked at, until `readOutcomes` or
 * the verdict answers. It ends with the test, however that ends. `kind` is that of the requests; a receipt by
 * default.
 */
export async function openSubmitter(
  options: Pick<SubmitOptions, 'envelopeMax' | 'inFlightMax'> &
    Partial<Pick<SubmitOptions, 'readOutcomes' | 'settle' | 'redisUrl' | 'report' | 'prefix'>> & {
      kind?: StockRequest;
    },
): Promise<TestSubmitter> {
  const prefix = options.prefix ?? `submitter-${randomBytes(6).toString('hex')}`;
  const redisUrl = options.redisUrl ?? inject('redisUrl');
  const submitter = await Submitter.open({
    keys: await fixedKeys(),
    readOutcomes: async () => new Map(),
    settle: async (requests) =>
      new Map<string, Outcome>(
        requests.map(({ requestId }) => [requestId, { status: 'abandoned', result: null }]),
      ),
    report: () => {},
    ...options,
    prefix,
    redisUrl: addressFor('api', redisUrl),
  });
  const redis = connectConsumer(redisUrl, `${prefix}:${queueName(0)}`, () => {});
  const queue = openQueue({ shard: 0, prefix, connection: redis, onError: () => {} });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= submitter.close();
    return closing;
  };
  onTestFinished(async () => {
    await close();
    await queue.close();
    redis.disconnect();
  });
  return {
    redisUrl,
    prefix,
    submit: (count, arrivedAt = performance.now()) =>
      Array.from({ length: count }, () => {
        const [answer] = submitter.submit([{ ...createRequest(), ...options.kind }], arrivedAt);
        return answer!;
      }),
    submitRequests: (requests, arrivedAt) =>
      requests.flatMap((request) => submitter.submit([request], arrivedAt)),
    close,
    sizes: async () => (await queue.getWaiting()).map((job) => job.data.requests.length),
  };
}

/** A receipt that no worker has to apply any more. */
export function createRequest(itemID = 'I'): QueuedRequest {
  return {
    requestId: randomUUID(),
    clientId: 'submitter',
    deadline: Date.now(),
    kind: 'receive',
    body: { itemID, units: 1, wid: 1, reasonCode: 0 },
  };
}
