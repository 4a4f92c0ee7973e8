import { within } from '@inventory/process/within';
import type { Queue } from 'bullmq';
import { openQueue, trimEvents } from './queue.ts';
import type { RedisConnection } from './redis-cluster.ts';

export type ShardOptions = {
  prefix: string;
  shard: number;
  /** The connection to send by; it stays the caller's. */
  producer: RedisConnection;
  report: (error: Error, what: string) => void;
};

/** A shard's queue as an api process holds it, to send envelopes. */
export type Shard = { queue: Queue; close(): Promise<void> };

const closeWithinMs = 1000;

/** Opens a shard; what becomes of its envelopes is read elsewhere (answer-streams.ts). */
export function openShard({ prefix, shard, producer, report }: ShardOptions): Shard {
  const queue = openQueue({
    shard,
    prefix,
    connection: producer,
    onError: (error) => report(error, 'queue'),
  });
  const stopTrimming = trimEvents(queue, producer);
  return {
    queue,
    async close() {
      stopTrimming();
      // Without Redis BullMQ waits for it.
      await within(closeWithinMs, queue.close()).catch(() => {});
    },
  };
}
