import { setImmediate as nextTurn } from 'node:timers/promises';
import { within } from '@inventory/process/within';
import type { Cluster, Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';

/** The window of all limits. It begins with the first counted request. */
export const windowSeconds = 60;
const redisWaitMs = 200;
// More than a running clock is normally corrected by.
const aheadMaxMs = 1000;

/**
 * The allowance of a name after a request. `limit` and `remaining`: counts. `resetMs`: time until the window
 * ends.
 */
export type RateLimitVerdict = { allowed: boolean; limit: number; remaining: number; resetMs: number };

/** Counts by name, over all processes. */
export type RateLimiter = {
  /**
   * Counts `count` for a name. Either all of it passes or nothing, and never more than `limit` in a window.
   * Refusals count, too: after one that was too large, a smaller one waits for the next window.
   */
  take(name: string, limit: number, count?: number): Promise<RateLimitVerdict>;
};

type Asked = { limit: number; count: number; tell: (verdict: RateLimitVerdict) => void };

/**
 * A limiter that counts in Redis, over all processes. While Redis is away or takes longer than `waitMs`, each
 * process counts for itself, so the limit may pass once in each process. All counts for a name in one turn of
 * the event loop are sent in one call. `what`: requests, operations or guesses; part of the keys.
 */
export function createRateLimiter(
  redis: Redis | Cluster,
  { prefix, what, waitMs = redisWaitMs }: { prefix: string; what: string; waitMs?: number },
): RateLimiter {
  // Each client has its own limit, so the library only counts, and the limit is checked here.
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
    // The clock of Redis was set back, so this window would last too long.
    await shared.delete(name);
    return shared.consume(name, count);
  }

  async function serve(name: string) {
    // Includes everything else that is counted in this turn.
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

/** Counts that still fit pass, in order. `before`: the count before them. */
function tellAll(all: readonly Asked[], before: number, resetMs: number): void {
  let counted = before;
  for (const { limit, count, tell } of all) {
    const allowed = counted + count <= limit;
    if (allowed) counted += count;
    tell({ allowed, limit, remaining: allowed ? limit - counted : 0, resetMs });
  }
}
