import { hash } from 'node:crypto';
import type { VerifiedToken } from '@inventory/auth/token';

const rememberedMax = 20_000;

/**
 * Tokens whose signature was verified, or made, in this process. A signature costs more than the rest of a
 * request.
 */
export type KnownTokens = {
  /** Whom a token speaks for; null when it has expired, undefined when it was never seen. */
  find(token: string, now: number): VerifiedToken | null | undefined;
  add(token: string, claims: VerifiedToken): void;
};

/**
 * Remembers digests, not tokens, of the last so many; only right tokens get in, so nobody fills it with
 * others.
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
      // The one that came first expires first, about.
      for (const oldest of known.keys()) {
        if (known.size <= rememberedMax) break;
        known.delete(oldest);
      }
    },
  };
}
