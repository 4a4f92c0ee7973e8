import type { Outcome } from '@inventory/domain/stock/outcome';
import type { QueuedRequest } from '@inventory/domain/stock/request';
import type { SentRequest } from '../requests/idempotency-keys.ts';

/**
 * The requests that some of these come after, and that are not among them: another batch had them, or has
 * them still.
 */
export function missingBefore(requests: readonly QueuedRequest[]): SentRequest[] {
  const behind = requests.filter(({ after }) => after !== undefined);
  if (behind.length === 0) return [];
  const ids = new Set(requests.map(({ requestId }) => requestId));
  return behind.flatMap(({ after, clientId }) => (ids.has(after!.requestId) ? [] : { ...after!, clientId }));
}

/**
 * Whether what comes after a request of this outcome may be applied. Behind one that was not applied, and not
 * refused either, nothing is: sent again, it would come after what it stood before.
 */
export function isPassed({ status, result }: Pick<Outcome, 'status' | 'result'>): boolean {
  return status === 'applied' || status === 'refused' || (status === 'abandoned' && result !== null);
}
