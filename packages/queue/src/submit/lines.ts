import { lookEvery } from '@inventory/process/look-every';
import { within } from '@inventory/process/within';
import type { Queue } from 'bullmq';
import { answersConnectionName, drawReader, type Reader, readAnswers, type Told } from '../answer-streams.ts';
import { shardOf } from '../envelope.ts';
import { connectConsumers } from '../redis/redis.ts';
import { type RedisConnection, untilReady } from '../redis/redis-cluster.ts';
import { readShardCount } from '../seats.ts';
import { openShard, type Shard } from '../shard.ts';
import { emptyLane, type Lane } from './lane.ts';
import type { Waiter } from './waiters.ts';

/** A lane with its shard in Redis. */
export type Line = { index: number; lane: Lane<Waiter>; shard: Shard; isScheduled: boolean };

export type LinesOptions = {
  redisUrl: string;
  prefix: string;
  /** The connection for commands. The caller closes it. */
  producer: RedisConnection;
  /** The callbacks for the ends of a line's jobs. */
  toldOf: (line: Line) => Told;
  report: (error: Error, what: string) => void;
};

/** The ways of an api into the queue, one for each shard. */
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

/** Opens a line for each shard in use, and follows changes of their number. */
export async function openLines(options: LinesOptions): Promise<Lines> {
  const { redisUrl, prefix, producer, report } = options;
  const reader = drawReader();
  const consumers = connectConsumers(
    redisUrl,
    (error) => report(error, 'answers connection'),
    answersConnectionName(prefix, reader),
  );
  const answers = readAnswers({ reader, consumers, producer, report });
  const lines: Line[] = [];
  let count = 1;

  /** Resolves when answers from these shards can be received. */
  async function openUpTo(wanted: number): Promise<void> {
    const heard: Promise<void>[] = [];
    while (lines.length < wanted) {
      const shard = openShard({ prefix, shard: lines.length, producer, report });
      const line = { index: lines.length, lane: emptyLane<Waiter>(), shard, isScheduled: false };
      lines.push(line);
      heard.push(answers.add(shard.queue, options.toldOf(line)));
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
    queues: () => lines.map(({ shard }) => shard.queue),
    count: () => count,
    async close() {
      stopLooking();
      await answers.close();
      for (const { shard } of lines) await shard.close();
      consumers.disconnect();
    },
  };
}
