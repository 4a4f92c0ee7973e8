import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new client secret: 256 random bits, so that a plain digest of it cannot be guessed back. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a secret. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

// Compared against when the client is unknown, so that both cases take the same time.
const nobody = randomBytes(32);

/** Whether one of the stored digests is that of the secret; in constant time, and as long for a client without any. */
export function isSecretOf(secret: string, digests: readonly Uint8Array[]): boolean {
  const given = digestSecret(secret);
  let matched = false;
  for (const digest of digests.length === 0 ? [nobody] : digests) {
    // No early exit: which of two live secrets matched is nobody's business.
    if (timingSafeEqual(given, digest) && digests.length > 0) matched = true;
  }
  return matched;
}
