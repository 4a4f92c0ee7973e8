import type { RedisConnection } from '@inventory/redis/redis-cluster';
import type { Queue, Worker } from 'bullmq';

/**
 * Repairs jobs that BullMQ cannot parse, so that they can be refused. BullMQ fails on such a job before our
 * code sees it, takes the worker for lost and delivers the job again, forever. So every lost job is checked.
 * This service never writes such jobs.
 */
export function mendUnreadable(worker: Worker, queue: Queue, connection: RedisConnection): void {
  worker.on('stalled', async (jobId) => {
    try {
      const [data, options] = await connection.hmget(queue.toKey(jobId), 'data', 'opts');
      if (isReadable(data ?? '{}') && isReadable(options ?? '{}', 'object')) return;
      // The job is not removed: it may be delivered and locked by now.
      await connection.hset(queue.toKey(jobId), 'data', 'null', 'opts', '{}');
    } catch {
      // If the command fails, it is tried again when the job is lost again.
    }
  });
}

function isReadable(text: string, type?: 'object'): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return type === undefined || (typeof value === type && value !== null);
  } catch {
    return false;
  }
}
