import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { masterOf, type RedisConnection } from '@inventory/redis/redis-cluster';
import { queueName } from './envelope.ts';

// Assigns shards to workers. There are as many shards in use as workers, one each, so an item's requests meet
// in one worker and one batch. The assignment is kept in Redis, by the clock of Redis, in two keys of one
// slot. A seat only decides which worker takes work. Correctness comes from the locks in Postgres, so two
// workers on one shard for a moment cost only time.

// The most shards, whatever the settings. A larger number in Redis is ignored.
const shardsMost = 256;

/** How long a silent worker keeps its shards. */
export const seatMs = 1500;
/** How often a worker reports. */
export const seatEveryMs = 400;

// A shard that goes out of use is held until every api knows it, and until it is empty.
const drainMs = 3000;
// A time further ahead comes from a clock that was set back, or from another Redis.
const aheadMaxMs = (forMs: number) => 2 * forMs;
// After this long without any worker, the seats are forgotten.
const keptMs = 60_000;

/** A worker's report when it takes or renews its seat. */
export type Seat = {
  id: string;
  /** QUEUE_SHARDS. The smallest value of all workers counts. */
  shardsMax: number;
  /** Whether it can work now. If not, it gets no shard while another worker can. */
  isAble: boolean;
  /** Shards out of use that it holds and that are empty. */
  empty: readonly number[];
  /** Shards out of use in which it found work. */
  found: readonly number[];
};

/** The reply: how many shards are in use, and from which of them this worker takes work. */
export type Shares = { count: number; mine: readonly number[] };

const sit = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local me = ARGV[1]
local latest = now + ARGV[10]
if ARGV[2] == '0' then
  redis.call('HDEL', KEYS[1], me)
else
  redis.call('HSET', KEYS[1], me, string.format('%d %s %s', now + ARGV[2], ARGV[3], ARGV[4]))
end
local seats = redis.call('HGETALL', KEYS[1])
local all, able, most = {}, {}, tonumber(ARGV[9])
for index = 1, #seats, 2 do
  local expires, max, isAble = string.match(seats[index + 1], '^(%d+) (%d+) ([01])$')
  if expires == nil or tonumber(expires) <= now or tonumber(expires) > latest then
    redis.call('HDEL', KEYS[1], seats[index])
  else
    table.insert(all, seats[index])
    if isAble == '1' then table.insert(able, seats[index]) end
    most = math.min(most, math.max(1, tonumber(max)))
  end
end
if #able == 0 then able = all end
-- The last worker that leaves changes nothing: the next one must know which shards were in use.
if #able == 0 then return {0} end
table.sort(able)
local count = math.min(#able, most)
local before, out, largest = {}, {}, count - 1
local shards = redis.call('HGETALL', KEYS[2])
for index = 1, #shards, 2 do
  local shard, since = tonumber(shards[index]), string.match(shards[index], '^out(%d+)$')
  if since ~= nil then out[tonumber(since)] = tonumber(shards[index + 1])
  elseif shard ~= nil and shard < tonumber(ARGV[9]) then
    before[shard] = shards[index + 1]
    largest = math.max(largest, shard)
  end
end
for shard in string.gmatch(ARGV[8], '%d+') do
  shard = tonumber(shard)
  before[shard] = before[shard] or ''
  largest = math.max(largest, shard)
end
local isEmpty = {}
for shard in string.gmatch(ARGV[7], '%d+') do isEmpty[tonumber(shard)] = true end
local load, holders = {}, {}
for _, id in ipairs(able) do load[id] = 0 end
for shard = 0, count - 1 do
  local id = before[shard]
  if load[id] == 0 then
    holders[shard] = id
    load[id] = 1
  end
end
for shard = 0, count - 1 do
  if holders[shard] == nil then
    for _, id in ipairs(able) do
      if load[id] == 0 then
        holders[shard] = id
        load[id] = 1
        break
      end
    end
  end
end
for shard = count, largest do
  local id = before[shard]
  if id ~= nil then
    if out[shard] == nil or out[shard] > latest then
      out[shard] = now
      redis.call('HSET', KEYS[2], 'out' .. shard, string.format('%d', now))
    end
    if id == me and isEmpty[shard] and now - out[shard] >= tonumber(ARGV[5]) then
      redis.call('HDEL', KEYS[2], shard, 'out' .. shard)
    elseif load[id] ~= nil then
      holders[shard] = id
    else
      -- The worker with the fewest shards.
      local least = able[1]
      for _, each in ipairs(able) do if load[each] < load[least] then least = each end end
      holders[shard] = least
      load[least] = load[least] + 1
    end
  end
end
local answer = {count}
for shard = 0, largest do
  if shard < count and out[shard] ~= nil then redis.call('HDEL', KEYS[2], 'out' .. shard) end
  if holders[shard] ~= nil then
    if holders[shard] ~= before[shard] then redis.call('HSET', KEYS[2], shard, holders[shard]) end
    if holders[shard] == me then table.insert(answer, shard) end
  end
end
if redis.call('HGET', KEYS[2], 'count') ~= tostring(count) then redis.call('HSET', KEYS[2], 'count', count) end
redis.call('PEXPIRE', KEYS[1], ARGV[6])
redis.call('PEXPIRE', KEYS[2], ARGV[6])
return answer
`;

/** Draws the name of a worker: host, process, and a random part. */
export function drawWorkerId(): string {
  return `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`;
}

/** The keys of the seats, all in one slot. */
export function seatKeys(prefix: string): { seats: string; shards: string } {
  const queue = `${prefix}:${queueName(0)}`;
  return { seats: `${queue}:seats`, shards: `${queue}:shards` };
}

/** Takes or renews a seat for `forMs`, the same for every worker. Returns the worker's shards. */
export async function takeSeat(
  connection: RedisConnection,
  prefix: string,
  seat: Seat,
  forMs: number = seatMs,
): Promise<Shares> {
  return ask(connection, prefix, seat, { takenForMs: forMs, forMs });
}

/** Gives up a seat. The other workers, with seats of `forMs`, get its shards at their next report. */
export async function leaveSeat(
  connection: RedisConnection,
  prefix: string,
  id: string,
  forMs: number = seatMs,
): Promise<void> {
  const seat = { id, shardsMax: 1, isAble: false, empty: [], found: [] };
  await ask(connection, prefix, seat, { takenForMs: 0, forMs });
}

async function ask(
  connection: RedisConnection,
  prefix: string,
  seat: Seat,
  { takenForMs, forMs }: { takenForMs: number; forMs: number },
): Promise<Shares> {
  const { id, shardsMax, isAble, empty, found } = seat;
  const { seats, shards } = seatKeys(prefix);
  const keys = [seats, shards] as const;
  const about = [id, takenForMs, shardsMax, isAble ? 1 : 0] as const;
  const lists = [empty.join(' '), found.join(' ')] as const;
  const limits = [shardsMost, aheadMaxMs(forMs)] as const;
  const answer = await connection.eval(sit, 2, ...keys, ...about, drainMs, keptMs, ...lists, ...limits);
  const [count = 0, ...mine] = (answer as unknown[]).map(Number);
  return { count, mine: mine.filter(isShard) };
}

const isShard = (shard: number) => Number.isSafeInteger(shard) && shard >= 0 && shard < shardsMost;

/** The number of shards in use; null if no worker has been there for a while. */
export async function readShardCount(connection: RedisConnection, prefix: string): Promise<number | null> {
  const count = Number(await connection.hget(seatKeys(prefix).shards, 'count'));
  return Number.isSafeInteger(count) && count >= 1 && count <= shardsMost ? count : null;
}

/** A shard and its worker, by host and process; null: none now. */
export type HeldShard = { shard: number; holder: string | null; isInUse: boolean };

/** The holder of each shard, for an operator. */
export type Seating = { workers: string[]; shards: HeldShard[] };

const workerId = /^([\w.-]{1,64}:\d{1,10}):[\da-f]{8}$/;

/** The current holder of each shard, by seats of `forMs`. Ignores entries that no worker writes. */
export async function readSeating(
  connection: RedisConnection,
  prefix: string,
  forMs: number = seatMs,
): Promise<Seating> {
  const keys = seatKeys(prefix);
  const [[seconds], seats, shards] = await Promise.all([
    // The seats' own clock: each master of a cluster has its own.
    masterOf(connection, keys.seats).then((master) => master.time()),
    connection.hgetall(keys.seats),
    connection.hgetall(keys.shards),
  ]);
  const now = Number(seconds) * 1000;
  const live = Object.entries(seats).filter(([id, said]) => {
    const expires = Number(said.split(' ')[0]);
    return workerId.test(id) && expires > now && expires <= now + aheadMaxMs(forMs);
  });
  const names = new Map(live.map(([id]) => [id, workerId.exec(id)![1]!]));
  const count = Number(shards.count ?? 0);
  const held = Object.entries(shards)
    .filter(([field]) => /^\d{1,4}$/.test(field))
    .map(([field, id]) => ({
      shard: Number(field),
      holder: names.get(id) ?? null,
      isInUse: Number(field) < count,
    }))
    .sort((a, b) => a.shard - b.shard);
  return { workers: [...names.values()].sort(), shards: held };
}
