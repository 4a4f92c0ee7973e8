import type { IncomingMessage } from 'node:http';

const held = new WeakSet<IncomingMessage>();

/** The body of this request waits for us: its sender is not late. */
export function holdBody(request: IncomingMessage): void {
  held.add(request);
}

/** From now on its sender's time counts. */
export function releaseBody(request: IncomingMessage): void {
  held.delete(request);
}

export function isBodyHeld(request: IncomingMessage): boolean {
  return held.has(request);
}
