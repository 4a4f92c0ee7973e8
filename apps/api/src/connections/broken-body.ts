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

/** What `reading` gives; rejects with the reason when the body of the request is told to be broken first. */
export function unlessBroken<T>(request: IncomingMessage, reading: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (reasons.has(request)) reject(reasons.get(request)!);
    else request.once(event, () => reject(reasons.get(request)!));
    // A connection keeps its last request, which must not keep what was read of it.
    reading.finally(() => request.removeAllListeners(event)).then(resolve, reject);
  });
}
