import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';

// Per address and client id: whoever guesses locks out nobody at another address.
const failuresMax = 10;
const windowSeconds = 60;

export type GuessLimiter = {
  /** How long this pair must still wait, milliseconds; 0 when it need not. */
  blockedForMs(address: string, clientId: string): Promise<number>;
  /** Counts a failed attempt. */
  count(address: string, clientId: string): Promise<void>;
};

/** Counts failed token requests over all processes; while Redis is away, each process for itself. */
export function createGuessLimiter(redis: Redis, prefix: string): GuessLimiter {
  const limits = { points: failuresMax, duration: windowSeconds, keyPrefix: `${prefix}:guess` };
  const limiter = new RateLimiterRedis({
    ...limits,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(limits),
  });
  const keyOf = (address: string, clientId: string) => `${address}|${clientId.slice(0, 200)}`;
  return {
    async blockedForMs(address, clientId) {
      const counted = await limiter.get(keyOf(address, clientId));
      return counted !== null && counted.consumedPoints >= failuresMax ? counted.msBeforeNext : 0;
    },
    async count(address, clientId) {
      // Rejects when the limit is passed: the next attempt will be told.
      await limiter.consume(keyOf(address, clientId)).catch(() => {});
    },
  };
}
