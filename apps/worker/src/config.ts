import { connections, count } from '@inventory/process/config';
import { z } from 'zod';

/** The settings of a worker process. */
export const workerSettings = {
  ...connections,
  /** Envelopes taken at once; all that are active at once are one batch. */
  WORKER_CONCURRENCY: count(1).default(4),
  /** Requests in one database transaction, about. */
  BATCH_MAX: count(1).default(256),
  /** Idempotency-Keys are removed so many days after they were first answered, or last refused. */
  IDEMPOTENCY_KEY_DAYS: count(7).default(8),
  /** Whether levels, lots and ledger are compared all the time, a few at a time. */
  BACKGROUND_AUDIT: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
};
