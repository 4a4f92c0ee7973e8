import type { IncomingMessage } from 'node:http';
import type { Refused } from '../errors.ts';

const reasons = new WeakMap<IncomingMessage, Refused>();

/** Tells whoever reads the body of a request, now or later, that the rest of it will not come. */
export function breakBody(request: IncomingMessage, reason: Refused): void {
  if (reasons.has(request)) return;
  reasons.set(request, reason);
  // Without a listener an error would end the process.
  if (request.listenerCount('error') > 0) request.emit('error', reason);
}

/** Why the body of a request does not come whole; null when nothing is known against it. */
export function whyBroken(request: IncomingMessage): Refused | null {
  return reasons.get(request) ?? null;
}
