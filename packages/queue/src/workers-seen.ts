import { lookEvery } from '@inventory/process/look-every';
import type { UnwritableReason } from '@inventory/process/unwritable';
import type { RedisConnection } from '@inventory/redis/redis-cluster';
import type { Queue } from 'bullmq';
import { readUnwritable } from './unwritable.ts';

/** A worker's report about itself. */
export type WorkerNote = { busyRatio: number; clockDifferenceSeconds: number; isPostgresUp: boolean };

/**
 * A worker that was seen within the last minute. `name`: host and process. `note`: null if it reports nothing
 * about itself.
 */
export type SeenWorker = { name: string; unseenMs: number; note: WorkerNote | null };

/** The state of the queue in Redis. */
export type QueueSight = {
  /** The number of workers seen within the last seconds. */
  workers: number;
  /**
   * These workers, and those that were seen within a minute and have not said that they stop; the most recent
   * first.
   */
  seen: readonly SeenWorker[];
  /** Milliseconds since the last worker was seen; null: none within a minute. */
  lastSeenMs: number | null;
  /** Envelopes that no worker has taken yet. */
  backlog: number;
  /** Why Postgres refuses the work of a worker; null: no worker says so. */
  unwritable: UnwritableReason | null;
};

const seenEveryMs = 500;
// A worker that is stopped, frozen or cut off is silent. One that is busy for a moment still counts.
const seenWithinMs = 3000;
const keptMs = 60_000;
// More than any normal clock correction. A time further ahead comes from a clock that was set back, or from
// another Redis, and would count as "seen now" for that long.
const aheadMaxMs = 1000;

// By the clock of Redis, because the clocks of the processes may differ. BullMQ's lists would show a frozen
// worker as long as its connection exists, and they need a right that reveals all connections.
const beat = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
for index = 4, #ARGV do redis.call('ZREM', KEYS[1], ARGV[index]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + ARGV[3], '+inf')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
`;

const look = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local first, last = now - ARGV[1], now + ARGV[3]
local seen = redis.call('ZREVRANGEBYSCORE', KEYS[1], last, first, 'WITHSCORES', 'LIMIT', 0, ARGV[2])
for index = 2, #seen, 2 do seen[index] = math.max(0, now - seen[index]) end
return seen
`;

// The most members that are read. Each worker has one, and a few old ones for a moment.
const membersMax = 1000;

/**
 * Reports a worker while it can take work, until the returned function is called. Failures are retried. `id`:
 * the worker's name (seats.ts).
 */
export function keepSeen(
  connection: RedisConnection,
  { key, id }: { key: string; id: string },
  takesWork: () => boolean,
  noteOf: () => WorkerNote | null,
): () => void {
  // Entries of this worker that may be in Redis. Only one may stay.
  let said: string[] = [];
  const tell = () => {
    if (!takesWork()) return;
    const member = memberText(id, noteOf());
    const others = said.filter((each) => each !== member);
    said = [...others.slice(-20), member];
    connection.eval(beat, 1, key, member, keptMs, aheadMaxMs, ...others).then(
      () => {
        said = said.filter((each) => !others.includes(each));
      },
      () => {},
    );
  };
  const stopTelling = lookEvery(seenEveryMs, tell);
  connection.on('ready', tell);
  if (connection.status === 'ready') tell();
  return () => {
    stopTelling();
    connection.off('ready', tell);
    if (said.length > 0) connection.zrem(key, ...said).catch(() => {});
  };
}

/** Looks at the queues of all shards. Fails if Redis does not answer or takes no writes. */
export async function lookAtQueue(
  connection: RedisConnection,
  queues: readonly Queue[],
): Promise<QueueSight> {
  const key = queues[0]!.toKey('workers');
  const [members, unwritable, ...waiting] = await Promise.all([
    connection.eval(look, 1, key, keptMs, membersMax, aheadMaxMs) as Promise<(string | number)[]>,
    readUnwritable(connection, queues[0]!.toKey('unwritable')),
    ...queues.map((queue) => connection.llen(queue.toKey('wait'))),
  ]);
  const seen = seenIn(members);
  const workers = seen.filter(({ unseenMs }) => unseenMs <= seenWithinMs).length;
  // A Redis that refuses writes shows no workers, because none can report. This write fails there, as all
  // work does.
  if (workers === 0) await connection.set(queues[0]!.toKey('canary'), 1, 'PX', seenEveryMs);
  return {
    workers,
    seen,
    lastSeenMs: seen[0]?.unseenMs ?? null,
    backlog: waiting.reduce((sum, count) => sum + count, 0),
    unwritable,
  };
}

function memberText(id: string, note: WorkerNote | null): string {
  if (note === null) return id;
  const { busyRatio, clockDifferenceSeconds, isPostgresUp } = note;
  // Rounded to tenths of a second, so that the text rarely changes.
  return `${id} ${Math.round(busyRatio * 100)} ${Math.round(clockDifferenceSeconds * 10)} ${isPostgresUp ? 1 : 0}`;
}

const member = /^([\w.-]{1,64}:\d{1,10}):[\da-f]{8}(?: (\d{1,3}) (-?\d{1,15}) ([01]))?$/;

/**
 * Parses members and times, alternating, the most recent first, into one entry for each worker. Redis is not
 * trusted: entries that no worker writes are ignored.
 */
function seenIn(members: readonly (string | number)[]): SeenWorker[] {
  const byId = new Map<string, SeenWorker>();
  for (let index = 0; index < members.length; index += 2) {
    const text = String(members[index]);
    const [, name, busy, tenths, postgres] = member.exec(text) ?? [];
    const id = text.split(' ', 1)[0]!;
    if (name === undefined || byId.has(id)) continue;
    const note =
      busy === undefined
        ? null
        : {
            busyRatio: Number(busy) / 100,
            clockDifferenceSeconds: Number(tenths) / 10,
            isPostgresUp: postgres === '1',
          };
    byId.set(id, { name, unseenMs: Number(members[index + 1]), note });
  }
  return [...byId.values()];
}
