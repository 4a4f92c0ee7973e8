import type { DatabaseClock } from '@inventory/postgres/database-clock';
import type { Reporting } from '@inventory/process/reporting';
import { type Consumer, createConsumer } from '@inventory/queue/consume/consume';
import type { EnvelopeKeys } from '@inventory/queue/envelope-keys';
import { Batcher } from './batcher.ts';
import type { CountKeeper } from './count-keeper.ts';
import type { WorkerDatabase } from './database.ts';
import type { WorkerMetrics } from './metrics.ts';
import { StockBatches } from './stock-batches.ts';

type WorkSettings = {
  REDIS_URL: string;
  QUEUE_PREFIX: string;
  QUEUE_SHARDS: number;
  WORKER_CONCURRENCY: number;
  BATCH_MAX: number;
};

type Neighbours = {
  database: WorkerDatabase;
  keys: EnvelopeKeys;
  clock: DatabaseClock;
  counts: CountKeeper;
  metrics: WorkerMetrics;
  reporting: Reporting;
};

/** Takes envelopes from the queue, applies their requests in batches, and answers. */
export function openStockWork(config: WorkSettings, neighbours: Neighbours): Promise<Consumer> {
  const { keys, clock, metrics, reporting } = neighbours;
  const { log, presence, report } = reporting;
  const batcher = new Batcher(new StockBatches(neighbours), { batchMax: config.BATCH_MAX, report });
  const options = {
    redisUrl: config.REDIS_URL,
    prefix: config.QUEUE_PREFIX,
    shardsMax: config.QUEUE_SHARDS,
    concurrency: config.WORKER_CONCURRENCY,
    ...{ keys, report },
  };
  return createConsumer(options, {
    apply(requests, attempt) {
      metrics.envelope(requests.length);
      return batcher.apply(requests, attempt);
    },
    // A worker that cannot reach Postgres leaves the work to others.
    isAble: () => presence.isThere('postgres'),
    onAnswerTaken: metrics.answerTaken,
    note: () => ({
      busyRatio: metrics.busyRatio(),
      clockDifferenceSeconds: clock.differenceSeconds(),
      isPostgresUp: presence.isThere('postgres'),
    }),
    onUnserved() {
      log.fatal('work waits in the queue, but this worker gets none; it exits to be restarted');
      process.exit(1);
    },
  });
}
