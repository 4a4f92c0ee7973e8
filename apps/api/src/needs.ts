import { isOutage, reach } from '@inventory/db/pool';
import { countHangingCommits } from '@inventory/db/replication';
import { NeverBegunError, type StatementPool } from '@inventory/db/statement-pool';
import { lookEvery } from '@inventory/process/look-every';
import type { Presence } from '@inventory/process/presence';
import type { QueueSight, Submitter } from '@inventory/queue/submit';
import type { FailureCause } from './errors.ts';

/** The other parts that an api needs, as last seen. */
export type Needs = {
  presence: Presence;
  /** The queue; of the last time that Redis answered, with no workers when it does not. */
  sight(): QueueSight;
  /**
   * True in the first moments, until a worker is seen. Where all processes start anew the apis are there
   * first: a request that was let in then would be refused, one that a proxy holds is served.
   */
  awaitsWorker(): boolean;
  /** Commits that wait for a standby, and have for seconds; seen within some seconds. */
  hangingCommits(): number;
  /** Whether Postgres is there, and its commits end. */
  isPostgresWell(): boolean;
  /** Why a transaction got no answer just now. */
  whyUnanswered(): FailureCause;
  /** Redis did not take an envelope. */
  sendFailed(): void;
  stop(): void;
};

const lookAtRedisEveryMs = 500;
const lookAtPostgresEveryMs = 1000;
// A Redis that is full answers, and takes nothing.
const sendFailedForMs = 3000;
// Longer than workers take that start right behind the apis. Then reads, at least, are served.
const awaitWorkerMs = 10_000;
// Sooner than a worker counts as gone: the request has waited for longer than this, too.
const unseenMs = 2000;

/**
 * Looks, all the time, whether Redis, Postgres and a worker are there; by `verdicts`, whose writes are the
 * first to hang, and by `operations` whether they do.
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

  // At once; what is not there yet is told of later.
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
      // Busy connections are no outage; they become one when what they do takes too long.
      isHeldUp = error instanceof NeverBegunError;
      if (isOutage(error) && !isHeldUp) presence.note('postgres', false);
    }
  });

  const stopCommits = lookEvery(lookAtPostgresEveryMs, async () => {
    // Connections that were given up are not suspect any more, and they may be all there is room for.
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
