import { within } from '@inventory/process/within';
import type { Redis } from 'ioredis';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** The window of the contract's limit. */
export const windowSeconds = 60;
const windowMs = windowSeconds * 1000;
const redisWaitMs = 200;
const localForMs = 1000;

/** What a client has left after a request. `resetMs`: until the next request can pass when nothing is left, else until the window is empty. */
export type RateLimitVerdict = { allowed: boolean; limit: number; remaining: number; resetMs: number };

// A sliding log, so that no 60 s ever hold more than the limit (a fixed window lets twice as many pass across its edge).
// It keeps one entry per millisecond, not per request, and answers for all requests of one turn at once.
// An entry of exactly 60 s ago still counts. Refused requests are not counted: who waits as told gets through.
const slidingLog = `
local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)
local limit, asked, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local total = tonumber(redis.call('GET', KEYS[2]) or '0')
local head = redis.call('LINDEX', KEYS[1], 0)
while head do
  local at, count = string.match(head, '(%d+):(%d+)')
  if now - tonumber(at) <= window then break end
  redis.call('LPOP', KEYS[1])
  total = total - tonumber(count)
  head = redis.call('LINDEX', KEYS[1], 0)
end
if not head then total = 0 end
local granted = math.max(0, math.min(asked, limit - total))
if granted > 0 then
  local tail = redis.call('LINDEX', KEYS[1], -1)
  local at, count = nil, nil
  if tail then at, count = string.match(tail, '(%d+):(%d+)') end
  if at and tonumber(at) >= now then
    redis.call('LSET', KEYS[1], -1, at .. ':' .. (tonumber(count) + granted))
  else
    redis.call('RPUSH', KEYS[1], string.format('%d', now) .. ':' .. string.format('%d', granted))
  end
  total = total + granted
  redis.call('PEXPIRE', KEYS[1], window + 1000)
end
redis.call('SET', KEYS[2], total, 'PX', window + 1000)
local first = redis.call('LINDEX', KEYS[1], 0)
local reset = 0
if first then reset = tonumber(string.match(first, '(%d+):')) + window + 1 - now end
return { granted, math.max(0, limit - total), reset }
`;

/** Counts requests per client over all processes. */
export type RateLimiter = { take(clientId: string, limit: number): Promise<RateLimitVerdict> };

type Waiting = { resolve: (verdict: RateLimitVerdict) => void };

/**
 * A limiter on Redis; requests of one client that arrive in one turn of the event loop are counted in one call.
 * While Redis does not answer, each process counts for itself.
 */
export function createRateLimiter(redis: Redis, prefix: string): RateLimiter {
  redis.defineCommand('inventoryTakeRequests', { numberOfKeys: 2, lua: slidingLog });
  const local = createLocalLimiter();
  let waiting = new Map<string, { limit: number; callers: Waiting[] }>();

  function flush() {
    const turn = waiting;
    waiting = new Map();
    for (const [clientId, { limit, callers }] of turn) void answer(clientId, limit, callers);
  }

  async function answer(clientId: string, limit: number, callers: Waiting[]) {
    try {
      const [granted, remaining, resetMs] = await countOnRedis(clientId, limit, callers.length);
      callers.forEach((caller, index) => {
        // The first ones of the turn pass; what each has left counts down to what is left in the end.
        const allowed = index < granted;
        caller.resolve({ allowed, limit, remaining: allowed ? remaining + granted - 1 - index : 0, resetMs });
      });
    } catch {
      for (const caller of callers) caller.resolve(await local.take(clientId, limit));
    }
  }

  // After Redis did not answer in time, each process counts for itself for a while: nobody waits for it again and again.
  let localUntil = 0;

  async function countOnRedis(
    clientId: string,
    limit: number,
    asked: number,
  ): Promise<[number, number, number]> {
    if (redis.status !== 'ready' || performance.now() < localUntil) throw new Error('Redis is not there');
    // The braces keep both keys on one node of a Redis Cluster.
    const key = `{${prefix}:rate:${clientId}}`;
    const call = redis as unknown as Record<
      'inventoryTakeRequests',
      (...values: (string | number)[]) => Promise<[number, number, number]>
    >;
    try {
      return await within(
        redisWaitMs,
        call.inventoryTakeRequests(`${key}:log`, `${key}:total`, limit, asked, windowMs),
      );
    } catch (error) {
      localUntil = performance.now() + localForMs;
      throw error;
    }
  }

  return {
    take(clientId, limit) {
      return new Promise((resolve) => {
        if (waiting.size === 0) setImmediate(flush);
        const entry = waiting.get(clientId);
        if (entry === undefined) waiting.set(clientId, { limit, callers: [{ resolve }] });
        else entry.callers.push({ resolve });
      });
    },
  };
}

function createLocalLimiter(): RateLimiter {
  const limiters = new Map<number, RateLimiterMemory>();
  return {
    async take(clientId, limit) {
      let limiter = limiters.get(limit);
      if (limiter === undefined) {
        limiter = new RateLimiterMemory({ points: limit, duration: windowSeconds });
        limiters.set(limit, limiter);
      }
      const counted = await limiter.consume(clientId).then(
        (result) => ({ allowed: true, result }),
        (result) => ({ allowed: false, result }),
      );
      return {
        allowed: counted.allowed,
        limit,
        remaining: counted.result.remainingPoints,
        resetMs: counted.result.msBeforeNext,
      };
    },
  };
}
