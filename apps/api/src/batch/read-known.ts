import type { SentRequest } from '@inventory/db/requests/idempotency-keys';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import type { SubmitResult } from '@inventory/queue/submit';
import { unknownKey } from '../transactions.ts';

/** What was decided about requests, or under their keys, by request id; without the text of large answers. */
export type ReadOutcomes = (requests: readonly SentRequest[]) => Promise<Map<string, StoredOutcome>>;

/**
 * What is decided under the keys of these requests, and need not be settled; by request id. `withRefused`:
 * also which of them were refused a moment ago.
 */
export async function readKnown(
  keyed: readonly SentRequest[],
  readOutcomes: ReadOutcomes,
  withRefused: boolean,
): Promise<Map<string, SubmitResult>> {
  if (keyed.length === 0) return new Map();
  const outcomes = await readOutcomes(keyed).catch(unknownKey);
  return new Map([...outcomes].filter(([, { status }]) => withRefused || status !== 'abandoned'));
}
