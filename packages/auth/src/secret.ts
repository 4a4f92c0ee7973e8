import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new client secret: 256 random bits, so that a plain digest of it cannot be guessed back. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a secret. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

// As many as a client may have live.
const comparedCount = 2;
// Compared against where a client has none, so that it takes as long for one that is unknown.
const nobody = randomBytes(32);

/**
 * Whether one of the stored digests is that of the secret; in constant time, and as long for a client with
 * one secret or none.
 */
export function isSecretOf(secret: string, digests: readonly Uint8Array[]): boolean {
  const given = digestSecret(secret);
  let matched = false;
  for (let index = 0; index < Math.max(digests.length, comparedCount); index++) {
    // No early exit: which of two live secrets matched is nobody's business.
    if (timingSafeEqual(given, digests[index] ?? nobody) && index < digests.length) matched = true;
  }
  return matched;
}
