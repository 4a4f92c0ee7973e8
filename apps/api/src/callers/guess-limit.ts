import { createHash } from 'node:crypto';
import { createWindowLimiter } from '@inventory/auth/rate-limit';
import type { Cluster, Redis } from 'ioredis';

/**
 * Wrong secrets that are called so in any 60 s: from one address over all client ids, and for one client id
 * from all addresses.
 */
const wrongSecretsMax = 10;

// In the memory of a process; Redis knows of more.
const rememberedMax = 20_000;

export type GuessLimiter = {
  /** Counts a wrong secret, or says how long none will be counted, milliseconds. */
  count(address: string, clientId: string): Promise<{ allowed: boolean; resetMs: number }>;
};

/**
 * Limits wrong secrets, and nothing else: the secret is compared first, and a right one is never counted nor
 * refused. So past the limit a wrong secret is answered 429 and the right one 200, and a guesser learns as
 * much from a 429 as from a 401. The secret itself stands in the way of guessing: 256 random bits, drawn here
 * (`createSecret`) and never chosen by anybody. The limit tells a client with an old secret that it hammers,
 * and bounds the cost of wrong secrets. The other way round, a limit before the comparison locks out every
 * true client that shares its address, or whose id somebody knows.
 *
 * The address and the client id are counted in one atomic step over all processes: ten wrong secrets are
 * answered 401, however many come at the same moment. While Redis is away, each process holds the limit on
 * its own.
 */
export function createGuessLimiter(redis: Redis | Cluster, prefix: string): GuessLimiter {
  const limiter = createWindowLimiter(redis, { keysMax: rememberedMax });
  // One name in braces for all: an address and a client id are counted together, on one node of a Redis
  // Cluster.
  const keyOf = (what: string, value: string) => ({
    key: `{${prefix}:guess}:${what}:${value}`,
    limit: wrongSecretsMax,
  });
  return {
    count: (address, clientId) =>
      limiter.take([keyOf('address', address), keyOf('client', shortened(clientId))]),
  };
}

/** Of one length, whatever a caller sends as its id. */
function shortened(clientId: string): string {
  return createHash('sha256').update(clientId).digest('base64url').slice(0, 22);
}
