import { lookEvery } from '@inventory/process/look-every';
import { within } from '@inventory/process/within';
import { connectConsumers } from '@inventory/redis/redis';
import { type RedisConnection, untilReady } from '@inventory/redis/redis-cluster';
import type { Queue } from 'bullmq';
import { answersConnectionName, drawReader, type Reader, readAnswers, type Told } from '../answer-streams.ts';
import { shardOf } from '../envelope.ts';
import { openQueue, trimEvents } from '../queue.ts';
import { readShardCount } from '../seats.ts';
import { emptyLane, type Lane } from './lane.ts';
import type { Waiter } from './waiters.ts';

/**
 * A queue in Redis. Each version of requests has a lane of its own, because an older worker leaves newer
 * envelopes, and the others must not wait for those.
 */
export type Line = { index: number; lanes: Map<number, Lane<Waiter>>; queue: Queue; isScheduled: boolean };

/** The lane of the requests for which a worker must know this version. */
export function laneOf({ lanes }: Line, version: number): Lane<Waiter> {
  const known = lanes.get(version);
  if (known !== undefined) return known;
  const lane = emptyLane<Waiter>();
  lanes.set(version, lane);
  return lane;
}

export type LinesOptions = {
  redisUrl: string;
  prefix: string;
  /** The name of the database, for which its jobs are. */
  site: string;
  /** The connection for commands. The caller closes it. */
  producer: RedisConnection;
  /** The callbacks for the ends of a line's jobs. */
  toldOf: (line: Line) => Told;
  report: (error: Error, what: string) => void;
};

/** An api's lines into the queue, one for each shard. */
export type Lines = {
  /** The name under which this api gets answers. */
  reader: Reader;
  /** The line of an item. */
  of(itemId: string): Line;
  at(index: number): Line;
  /** The lines that are or were in use. */
  all(): readonly Line[];
  queues(): Queue[];
  /** The number of shards in use, as far as this process knows. */
  count(): number;
  close(): Promise<void>;
};

// About as often as workers report. Until every api knows, workers still take work from a shard that is no
// longer in use (seats.ts).
const countEveryMs = 500;
const connectWithinMs = 1000;
const closeWithinMs = 1000;

/** Opens a line for each shard in use, and follows changes of their number. */
export async function openLines(options: LinesOptions): Promise<Lines> {
  const { redisUrl, prefix, site, producer, report } = options;
  const reader = drawReader(site);
  const consumers = connectConsumers(
    redisUrl,
    (error) => report(error, 'answers connection'),
    answersConnectionName(prefix, reader),
  );
  const answers = readAnswers({ reader, consumers, producer, report });
  const lines: Line[] = [];
  const stopsTrimming: (() => void)[] = [];
  let count = 1;

  /** Resolves when answers from these shards can be received. */
  async function openUpTo(wanted: number): Promise<void> {
    const heard: Promise<void>[] = [];
    while (lines.length < wanted) {
      const index = lines.length;
      const onError = (error: Error) => report(error, 'queue');
      const queue = openQueue({ prefix, shard: index, connection: producer, onError });
      stopsTrimming.push(trimEvents(queue, producer));
      const line: Line = { index, lanes: new Map(), queue, isScheduled: false };
      lines.push(line);
      heard.push(answers.add(queue, options.toldOf(line)));
    }
    await Promise.all(heard);
  }

  async function lookAtCount() {
    try {
      if (producer.status !== 'ready') return;
      const inUse = await readShardCount(producer, prefix);
      if (inUse === null || inUse === count) return;
      await openUpTo(inUse);
      count = inUse;
    } catch (error) {
      if (producer.status === 'ready') report(error as Error, 'the number of shards');
    }
  }

  await openUpTo(1);
  // So that the first requests are not refused.
  await within(connectWithinMs, untilReady(producer)).catch(() => {});
  await within(connectWithinMs, lookAtCount()).catch(() => {});
  const stopLooking = lookEvery(countEveryMs, lookAtCount);
  return {
    reader,
    of: (itemId) => lines[shardOf(itemId, count)]!,
    at: (index) => lines[index]!,
    all: () => lines,
    queues: () => lines.map(({ queue }) => queue),
    count: () => count,
    async close() {
      stopLooking();
      await answers.close();
      for (const stop of stopsTrimming) stop();
      // Without Redis, BullMQ would wait for it.
      for (const { queue } of lines) await within(closeWithinMs, queue.close()).catch(() => {});
      consumers.disconnect();
    },
  };
}
