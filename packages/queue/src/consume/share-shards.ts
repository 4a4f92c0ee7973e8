import { lookEvery } from '@inventory/process/look-every';
import { within } from '@inventory/process/within';
import { type RedisConnection, untilReady } from '@inventory/redis/redis-cluster';
import { queueName } from '../envelope.ts';
import { leaveSeat, type Shares, seatEveryMs, takeSeat } from '../seats.ts';
import type { Served } from './serve-shard.ts';

export type ShareOptions = {
  /** The connection for commands. The caller closes it. */
  producer: RedisConnection;
  prefix: string;
  workerId: string;
  /** The most shards in use. */
  shardsMax: number;
  /** Whether this worker can work now. */
  isAble: () => boolean;
  /** Begins to take work from a shard. */
  serve: (shard: number) => Served;
  report: (error: Error, what: string) => void;
};

/** The shards of a worker. */
export type Share = {
  /** Whether it takes part: Redis has its seat and delivers work. */
  isOpen(): boolean;
  count(): number;
  /** Gives up the seat, finishes the current work and closes. */
  close(): Promise<void>;
};

// It looks for work in unused shards once in this many reports.
const looksEvery = 3;
// Each look covers the shards that were in use, the first ones, and some of the others in turn.
const likelyMin = 8;
const othersAtOnce = 8;
const leaveWithinMs = 500;
// Together with the time until the next report, shorter than a seat lasts.
const lookWithinMs = 300;

/** Takes a seat, renews it, and serves the assigned shards. */
export function shareShards(options: ShareOptions): Share {
  const { producer, prefix, workerId } = options;
  const served = new Map<number, Served>();
  const closing = new Map<number, Promise<void>>();
  let shares: Shares = { count: 0, mine: [] };
  let found: number[] = [];
  let rounds = 0;
  let mostInUse = 0;
  let hasEnded = false;

  /**
   * Finds shards that no worker serves although they contain work. An api of another version sent it, or an
   * api was frozen while the shards went out of use, or Redis has lost the seats.
   */
  async function findWork(): Promise<number[]> {
    const looked = toLookAt(rounds / looksEvery, options.shardsMax, mostInUse);
    const others = looked.filter((shard) => shard >= shares.count && !served.has(shard));
    const counts = await Promise.all(others.map((shard) => orElse(0, countWork(producer, prefix, shard))));
    return others.filter((_, index) => counts[index]! > 0);
  }

  async function ask() {
    if (hasEnded || producer.status !== 'ready') return;
    try {
      const outOfUse = [...served.keys()].filter((shard) => shard >= shares.count);
      const empty = await findEmpty(producer, prefix, outOfUse);
      rounds += 1;
      // The worker of shard 0 looks for all of them.
      if (served.has(0) && rounds % looksEvery === 0) found = await findWork();
      // The seat was given up during the look. Taken again now, it would never be given up.
      if (hasEnded) return;
      const next = await takeSeat(producer, prefix, {
        id: workerId,
        shardsMax: options.shardsMax,
        ...{ isAble: options.isAble(), empty, found },
      });
      found = [];
      if (hasEnded) return;
      shares = next;
      mostInUse = Math.max(mostInUse, next.count);
      serveMine();
    } catch (error) {
      // The worker keeps its shards. A second worker on one of them does no harm.
      if (producer.status === 'ready') options.report(error as Error, 'sharing the shards');
    }
  }

  function serveMine() {
    for (const [shard, each] of served) if (!shares.mine.includes(shard)) giveUp(shard, each);
    for (const shard of shares.mine) {
      // A shard that is still closing is opened at the next report.
      if (!served.has(shard) && !closing.has(shard)) served.set(shard, options.serve(shard));
    }
  }

  function giveUp(shard: number, each: Served) {
    served.delete(shard);
    closing.set(
      shard,
      each.close().finally(() => closing.delete(shard)),
    );
  }

  const stopAsking = lookEvery(seatEveryMs, ask);
  const askNow = () => void within(seatEveryMs, untilReady(producer)).then(ask, ask);
  producer.on('ready', askNow);
  if (producer.status === 'ready') askNow();
  return {
    isOpen: () =>
      producer.status === 'ready' && shares.count > 0 && [...served.values()].every((each) => each.isOpen()),
    count: () => served.size,
    async close() {
      hasEnded = true;
      stopAsking();
      producer.off('ready', askNow);
      // Before closing, so that others take new work while this worker finishes its own.
      if (producer.status === 'ready')
        await within(leaveWithinMs, leaveSeat(producer, prefix, workerId)).catch(() => {});
      for (const [shard, each] of served) giveUp(shard, each);
      await Promise.all(closing.values());
    },
  };
}

function toLookAt(look: number, shardsMax: number, mostInUse: number): number[] {
  const likely = [...Array(Math.min(shardsMax, Math.max(likelyMin, mostInUse))).keys()];
  const turn = Array.from({ length: othersAtOnce }, (_, index) => (look * othersAtOnce + index) % shardsMax);
  return [...new Set([...likely, ...turn])];
}

/**
 * Returns `unknown` if the look fails: a node of a Redis Cluster that is away must not keep a worker from its
 * seat.
 */
function orElse<Value>(unknown: Value, looked: Promise<Value>): Promise<Value> {
  return within(lookWithinMs, looked).catch(() => unknown);
}

async function findEmpty(
  producer: RedisConnection,
  prefix: string,
  shards: readonly number[],
): Promise<number[]> {
  const areEmpty = await Promise.all(shards.map((shard) => orElse(false, isEmpty(producer, prefix, shard))));
  return shards.filter((_, index) => areEmpty[index]);
}

async function isEmpty(producer: RedisConnection, prefix: string, shard: number): Promise<boolean> {
  const [delayed, others] = await Promise.all([
    producer.zcard(`${prefix}:${queueName(shard)}:delayed`),
    countWork(producer, prefix, shard),
  ]);
  return delayed + others === 0;
}

async function countWork(producer: RedisConnection, prefix: string, shard: number): Promise<number> {
  const keyOf = (part: string) => `${prefix}:${queueName(shard)}:${part}`;
  const counts = await Promise.all([producer.llen(keyOf('wait')), producer.llen(keyOf('active'))]);
  return counts[0] + counts[1];
}
