import { within } from '@inventory/process/within';
import { type Queue, QueueEvents } from 'bullmq';
import { lastEventOf } from './events-cursor.ts';
import { openQueue, trimEvents } from './queue.ts';
import { blockMs, connectConsumer } from './redis.ts';
import type { RedisConnection } from './redis-cluster.ts';

export type ShardOptions = {
  redisUrl: string;
  prefix: string;
  shard: number;
  /** The connection to send by; it stays the caller's. */
  producer: RedisConnection;
  /** `answer`: whatever stands in Redis as the job's. */
  onCompleted: (jobId: string, answer: unknown) => void;
  /** Not an answer: a job can be called failed after its work was committed. */
  onFailed: (jobId: string) => void;
  report: (error: Error, what: string) => void;
};

/** A shard's queue and what is told of its jobs, as an api process holds them. */
export type Shard = { queue: Queue; events: QueueEvents; close(): Promise<void> };

const closeWithinMs = 1000;

/** Opens a shard, to send envelopes and to hear of their ends. */
export async function openShard(options: ShardOptions): Promise<Shard> {
  const { redisUrl, prefix, shard, producer, report } = options;
  const queue = openQueue({
    shard,
    prefix,
    connection: producer,
    onError: (error) => report(error, 'queue'),
  });
  const stream = queue.toKey('events');
  const connection = connectConsumer(redisUrl, stream, (error) => report(error, 'events connection'));
  // From a place in time, not from "new ones": events between two reads must not be lost. Events from before
  // this process started concern nobody here.
  const lastEventId = await lastEventOf(producer, stream);
  const events = new NamedEvents(queue.name, {
    connection,
    prefix,
    lastEventId,
    blockingTimeout: blockMs,
    // Where INFO is refused, nothing would be read.
    skipVersionCheck: true,
  });
  const stopTrimming = trimEvents(queue, producer);
  events.on('error', (error) => report(error, 'queue events'));
  events.on('completed', ({ jobId, returnvalue }) => {
    options.onCompleted(jobId, returnvalue);
  });
  events.on('failed', ({ jobId }) => options.onFailed(jobId));
  return {
    queue,
    events,
    async close() {
      stopTrimming();
      // Without Redis BullMQ waits for it.
      await within(closeWithinMs, Promise.all([events.close(), queue.close()])).catch(() => {});
      connection.disconnect();
    },
  };
}

/**
 * BullMQ names its connection once, so that `doctor` would see no api any more after an outage, and reads
 * nothing where Redis refuses CLIENT.
 */
class NamedEvents extends QueueEvents {
  override run(): Promise<void> {
    const { backend } = this;
    const setName = backend.setName.bind(backend);
    backend.setName = async (name) => {
      const client = await backend.client;
      await setName(name).catch(() => {});
      // Given again by ioredis each time it connects.
      client.options.connectionName = name;
    };
    return super.run();
  }
}
