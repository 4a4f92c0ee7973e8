import type { Queue, Worker } from 'bullmq';
import type { RedisConnection } from './redis-cluster.ts';

/**
 * Makes jobs readable that BullMQ cannot even read, and so to be refused as what they are. It stumbles over
 * one before any code of ours sees it, takes its worker for lost, and hands it out again, for ever: so
 * whatever was lost is looked at. Nothing of ours is written like that.
 */
export function mendUnreadable(worker: Worker, queue: Queue, connection: RedisConnection): void {
  worker.on('stalled', async (jobId) => {
    try {
      const [data, options] = await connection.hmget(queue.toKey(jobId), 'data', 'opts');
      if (isReadable(data ?? '{}') && isReadable(options ?? '{}', 'object')) return;
      // Not removed: it may be handed out already, and is locked then.
      await connection.hset(queue.toKey(jobId), 'data', 'null', 'opts', '{}');
    } catch {
      // A command that fails is tried again when the job is lost again.
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
