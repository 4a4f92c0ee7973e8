import { randomUUID } from 'node:crypto';
import { lookEvery } from '@inventory/process/look-every';
import type { RedisConnection } from '@inventory/redis/redis-cluster';
import type { Queue } from 'bullmq';

const checkEveryMs = 2000;
// Longer than it takes until a killed worker's envelope is back in the queue.
const unservedAfterMs = 8000;

/**
 * Checks that a worker gets work. An idle worker sends an empty envelope through the real queue. `onUnserved`
 * is called when the worker's path to the queue is broken: when, for several checks, work waits in the queue
 * but none reaches this worker, or Redis does not answer on a connection that claims to be ready. Nothing is
 * concluded while the connection is away, or while Redis refuses writes because it is full or a replica.
 * Returns a function that stops the checks.
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
        // A Redis that refuses this write delivers work to no worker.
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
      // An error reply from Redis still is an answer. A Redis Cluster is ready while one of its nodes is
      // away: the queues there are not served, but restarting this process would not help.
      const { name, message } = error as Error;
      return name === 'ReplyError' || /^(Connection is closed|Too many Cluster redirections)/.test(message);
    }
  }

  return lookEvery(checkEveryMs, check);
}
