import { randomUUID } from 'node:crypto';

/** A UUID of version 7: its first 48 bits are the time, so that new ones land side by side in the unique index. */
export function createRequestId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  // Its other bits are as random as those of version 4.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
