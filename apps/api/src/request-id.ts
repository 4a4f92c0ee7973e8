import { randomUUID } from 'node:crypto';

/**
 * A UUID of version 7: its first 48 bits are the time, so that new ones land side by side in the unique
 * index.
 */
export function createRequestId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  // Its other bits are as random as those of version 4.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/**
 * How a request is called: `theirs`, its X-Request-Id, if it came with one that can be told; `ours` is the id
 * of the one transaction that it asks for. The answer and the log have theirs, else ours.
 */
export type RequestName = { ours: string; theirs: string | null };

/** `given`: the X-Request-Id as it came, empty when none did. */
export function nameRequest(given: string): RequestName {
  return { ours: createRequestId(), theirs: /^[\x21-\x7e]{1,128}$/.test(given) ? given : null };
}
