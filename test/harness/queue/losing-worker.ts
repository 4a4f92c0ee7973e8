import { applyBatch } from '@inventory/db/batch/apply-batch';
import { createBatchPool } from '@inventory/db/batch/batch-pool';
import { createPartNumbers } from '@inventory/db/batch/gates';
import type { Sql } from '@inventory/postgres/pool';
import { answerReaders } from '@inventory/queue/answer-streams';
import { queueName } from '@inventory/queue/envelope';
import type { SignedEnvelope } from '@inventory/queue/signature';
import { blockMs, connectConsumer, connectProducer } from '@inventory/redis/redis';
import { Worker } from 'bullmq';
import { inject } from 'vitest';

/**
 * A worker that applies every envelope and then runs `lose` instead of answering. Returns a function that
 * ends it.
 */
export function startLosingWorker(sql: Sql, prefix: string, lose: () => Promise<never>): () => Promise<void> {
  const redis = connectConsumer(inject('redisUrl'), '', () => {});
  const producer = connectProducer(inject('redisUrl'), () => {});
  const parts = createPartNumbers();
  const pool = createBatchPool(sql);
  const worker = new Worker<SignedEnvelope>(
    queueName(0),
    async (job) => {
      await applyBatch(pool, job.data.requests, parts);
      return lose();
    },
    { connection: redis, prefix, concurrency: 100, skipVersionCheck: true, drainDelay: blockMs / 1000 },
  );
  // Sends the ends of jobs to the api that waits, as a worker does.
  answerReaders(worker, `${prefix}:${queueName(0)}`, producer);
  worker.on('error', () => {});
  return async () => {
    await worker.close(true);
    await pool.end({ timeout: 1 });
    redis.disconnect();
    producer.disconnect();
  };
}
