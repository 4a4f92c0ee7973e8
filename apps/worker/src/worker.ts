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
import { TooLateError, within } from '@inventory/process/within';
import { createConsumer } from '@inventory/queue/consume';
import type { QueuedRequest } from '@inventory/queue/envelope';
import { createBatcher } from './batcher.ts';
import { workerSettings } from './config.ts';
import { createCountKeeper } from './count-keeper.ts';

// Ended by Postgres after this long, a frozen worker's transaction gives its locks back before the api's patience ends.
const idleInTransactionMs = 700;
// Nobody waits for a batch any more after this long. A connection that broke without a word is given up then.
const batchWithinMs = 3000;

/** Starts a worker: takes envelopes from the queue and applies them to Postgres until it is stopped. */
export async function startWorker(env: NodeJS.ProcessEnv, log: Log): Promise<Running> {
  const config = readConfig(workerSettings, env);
  const report = (error: Error, what: string) => log.error({ err: error }, what);
  const open = () =>
    connect(config.DATABASE_URL, {
      name: 'inventory-worker',
      connectionsMax: 4,
      statementTimeoutMs: 5000,
      idleInTransactionMs,
      // Planning for the arrays of each batch would cost a lone request more than its statements do.
      planOnce: true,
    });
  let sql = open();
  await refuseUnsafeDatabase(sql);
  const parts = createPartNumbers();
  const counts = createCountKeeper(() => foldArrivals(sql), report);
  /** Applies a batch in time, or throws and goes on with new connections; a batch that was committed all the same is found decided. */
  const apply = async (requests: QueuedRequest[]) => {
    try {
      const outcomes = await within(batchWithinMs, applyBatch(sql, requests, parts));
      counts.wake();
      return outcomes;
    } catch (error) {
      if (error instanceof TooLateError) {
        const given = sql;
        sql = open();
        given.end({ timeout: 0 }).catch(() => {});
      }
      throw error;
    }
  };
  const consumer = await createConsumer({
    redisUrl: config.REDIS_URL,
    prefix: config.QUEUE_PREFIX,
    shardCount: config.QUEUE_SHARDS,
    concurrency: config.WORKER_CONCURRENCY,
    apply: createBatcher({
      batchMax: config.BATCH_MAX,
      apply,
      abandon: async (requestId) => (await settle(sql, [requestId])).get(requestId)!,
      isOutage: (error) => error instanceof TooLateError || isOutage(error),
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
      await within(batchWithinMs, counts.stop()).catch(() => {});
      await internal?.close();
      await sql.end({ timeout: 5 });
    },
  };
}
