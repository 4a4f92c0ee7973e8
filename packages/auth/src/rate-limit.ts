import { setImmediate as nextTurn } from 'node:timers/promises';
import { within } from '@inventory/process/within';
import type { Cluster, Redis } from 'ioredis';
import { createSlidingLogs, type LimitedKey } from './sliding-log.ts';

/** The window of the contract's limit. */
export const windowSeconds = 60;
const windowMs = windowSeconds * 1000;
const redisWaitMs = 200;
const withoutRedisForMs = 1000;
// More than a clock is corrected by while it runs.
const aheadMaxMs = 1000;

/**
 * The allowance a client has left after a request. `resetMs`: until the oldest counted request leaves the
 * window; of one that is refused, until it has room.
 */
export type RateLimitVerdict = { allowed: boolean; limit: number; remaining: number; resetMs: number };

// A sliding log, so that no 60 s ever hold more than the limit (a fixed window lets twice as many pass across
// its edge). It keeps one entry per millisecond, not per request, and answers for all requests of one call at
// once. An entry of exactly 60 s ago still counts. Refused requests are not counted: a client that waits as
// it is told gets through. Several keys are counted in one step: a request that one of them has no room for
// is counted under none. After a clock that was set back each process still counts what it let pass.
const slidingLog = `
local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)
local granted, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local unit = tonumber(ARGV[3 + #KEYS / 2])
local aheadMax = tonumber(ARGV[4 + #KEYS / 2])
-- With what the process has refused itself.
local wanted = tonumber(ARGV[5 + #KEYS / 2])
local totals = {}
for each = 1, #KEYS / 2 do
  local log = KEYS[2 * each - 1]
  -- Its clock was set back: what lies so far ahead would count for as long as that.
  local newest = redis.call('LINDEX', log, -1)
  if newest and tonumber(string.match(newest, '(%d+):')) > now + aheadMax then redis.call('DEL', log) end
  local total = tonumber(redis.call('GET', KEYS[2 * each]) or '0')
  local head = redis.call('LINDEX', log, 0)
  while head do
    local at, count = string.match(head, '(%d+):(%d+)')
    if now - tonumber(at) <= window then break end
    redis.call('LPOP', log)
    total = total - tonumber(count)
    head = redis.call('LINDEX', log, 0)
  end
  if not head then total = 0 end
  totals[each] = total
  granted = math.max(0, math.min(granted, tonumber(ARGV[2 + each]) - total))
end
granted = granted - granted % unit
local remaining, reset, wait = nil, 0, 0
for each = 1, #KEYS / 2 do
  local log = KEYS[2 * each - 1]
  local total = totals[each] + granted
  if granted > 0 then
    local tail = redis.call('LINDEX', log, -1)
    local at, count = nil, nil
    if tail then at, count = string.match(tail, '(%d+):(%d+)') end
    if at and tonumber(at) >= now then
      redis.call('LSET', log, -1, at .. ':' .. (tonumber(count) + granted))
    else
      redis.call('RPUSH', log, string.format('%d', now) .. ':' .. string.format('%d', granted))
    end
    redis.call('PEXPIRE', log, window + 1000)
  end
  if total > 0 then redis.call('SET', KEYS[2 * each], total, 'PX', window + 1000) end
  local left, leaves = math.max(0, tonumber(ARGV[2 + each]) - total), 0
  local first = redis.call('LINDEX', log, 0)
  if granted < wanted then
    -- Refused: until there is room for one unit; more is counted than may be where the limit was lowered.
    local freed, place, entry = tonumber(ARGV[2 + each]) - total, 0, first
    while entry and freed < unit do
      local at, count = string.match(entry, '(%d+):(%d+)')
      wait = math.max(wait, tonumber(at) + window + 1 - now)
      freed = freed + tonumber(count)
      place = place + 1
      entry = redis.call('LINDEX', log, place)
    end
  end
  if first then leaves = tonumber(string.match(first, '(%d+):')) + window + 1 - now end
  if not remaining or left < remaining or (left == remaining and leaves > reset) then
    remaining, reset = left, leaves
  end
end
return { granted, remaining, reset, wait }
`;

type Counted = { granted: number; remaining: number; resetMs: number; waitMs: number };
type Tell = (verdict: RateLimitVerdict) => void;
/** Who asks for the same: `callers` go together, at the end of the turn or behind those before them. */
type Line = { keys: readonly LimitedKey[]; unit: number; callers: Tell[] };

/**
 * Counts under several keys in one step: a request that one of them refuses is counted under none. The first
 * key's limit is the verdict's.
 */
export type WindowLimiter = {
  /** `unit`: how much it counts as, all of it or nothing. */
  take(keys: readonly LimitedKey[], unit?: number): Promise<RateLimitVerdict>;
};

/** `waitMs`: how long Redis has to answer; after that the process counts alone for a while. */
export type LimiterOptions = { now?: () => number; keysMax?: number; waitMs?: number };

/**
 * A limiter over all processes: at most a key's limit passes in any 60 s. Each process counts for itself,
 * always, and Redis counts over all; a request is refused when either refuses it. So while Redis is away or
 * late, or has lost its counts, each process still holds the limit on its own: then as many times the limit
 * can pass as there are processes, and no more. Keys that are taken together stand in one node of a Redis
 * Cluster: they have the same part in braces. All that is asked for the same keys in one turn of the event
 * loop, or while Redis counts those before, is counted in one call.
 */
export function createWindowLimiter(
  redis: Redis | Cluster,
  { now = () => performance.now(), keysMax, waitMs = redisWaitMs }: LimiterOptions = {},
): WindowLimiter {
  redis.defineCommand('inventoryTakeRequests', { lua: slidingLog });
  const logs = createSlidingLogs({ windowMs, now, ...(keysMax === undefined ? {} : { keysMax }) });
  const lines = new Map<string, Line>();
  // After Redis did not answer in time it is left alone for a while: nobody waits for it again and again.
  let withoutRedisUntil = 0;

  async function serve(name: string, line: Line) {
    try {
      do {
        // All that this turn asks goes along.
        await nextTurn();
        await answer(line.keys, line.unit, line.callers.splice(0));
      } while (line.callers.length > 0);
    } finally {
      lines.delete(name);
    }
  }

  async function answer(keys: readonly LimitedKey[], unit: number, callers: readonly Tell[]) {
    const wanted = callers.length * unit;
    const here = logs.take(keys, wanted, unit);
    // Redis is not asked for what is refused here.
    const everywhere = here.granted === 0 ? null : await countOnRedis(keys, here.granted, wanted, unit);
    if (everywhere !== null) here.giveBack(here.granted - everywhere.granted);
    const { granted, remaining, resetMs, waitMs } = stricter(here, everywhere);
    tellCallers(callers, { granted, remaining, resetMs, waitMs }, keys[0]!.limit, unit);
  }

  /** Null when Redis does not answer. */
  async function countOnRedis(
    keys: readonly LimitedKey[],
    asked: number,
    wanted: number,
    unit: number,
  ): Promise<Counted | null> {
    if (redis.status !== 'ready' || performance.now() < withoutRedisUntil) return null;
    const names = keys.flatMap(({ key }) => [`${key}:log`, `${key}:total`]);
    const limits = keys.map(({ limit }) => limit);
    const call = redis as unknown as Record<
      'inventoryTakeRequests',
      (...values: (string | number)[]) => Promise<[number, number, number, number]>
    >;
    try {
      const counted = call.inventoryTakeRequests(
        names.length,
        ...names,
        asked,
        windowMs,
        ...limits,
        unit,
        aheadMaxMs,
        wanted,
      );
      const [granted, remaining, resetMs, untilRoomMs] = await within(waitMs, counted);
      return { granted, remaining, resetMs, waitMs: untilRoomMs };
    } catch {
      withoutRedisUntil = performance.now() + withoutRedisForMs;
      return null;
    }
  }

  return {
    take(keys, unit = 1) {
      return new Promise((resolve) => {
        const name = [unit, ...keys.map(({ key }) => key)].join('\n');
        const known = lines.get(name);
        if (known !== undefined) {
          // The limits as they are now.
          known.keys = keys;
          known.callers.push(resolve);
          return;
        }
        const line = { keys, unit, callers: [resolve] };
        lines.set(name, line);
        void serve(name, line);
      });
    },
  };
}

/** The first ones pass; the allowance of each counts down to the one that is left in the end. */
function tellCallers(
  callers: readonly Tell[],
  { granted, remaining, resetMs, waitMs }: Counted,
  limit: number,
  unit: number,
): void {
  callers.forEach((tell, index) => {
    const passed = (index + 1) * unit;
    const allowed = passed <= granted;
    // Of what is refused whole, some may be left.
    const left = unit === 1 ? 0 : remaining;
    if (allowed) tell({ allowed, limit, remaining: remaining + granted - passed, resetMs });
    else tell({ allowed, limit, remaining: left, resetMs: waitMs });
  });
}

/** The allowance of both. When both have as little left, the later end of the wait holds. */
function stricter(here: Counted, everywhere: Counted | null): Counted {
  if (everywhere === null) return here;
  // What Redis refused was given back here, where there is room again.
  if (everywhere.granted < here.granted) return everywhere;
  // What is refused needs room in both.
  const waitMs = Math.max(here.waitMs, everywhere.waitMs);
  if (everywhere.remaining < here.remaining) return { ...everywhere, waitMs };
  if (here.remaining < everywhere.remaining) return { ...here, waitMs };
  return { ...everywhere, resetMs: Math.max(here.resetMs, everywhere.resetMs), waitMs };
}

/** Counts requests per client. */
export type RateLimiter = { take(clientId: string, limit: number): Promise<RateLimitVerdict> };

/** The contract's limit of requests: `createWindowLimiter` with a key for each client. `now`: see there. */
export function createRateLimiter(
  redis: Redis | Cluster,
  prefix: string,
  options: LimiterOptions = {},
): RateLimiter {
  const limiter = createWindowLimiter(redis, options);
  return { take: (clientId, limit) => limiter.take([{ key: `{${prefix}:rate:${clientId}}`, limit }]) };
}

/** Counts operations of batches per client, those of one batch all or none. */
export type OperationLimiter = {
  take(clientId: string, limit: number, count: number): Promise<RateLimitVerdict>;
};

/**
 * The limit of operations, beside that of requests and as exact: over all processes while Redis answers each
 * of them in time, in each process always.
 */
export function createOperationLimiter(
  redis: Redis | Cluster,
  prefix: string,
  options: LimiterOptions = {},
): OperationLimiter {
  const limiter = createWindowLimiter(redis, options);
  return {
    take: (clientId, limit, count) =>
      limiter.take([{ key: `{${prefix}:operations:${clientId}}`, limit }], count),
  };
}
