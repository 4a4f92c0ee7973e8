import { randomFillSync } from 'node:crypto';

/** A UUID of version 7: its first 48 bits are the time, so that new ones land side by side in the unique index. */
export function createRequestId(): string {
  const bytes = randomFillSync(Buffer.allocUnsafe(16));
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
