import { createHash } from 'node:crypto';

/** A place in the change feed, as a caller keeps it. */
export type Cursor = {
  /** The first digits of the identity of the database. */
  identity: string;
  /** A digest of the caller's warehouses. */
  scope: string;
  /** All changes up to this number were told. */
  after: number;
};

// Layout: the version, then the identity and the scope, then the number. In base64url that is 24 characters.
const version = 1;
const identityBytes = 6;
const scopeBytes = 4;
const numberAt = 1 + identityBytes + scopeBytes;
const length = numberAt + 7;
// Node writes at most 6 bytes of a number.
const lowPart = 2 ** 48;

export function writeCursor({ identity, scope, after }: Cursor): string {
  const bytes = Buffer.alloc(length);
  bytes[0] = version;
  bytes.write(identity, 1, identityBytes, 'hex');
  bytes.write(scope, 1 + identityBytes, scopeBytes, 'hex');
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
    scope: bytes.toString('hex', 1 + identityBytes, numberAt),
    after,
  };
}

/** The part of a database's identity that a cursor has room for. */
export function shortIdentity(identity: string): string {
  return identity.slice(0, 2 * identityBytes);
}

/** A digest of a scope, whatever the order of its warehouses. */
export function digestScope(wids: Iterable<number>): string {
  const sorted = [...wids].sort((one, other) => one - other);
  return createHash('sha256')
    .update(sorted.join())
    .digest('hex')
    .slice(0, 2 * scopeBytes);
}

/** The change that tells a caller its warehouses, because they are others than at its place. */
export function scopeChange(warehouses: readonly { wid: number; name: string }[]): string {
  return JSON.stringify({
    type: 'scope',
    warehouses: warehouses.map(({ wid, name }) => ({ wID: wid, name })),
  });
}
