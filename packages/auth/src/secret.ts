import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A client has so many live secrets at most: the one in use, and the one that takes its place. */
const liveSecretsMax = 2;

/**
 * A new client secret: 256 random bits. Every secret is made here and none is chosen by a person. Two things
 * rest on that: a plain digest of it cannot be guessed back, and it cannot be guessed by asking, at any rate
 * that a network carries. So `/Token` need not refuse a right secret because of wrong ones, whoever sent
 * them.
 */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The digest of a secret, which is all that is stored of it. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

// Compared against in the place of the secrets that a client does not have, so that each case takes the same
// time.
const nobody = randomBytes(32);

/**
 * Whether one of the stored digests is that of the secret. In constant time, and with as many comparisons for
 * a client that has one secret, or that is unknown, as for one with two.
 */
export function isSecretOf(secret: string, digests: readonly Uint8Array[]): boolean {
  const given = digestSecret(secret);
  let matched = false;
  for (let index = 0; index < Math.max(liveSecretsMax, digests.length); index++) {
    // No early exit: which of two live secrets matched is nobody's business.
    if (timingSafeEqual(given, digests[index] ?? nobody) && index < digests.length) matched = true;
  }
  return matched;
}
