import type { SentRequest } from '@inventory/db/requests/idempotency-keys';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { isUnanswered } from '@inventory/postgres/pool';
import { unknownOutcome } from '../http/errors.ts';

/**
 * Returns the outcomes of requests, found by their ids or their keys, by request id. Large answers come
 * without their text.
 */
export type ReadOutcomes = (requests: readonly SentRequest[]) => Promise<Map<string, StoredOutcome>>;

/**
 * Returns the outcomes that are already decided under the keys of these requests and need no settling, by
 * request id. `withRefused` also returns the requests that were refused a moment ago. Throws Failed if
 * Postgres does not answer.
 */
export async function readKnown(
  keyed: readonly SentRequest[],
  readOutcomes: ReadOutcomes,
  withRefused: boolean,
): Promise<Map<string, StoredOutcome>> {
  if (keyed.length === 0) return new Map();
  const outcomes = await readOutcomes(keyed).catch(unknownKey);
  return new Map([...outcomes].filter(([, { status }]) => withRefused || status !== 'abandoned'));
}

/** Postgres could not look up or settle the key, so an earlier send of it may be applied. */
export function unknownKey(error: unknown): never {
  throw isUnanswered(error) ? unknownOutcome() : error;
}
