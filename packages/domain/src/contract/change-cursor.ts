import type { Warehouse } from './warehouse.ts';

/** A place in the change feed, as a caller keeps it. */
export type Cursor = {
  /** The first digits of the identity of the database. */
  identity: string;
  /** The state of its reader; see `FeedState`. 8 hexadecimal digits. */
  state: string;
  /** All changes up to this number were told. */
  after: number;
};

// Layout: the version, then the identity and the state, then the number. In base64url that is 24 characters.
// 0.1.0 has a digest of the warehouses in place of the state, and reads these cursors: it takes them for
// cursors of another scope.
const version = 1;
const identityBytes = 6;
const stateBytes = 4;
const numberAt = 1 + identityBytes + stateBytes;
const length = numberAt + 7;
// Node writes at most 6 bytes of a number.
const lowPart = 2 ** 48;

export function writeCursor({ identity, state, after }: Cursor): string {
  const bytes = Buffer.alloc(length);
  bytes[0] = version;
  bytes.write(identity, 1, identityBytes, 'hex');
  bytes.write(state, 1 + identityBytes, stateBytes, 'hex');
  bytes[numberAt] = Math.floor(after / lowPart);
  bytes.writeUIntBE(after % lowPart, numberAt + 1, 6);
  return bytes.toString('base64url');
}

/** Reads a cursor; null: no cursor of this service. */
export function readCursor(text: string): Cursor | null {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== length || bytes[0] !== version || bytes.toString('base64url') !== text) return null;
  const after = bytes[numberAt]! * lowPart + bytes.readUIntBE(numberAt + 1, 6);
  if (!Number.isSafeInteger(after)) return null;
  return {
    identity: bytes.toString('hex', 1, 1 + identityBytes),
    state: bytes.toString('hex', 1 + identityBytes, numberAt),
    after,
  };
}

/** The part of a database's identity that a cursor has room for. */
export function shortIdentity(identity: string): string {
  return identity.slice(0, 2 * identityBytes);
}

/** The change that tells a caller its warehouses, because they are others than at its place. */
export function scopeChange(warehouses: readonly Warehouse[]): string {
  return JSON.stringify({ type: 'scope', warehouses });
}
