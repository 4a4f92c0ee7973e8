import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import type { SentRequest } from '../requests/idempotency-keys.ts';

/**
 * The earlier requests that some of these must follow and that are not among them: another batch had them, or
 * still has them.
 */
export function missingBefore(requests: readonly QueuedRequest[]): SentRequest[] {
  const behind = requests.filter(({ after }) => after !== undefined);
  if (behind.length === 0) return [];
  const ids = new Set(requests.map(({ requestId }) => requestId));
  return behind.flatMap(({ after, clientId }) => (ids.has(after!.requestId) ? [] : { ...after!, clientId }));
}

/**
 * Whether the request behind one with this outcome may be applied. If a request was neither applied nor
 * refused, nothing behind it is applied: a resend of it would come after requests that it should precede.
 */
export function isPassed({ status, result }: Pick<Outcome, 'status' | 'result'>): boolean {
  return status === 'applied' || status === 'refused' || (status === 'abandoned' && result !== null);
}
