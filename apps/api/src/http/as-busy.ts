import { NeverBegunError } from '@inventory/postgres/statement-pool';
import { TooLateError } from '@inventory/process/within';
import { Failed, messages } from './errors.ts';

/**
 * Turns "no connection was free in time" into 503 `busy`: Postgres works, and the caller may try again.
 * Returns other errors unchanged.
 */
export function asBusy(error: unknown): unknown {
  return error instanceof NeverBegunError ? busy() : error;
}

/**
 * Like `asBusy`, and also for work that took too long. A dry run changes nothing, so the caller can simply
 * try again.
 */
export function lateAsBusy(error: unknown): unknown {
  return error instanceof TooLateError ? busy() : asBusy(error);
}

function busy(): Failed {
  return new Failed(503, messages.unavailable, { 'Retry-After': '5' });
}
