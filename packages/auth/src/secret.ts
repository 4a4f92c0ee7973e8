import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The most live secrets of a client: the current one and its replacement. */
const liveSecretsMax = 2;

/**
 * A new client secret: 256 random bits. All secrets are made here; none is chosen by a person. So a plain
 * digest cannot be reversed by guessing, and a secret cannot be guessed by trying, at any rate a network
 * allows. That is why `/Token` can always accept a right secret, however many wrong ones came before it.
 */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The digest of a secret. Only the digest is stored. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

// Compared in place of missing secrets, so that every case takes the same time.
const nobody = randomBytes(32);

/**
 * Whether one of the stored digests is that of the secret. Takes constant time, with the same number of
 * comparisons for an unknown client and for clients with one or two secrets.
 */
export function isSecretOf(secret: string, digests: readonly Uint8Array[]): boolean {
  const given = digestSecret(secret);
  let matched = false;
  for (let index = 0; index < Math.max(liveSecretsMax, digests.length); index++) {
    // No early exit: the time must not show which of two secrets matched.
    if (timingSafeEqual(given, digests[index] ?? nobody) && index < digests.length) matched = true;
  }
  return matched;
}
