import type { IncomingMessage } from 'node:http';
import type { Refused } from '../errors.ts';

const reasons = new WeakMap<IncomingMessage, Refused>();

/** Fails the current or next read of a request's body: the rest of it will not come. */
export function breakBody(request: IncomingMessage, reason: Refused): void {
  if (reasons.has(request)) return;
  reasons.set(request, reason);
  // An 'error' event without a listener would crash the process.
  if (request.listenerCount('error') > 0) request.emit('error', reason);
}

/** Returns the reason that `breakBody` gave for this request, or null. */
export function whyBroken(request: IncomingMessage): Refused | null {
  return reasons.get(request) ?? null;
}
