import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import type { RedisConnection } from './redis-cluster.ts';

const checkEveryMs = 2000;
// Longer than a killed worker's envelope needs to come back into the queue.
const unservedAfterMs = 8000;

/**
 * Watches that a worker gets work. While it is idle it sends an empty envelope through the real queue. Two
 * things, found check after check, say that its way to the queue is broken, and `onUnserved` is called: work
 * waits in the queue and none comes to this worker; or Redis does not answer on a connection that calls
 * itself ready. While the connection is away, or Redis refuses what adds because it is full or a replica,
 * nothing is concluded. Returns how to stop watching.
 */
export function watchService(options: {
  queue: Queue;
  /** The connection of the queue. */
  connection: RedisConnection;
  /** When the worker last took an envelope, of `performance.now()`. */
  lastServedAt: () => number;
  onUnserved: () => void;
}): () => void {
  const { queue, connection } = options;
  let unservedSince: number | null = null;

  async function check() {
    const now = performance.now();
    if (now - options.lastServedAt() < checkEveryMs || connection.status !== 'ready') {
      unservedSince = null;
    } else if (await seemsServed()) {
      unservedSince = null;
    } else {
      unservedSince ??= now;
      if (now - unservedSince >= unservedAfterMs && options.lastServedAt() < unservedSince)
        options.onUnserved();
    }
  }

  async function seemsServed(): Promise<boolean> {
    try {
      if ((await queue.getWaitingCount()) > 0) {
        // A Redis that refuses this hands out no work either, to any worker.
        await connection.set(queue.toKey('canary'), 1, 'PX', checkEveryMs);
        return false;
      }
      await queue.add(
        'canary',
        { requests: [] },
        { jobId: randomUUID(), removeOnComplete: true, removeOnFail: true },
      );
      return true;
    } catch (error) {
      // An error from Redis itself counts as an answer. A Redis Cluster is ready while one of its nodes is
      // away: the queues there are not served, but another process could not serve them either.
      const { name, message } = error as Error;
      return name === 'ReplyError' || /^(Connection is closed|Too many Cluster redirections)/.test(message);
    }
  }

  const timer = setInterval(() => void check(), checkEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
