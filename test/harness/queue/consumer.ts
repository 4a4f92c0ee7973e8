import {
  type ConsumeOptions,
  type Consumer,
  createConsumer,
  type EnvelopeWorker,
} from '@inventory/queue/consume/consume';
import { onTestFinished } from 'vitest';
import { addressFor } from '../as-part.ts';
import { fixedKeys } from './envelopes.ts';
import { allApplied } from './outcomes.ts';

/**
 * The worker's side of a queue, without a database: it applies everything unless told otherwise. It ends with
 * the test, or when `whenOver` calls.
 */
export async function openConsumer(
  options: Pick<ConsumeOptions, 'redisUrl' | 'prefix'> & Partial<ConsumeOptions & EnvelopeWorker>,
  whenOver: (end: () => Promise<void>) => void = onTestFinished,
): Promise<Consumer> {
  const consumer = await createConsumer(
    {
      shardsMax: 1,
      keys: await fixedKeys(),
      concurrency: 4,
      report: () => {},
      ...options,
      redisUrl: addressFor('worker', options.redisUrl),
    },
    { apply: async (requests) => allApplied(requests), onUnserved: () => {}, ...options },
  );
  whenOver(() => consumer.close());
  return consumer;
}
