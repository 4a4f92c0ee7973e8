import type { IncomingMessage } from 'node:http';
import type { Refused } from '../errors.ts';

const reasons = new WeakMap<IncomingMessage, Refused>();
const event = 'broken';

/** Tells whoever reads the body of a request, now or later, that the rest of it will not come. */
export function breakBody(request: IncomingMessage, reason: Refused): void {
  if (reasons.has(request)) return;
  reasons.set(request, reason);
  request.emit(event);
}

/** Calls `tell` with the reason when the body of the request is, or later turns out to be, broken. */
export function onBroken(request: IncomingMessage, tell: (reason: Refused) => void): void {
  const reason = reasons.get(request);
  if (reason === undefined) request.once(event, () => tell(reasons.get(request)!));
  else tell(reason);
}
