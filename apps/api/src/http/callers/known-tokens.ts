import { hash } from 'node:crypto';
import type { VerifiedToken } from '@inventory/auth/token';

const rememberedMax = 20_000;

/**
 * Tokens that this process has verified or issued. Verifying a signature costs more than the rest of a
 * request.
 */
export type KnownTokens = {
  /** Returns the content of a token; null if it has expired, undefined if it is not known. */
  find(token: string, now: number): VerifiedToken | null | undefined;
  add(token: string, claims: VerifiedToken): void;
};

/**
 * Keeps the digests of a limited number of recent tokens, not the tokens. Only valid tokens are added, so
 * others cannot fill it.
 */
export function createKnownTokens(): KnownTokens {
  const known = new Map<string, VerifiedToken>();
  const digestOf = (token: string) => hash('sha256', token, 'base64');

  return {
    find(token, now) {
      const claims = known.get(digestOf(token));
      if (claims === undefined) return undefined;
      return claims.expiresAt * 1000 > now ? claims : null;
    },
    add(token, claims) {
      known.set(digestOf(token), claims);
      // The oldest entry expires first, more or less.
      for (const oldest of known.keys()) {
        if (known.size <= rememberedMax) break;
        known.delete(oldest);
      }
    },
  };
}
