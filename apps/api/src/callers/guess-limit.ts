import { createHash } from 'node:crypto';
import { createRateLimiter, type RateLimitVerdict } from '@inventory/auth/rate-limit';
import type { Cluster, Redis } from 'ioredis';

/**
 * Wrong secrets that are called so in a window: from one address over all client ids, and for one client id
 * from all addresses.
 */
const wrongSecretsMax = 10;

export type GuessLimiter = {
  /** Counts a wrong secret, or says how long none will be counted, milliseconds. */
  count(address: string, clientId: string): Promise<RateLimitVerdict>;
};

/**
 * Limits wrong secrets, and nothing else: the secret is compared first, and a right one is never counted nor
 * refused. So past the limit a wrong secret is answered 429 and the right one 200, and a guesser learns as
 * much from a 429 as from a 401. The secret itself stands in the way of guessing: 256 random bits, drawn here
 * (`createSecret`) and never chosen by anybody. The limit tells a client with an old secret that it hammers,
 * and bounds the cost of wrong secrets. The other way round, a limit before the comparison locks out every
 * true client that shares its address, or whose id somebody knows.
 */
export function createGuessLimiter(redis: Redis | Cluster, prefix: string): GuessLimiter {
  const limiter = createRateLimiter(redis, { prefix, what: 'guesses' });
  return {
    async count(address, clientId) {
      const ofAddress = await limiter.take(`address:${address}`, wrongSecretsMax);
      // Past its limit an address counts for no client id, however many it invents.
      if (!ofAddress.allowed) return ofAddress;
      return limiter.take(`client:${shortened(clientId)}`, wrongSecretsMax);
    },
  };
}

/** Of one length, whatever a caller sends as its id. */
function shortened(clientId: string): string {
  return createHash('sha256').update(clientId).digest('base64url').slice(0, 22);
}
