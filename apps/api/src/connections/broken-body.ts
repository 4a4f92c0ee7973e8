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
export async function unlessBroken<T>(request: IncomingMessage, reading: Promise<T>): Promise<T> {
  let tell = () => {};
  const broken = new Promise<never>((_, reject) => {
    tell = () => reject(reasons.get(request)!);
    if (reasons.has(request)) tell();
    else request.once(event, tell);
  });
  try {
    return await Promise.race([reading, broken]);
  } finally {
    request.off(event, tell);
  }
}
