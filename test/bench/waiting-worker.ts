import { applyBatch } from '@inventory/db/batch/apply-batch';
import { createBatchPool } from '@inventory/db/batch/batch-pool';
import { createPartNumbers } from '@inventory/db/batch/gates';
import { connect } from '@inventory/db/postgres/pool';
import type { QueuedRequest } from '@inventory/domain/stock/request';
import { blockMs, connectConsumer } from '@inventory/queue/redis/redis';
import { Worker } from 'bullmq';

// The worker of the usual way: each job is one database transaction, and many run at once.
const { DATABASE_URL = '', REDIS_URL = '', QUEUE_PREFIX = '' } = process.env;
const pool = createBatchPool(connect(DATABASE_URL, { name: 'bench-worker', connectionsMax: 16 }));
const parts = createPartNumbers();
const worker = new Worker<QueuedRequest>(
  'one-job-per-request',
  async (job) => (await applyBatch(pool, [job.data], parts)).get(job.data.requestId),
  {
    connection: connectConsumer(REDIS_URL, '', () => {}),
    prefix: QUEUE_PREFIX,
    concurrency: 16,
    drainDelay: blockMs / 1000,
  },
);
worker.on('error', () => {});
await worker.waitUntilReady();
process.stdout.write(`${JSON.stringify({ msg: 'waiting worker is up', port: 0 })}\n`);
