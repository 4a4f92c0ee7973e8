import { applyBatch } from '@inventory/db/apply-batch';
import { connect, isOutage } from '@inventory/db/client';
import { foldArrivals } from '@inventory/db/fold-arrivals';
import { createPartNumbers } from '@inventory/db/gates';
import { refuseUnsafeDatabase } from '@inventory/db/migrate';
import { settle } from '@inventory/db/verdict';
import { readConfig } from '@inventory/process/config';
import { serveInternal } from '@inventory/process/internal-server';
import type { Log } from '@inventory/process/log';
import type { Running } from '@inventory/process/run';
import { createConsumer } from '@inventory/queue/consume';
import { createBatcher } from './batcher.ts';
import { workerSettings } from './config.ts';
import { createCountKeeper } from './count-keeper.ts';

// Ended by Postgres after this long, a frozen worker's transaction gives its locks back before the api's patience ends.
const idleInTransactionMs = 700;

/** Starts a worker: takes envelopes from the queue and applies them to Postgres until it is stopped. */
export async function startWorker(env: NodeJS.ProcessEnv, log: Log): Promise<Running> {
  const config = readConfig(workerSettings, env);
  const report = (error: Error, what: string) => log.error({ err: error }, what);
  const sql = connect(config.DATABASE_URL, {
    name: 'inventory-worker',
    connectionsMax: 4,
    statementTimeoutMs: 5000,
    idleInTransactionMs,
    // Planning for the arrays of each batch would cost a lone request more than its statements do.
    planOnce: true,
  });
  await refuseUnsafeDatabase(sql);
  const parts = createPartNumbers();
  const counts = createCountKeeper(() => foldArrivals(sql), report);
  const consumer = await createConsumer({
    redisUrl: config.REDIS_URL,
    prefix: config.QUEUE_PREFIX,
    shardCount: config.QUEUE_SHARDS,
    concurrency: config.WORKER_CONCURRENCY,
    apply: createBatcher({
      batchMax: config.BATCH_MAX,
      apply: async (requests) => {
        const outcomes = await applyBatch(sql, requests, parts);
        counts.wake();
        return outcomes;
      },
      abandon: async (requestId) => (await settle(sql, [requestId])).get(requestId)!,
      isOutage,
      report,
    }),
    onUnserved: () => {
      log.fatal('work waits in the queue and none comes; ending, to be started anew');
      process.exit(1);
    },
    report,
  });
  const internal = await serveInternal(config, async () => {
    await sql`select`;
    if (!consumer.isOpen()) throw new Error('Redis is away');
  });
  log.info('worker is up');
  return {
    async stop() {
      await consumer.close();
      await counts.stop();
      await internal?.close();
      await sql.end({ timeout: 5 });
    },
  };
}
