import { randomUUID } from 'node:crypto';

/**
 * Creates a UUID of version 7. It begins with the time (48 bits), so new ids are neighbours in the unique
 * index.
 */
export function createRequestId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  // The other bits are as random as in version 4.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/**
 * The ids of a request. `theirs`: its X-Request-Id, if it sent one that can be shown. `ours`: the id of the
 * transaction that it asks for. The answer and the log show `theirs`, or else `ours`.
 */
export type RequestName = { ours: string; theirs: string | null };

/** `given`: the X-Request-Id header as sent; empty if there is none. */
export function nameRequest(given: string): RequestName {
  return { ours: createRequestId(), theirs: /^[\x21-\x7e]{1,128}$/.test(given) ? given : null };
}
