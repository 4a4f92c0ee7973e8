import { connections, count } from '@inventory/process/settings/config';
import { z } from 'zod';

/** The settings of a worker process. */
export const workerSettings = {
  ...connections,
  /** Envelopes taken at once. All active envelopes form one batch. */
  WORKER_CONCURRENCY: count(1).default(4),
  /** The approximate number of requests in one database transaction. */
  BATCH_MAX: count(1).default(256),
  /** Idempotency-Keys are removed this many days after they were first answered or last refused. */
  IDEMPOTENCY_KEY_DAYS: count(7).default(8),
  /** Whether levels, lots and ledger are compared continually, a few at a time. */
  BACKGROUND_AUDIT: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
};
