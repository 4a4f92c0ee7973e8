import { isOutage, reach } from '@inventory/postgres/pool';
import { countHangingCommits } from '@inventory/postgres/servers/replication';
import { NeverBegunError, type StatementPool } from '@inventory/postgres/statement-pool';
import { lookEvery } from '@inventory/process/look-every';
import type { Presence } from '@inventory/process/presence';
import { noteWrites, type Unwritable, type UnwritableReason } from '@inventory/process/unwritable';
import type { QueueSight, Submitter } from '@inventory/queue/submit/submit';
import type { RedisRefusal } from '@inventory/redis/refusal';
import type { FailureCause } from './http/errors.ts';
import { createRedisWork } from './redis-work.ts';

/** The state of the other parts that an api needs, as last seen. */
export type Needs = {
  presence: Presence;
  /** The state of the queue when Redis last answered; without workers if Redis does not answer. */
  sight(): QueueSight;
  /**
   * True at start, until a worker is seen. When all processes restart, the apis are up first. They must not
   * accept requests yet: they would refuse them, while a proxy would hold them until a worker is there.
   */
  awaitsWorker(): boolean;
  /** Commits that have waited for a standby for over two seconds; the count is some seconds old at most. */
  hangingCommits(): number;
  /** Why Postgres, which answers, refuses the work of this process or of a worker; null: it does not. */
  unwritable(): UnwritableReason | null;
  /** Why Redis, which answers, refuses work; null: it takes work, or is away. */
  redisRefusal(): RedisRefusal | null;
  /** The fault of Postgres; null: it answers, takes work, and its commits finish. */
  whyNoAnswer(): 'postgres' | 'unwritable' | null;
  /** Why a transaction got no answer just now. */
  whyUnanswered(): FailureCause;
  /** Notes that Redis did not take an envelope. */
  sendFailed(error: unknown): void;
  stop(): void;
};

const lookAtRedisEveryMs = 500;
const lookAtPostgresEveryMs = 1000;
// Longer than a worker needs that starts right after the api. From then on, the api at least serves reads.
const awaitWorkerMs = 10_000;
// Shorter than a worker takes to count as gone, because the request has waited for as long as well.
const unseenMs = 2000;

/**
 * Keeps checking that Redis, Postgres and a worker are there. Asks Postgres through `verdicts`, whose writes
 * hang first, and counts hanging commits through `operations`. `seenHere`: what the statements of this
 * process met.
 */
export function watchNeeds(
  presence: Presence,
  submitter: Pick<Submitter, 'isOpen' | 'look'>,
  { verdicts, operations }: { verdicts: StatementPool; operations: StatementPool },
  seenHere: Unwritable,
): Needs {
  let sight: QueueSight = { workers: 0, seen: [], lastSeenMs: null, backlog: 0, unwritable: null };
  const startedAt = performance.now();
  let seenAt = startedAt;
  let hasSeenWorker = false;
  let hangingCommits = 0;
  let isHeldUp = false;
  const redis = createRedisWork(presence);

  async function look() {
    sight = await submitter.look();
    seenAt = performance.now();
    hasSeenWorker ||= sight.workers > 0;
  }

  // The first look begins at once. Later looks report failures.
  look().catch(() => {});
  const stopRedis = lookEvery(lookAtRedisEveryMs, async () => {
    try {
      if (!submitter.isOpen()) throw new Error('not connected');
      await look();
      redis.note(redis.takesWork());
      presence.note('worker', sight.workers > 0);
    } catch (error) {
      redis.failed(error);
      redis.note(false);
      sight = { ...sight, workers: 0, seen: [], lastSeenMs: null, unwritable: null };
    }
    noteWrites(presence, unwritable());
  });
  const stopPostgres = lookEvery(lookAtPostgresEveryMs, async () => {
    try {
      await verdicts.run(reach);
      isHeldUp = false;
      presence.note('postgres', true);
    } catch (error) {
      // Busy connections are not an outage, unless their work takes too long.
      isHeldUp = error instanceof NeverBegunError;
      if (isOutage(error) && !isHeldUp) presence.note('postgres', false);
    }
  });

  const stopCommits = lookEvery(lookAtPostgresEveryMs, async () => {
    // Connections that were abandoned no longer count as suspect, and they may fill the whole pool.
    if (hangingCommits === 0 && verdicts.counts().suspect === 0 && !isHeldUp) return;
    // If Postgres cannot be asked now, the last value stays.
    hangingCommits = await operations.run((sql) => countHangingCommits(sql)).catch(() => hangingCommits);
  });

  const unwritable = () => seenHere.now() ?? sight.unwritable;
  function whyNoAnswer() {
    if (unwritable() !== null) return 'unwritable';
    return presence.isThere('postgres') && hangingCommits === 0 ? null : 'postgres';
  }

  return {
    presence,
    unwritable,
    whyNoAnswer,
    sight: () => sight,
    hangingCommits: () => hangingCommits,
    awaitsWorker: () => !hasSeenWorker && performance.now() - startedAt < awaitWorkerMs,
    whyUnanswered() {
      if (!submitter.isOpen() || !presence.isThere('redis') || !redis.takesWork()) return 'redis';
      const why = whyNoAnswer();
      if (why !== null) return why;
      const unseen = performance.now() - seenAt + (sight.lastSeenMs ?? Number.POSITIVE_INFINITY);
      return unseen > unseenMs ? 'noWorker' : 'busy';
    },
    redisRefusal: redis.refusal,
    sendFailed: redis.sendFailed,
    stop() {
      stopRedis();
      stopPostgres();
      stopCommits();
    },
  };
}
