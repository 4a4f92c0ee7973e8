import { within } from '@inventory/process/within';
import type { Queue } from 'bullmq';
import { openQueue, trimEvents } from './queue.ts';
import type { RedisConnection } from './redis/redis-cluster.ts';

export type ShardOptions = {
  prefix: string;
  shard: number;
  /** The connection for sending. The caller closes it. */
  producer: RedisConnection;
  report: (error: Error, what: string) => void;
};

/** A shard's queue in an api process, for sending envelopes. */
export type Shard = { queue: Queue; close(): Promise<void> };

const closeWithinMs = 1000;

/** Opens a shard for sending. Answers are read elsewhere (answer-streams.ts). */
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
      // Without Redis, BullMQ would wait for it.
      await within(closeWithinMs, queue.close()).catch(() => {});
    },
  };
}
