import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import type { Envelope } from './envelope.ts';

const checkEveryMs = 2000;
// Longer than a killed worker's envelope needs to come back into the queue.
const unservedAfterMs = 8000;

/**
 * Watches that a worker gets work. While it is idle it sends an empty envelope through the real queue; when work waits in the
 * queue, check after check, and none comes to this worker, its way to the queue is broken in a way that no error told, and
 * `onUnserved` is called. While Redis cannot be asked, nothing is concluded. Returns how to stop watching.
 */
export function watchService(options: {
  queue: Queue;
  /** When the worker last took an envelope, of `performance.now()`. */
  lastServedAt: () => number;
  onUnserved: () => void;
}): () => void {
  let unservedSince: number | null = null;
  const check = async () => {
    const now = performance.now();
    if (now - options.lastServedAt() < checkEveryMs) {
      unservedSince = null;
      return;
    }
    try {
      if ((await options.queue.getWaitingCount()) > 0) {
        unservedSince ??= now;
        if (now - unservedSince >= unservedAfterMs && options.lastServedAt() < unservedSince)
          options.onUnserved();
        return;
      }
      unservedSince = null;
      const empty: Envelope = { requests: [] };
      await options.queue.add('canary', empty, {
        jobId: randomUUID(),
        removeOnComplete: true,
        removeOnFail: true,
      });
    } catch {
      unservedSince = null;
    }
  };
  const timer = setInterval(() => void check(), checkEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
