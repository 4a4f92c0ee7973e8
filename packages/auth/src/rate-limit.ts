import { setImmediate as nextTurn } from 'node:timers/promises';
import { within } from '@inventory/process/within';
import type { Cluster, Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';

/** The window of all limits. It begins with the first request that is counted. */
export const windowSeconds = 60;
const redisWaitMs = 200;
// More than a clock is corrected by while it runs.
const aheadMaxMs = 1000;

/**
 * The allowance of a name after a request. `limit` and `remaining`: counts; `resetMs`: until the window ends.
 */
export type RateLimitVerdict = { allowed: boolean; limit: number; remaining: number; resetMs: number };

/** Counts under a name, over all processes. */
export type RateLimiter = {
  /**
   * Counts `count` under a name; all of it passes, or nothing. Never more than `limit` passes in a window. A
   * refusal is counted too, so after one that was too large a smaller one waits for the next window.
   */
  take(name: string, limit: number, count?: number): Promise<RateLimitVerdict>;
};

type Asked = { limit: number; count: number; tell: (verdict: RateLimitVerdict) => void };

/**
 * A limiter that counts in Redis over all processes. While Redis is away, or later than `waitMs`, the process
 * counts for itself: then each process lets the limit pass. All that is asked for a name in one turn of the
 * event loop is counted in one call. `what`: requests, operations or guesses; part of the keys.
 */
export function createRateLimiter(
  redis: Redis | Cluster,
  { prefix, what, waitMs = redisWaitMs }: { prefix: string; what: string; waitMs?: number },
): RateLimiter {
  // Each client has a limit of its own, so these only count, and the limit is compared here.
  const counting = {
    points: Number.MAX_SAFE_INTEGER,
    duration: windowSeconds,
    keyPrefix: `${prefix}:${what}`,
  };
  const shared = new RateLimiterRedis({ ...counting, storeClient: redis, rejectIfRedisNotReady: true });
  const alone = new RateLimiterMemory(counting);
  const asked = new Map<string, Asked[]>();

  async function countShared(name: string, count: number): Promise<RateLimiterRes> {
    const counted = await shared.consume(name, count);
    if (counted.msBeforeNext <= windowSeconds * 1000 + aheadMaxMs) return counted;
    // The clock of Redis was set back: this window would last for as long as that.
    await shared.delete(name);
    return shared.consume(name, count);
  }

  async function serve(name: string) {
    // All that this turn asks goes along.
    await nextTurn();
    const all = asked.get(name)!;
    asked.delete(name);
    const total = all.reduce((sum, { count }) => sum + count, 0);
    const { consumedPoints, msBeforeNext } = await within(waitMs, countShared(name, total)).catch(() =>
      alone.consume(name, total),
    );
    tellAll(all, consumedPoints - total, Math.min(msBeforeNext, windowSeconds * 1000));
  }

  return {
    take(name, limit, count = 1) {
      return new Promise((tell) => {
        const others = asked.get(name);
        if (others !== undefined) others.push({ limit, count, tell });
        else {
          asked.set(name, [{ limit, count, tell }]);
          void serve(name);
        }
      });
    },
  };
}

/** Those that still fit pass, in their order. `before`: the count before them. */
function tellAll(all: readonly Asked[], before: number, resetMs: number): void {
  let counted = before;
  for (const { limit, count, tell } of all) {
    const allowed = counted + count <= limit;
    if (allowed) counted += count;
    tell({ allowed, limit, remaining: allowed ? limit - counted : 0, resetMs });
  }
}
