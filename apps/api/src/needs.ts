import { isOutage, reach } from '@inventory/db/postgres/pool';
import { countHangingCommits } from '@inventory/db/postgres/servers/replication';
import { NeverBegunError, type StatementPool } from '@inventory/db/postgres/statement-pool';
import { lookEvery } from '@inventory/process/look-every';
import type { Presence } from '@inventory/process/presence';
import type { QueueSight, Submitter } from '@inventory/queue/submit/submit';
import type { FailureCause } from './http/errors.ts';

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
  /** Whether Postgres answers and its commits finish. */
  isPostgresWell(): boolean;
  /** Why a transaction got no answer just now. */
  whyUnanswered(): FailureCause;
  /** Notes that Redis did not take an envelope. */
  sendFailed(): void;
  stop(): void;
};

const lookAtRedisEveryMs = 500;
const lookAtPostgresEveryMs = 1000;
// A full Redis still answers, but accepts nothing.
const sendFailedForMs = 3000;
// Longer than a worker needs that starts right after the api. From then on, the api at least serves reads.
const awaitWorkerMs = 10_000;
// Shorter than a worker takes to count as gone, because the request has waited for as long as well.
const unseenMs = 2000;

/**
 * Keeps checking that Redis, Postgres and a worker are there. Asks Postgres through `verdicts`, whose writes
 * hang first, and counts hanging commits through `operations`.
 */
export function watchNeeds(
  presence: Presence,
  submitter: Pick<Submitter, 'isOpen' | 'look'>,
  { verdicts, operations }: { verdicts: StatementPool; operations: StatementPool },
): Needs {
  let sight: QueueSight = { workers: 0, seen: [], lastSeenMs: null, backlog: 0 };
  const startedAt = performance.now();
  let seenAt = startedAt;
  let hasSeenWorker = false;
  let sendFailedAt = Number.NEGATIVE_INFINITY;
  let hangingCommits = 0;
  let isHeldUp = false;
  const takesWork = () => performance.now() - sendFailedAt > sendFailedForMs;

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
      presence.note('redis', takesWork());
      presence.note('worker', sight.workers > 0);
    } catch {
      presence.note('redis', false);
      sight = { ...sight, workers: 0, seen: [], lastSeenMs: null };
    }
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
    hangingCommits = await operations.run(countHangingCommits).catch(() => hangingCommits);
  });

  const isPostgresWell = () => presence.isThere('postgres') && hangingCommits === 0;

  return {
    presence,
    isPostgresWell,
    sight: () => sight,
    hangingCommits: () => hangingCommits,
    awaitsWorker: () => !hasSeenWorker && performance.now() - startedAt < awaitWorkerMs,
    whyUnanswered() {
      if (!submitter.isOpen() || !presence.isThere('redis') || !takesWork()) return 'redis';
      if (!isPostgresWell()) return 'postgres';
      const unseen = performance.now() - seenAt + (sight.lastSeenMs ?? Number.POSITIVE_INFINITY);
      return unseen > unseenMs ? 'noWorker' : 'busy';
    },
    sendFailed() {
      sendFailedAt = performance.now();
    },
    stop() {
      stopRedis();
      stopPostgres();
      stopCommits();
    },
  };
}
