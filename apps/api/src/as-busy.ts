import { NeverBegunError } from '@inventory/db/statement-pool';
import { TooLateError } from '@inventory/process/within';
import { Failed, messages } from './errors.ts';

/**
 * Of work that no connection was free for in time: Postgres is there, and the caller may come again. Any
 * other error stays as it is.
 */
export function asBusy(error: unknown): unknown {
  return error instanceof NeverBegunError ? busy() : error;
}

/** The same, also of work that took longer than it may: of a dry run nothing else can be said. */
export function lateAsBusy(error: unknown): unknown {
  return error instanceof TooLateError ? busy() : asBusy(error);
}

function busy(): Failed {
  return new Failed(503, messages.unavailable, { 'Retry-After': '5' });
}
