import { Worker } from 'bullmq';
import {
  type Envelope,
  type EnvelopeResult,
  type Outcome,
  packOutcomes,
  type QueuedRequest,
  queueName,
} from './envelope.ts';
import { connectConsumer } from './redis.ts';

export type ConsumeOptions = {
  redisUrl: string;
  prefix: string;
  shardCount: number;
  /** Envelopes taken at once from each shard. Few: the loop that fetches fills up before it starts the first. */
  concurrency: number;
  /** One outcome per request, in order. Throws only when nothing was applied and trying again may help. */
  apply: (requests: QueuedRequest[]) => Promise<Outcome[]>;
  report: (error: Error, what: string) => void;
};

export type Consumer = {
  /** Takes no more, finishes what it has, closes. */
  close(): Promise<void>;
};

/** The worker's side of the queue: takes envelopes and returns their outcomes as the jobs' results. */
export async function createConsumer(options: ConsumeOptions): Promise<Consumer> {
  const consumers = Array.from({ length: options.shardCount }, (_, shard) => {
    const redis = connectConsumer(options.redisUrl, (error) => options.report(error, 'queue connection'));
    const worker = new Worker<Envelope, EnvelopeResult>(
      queueName(shard),
      async (job) => packOutcomes(await options.apply(job.data.requests)),
      {
        connection: redis,
        prefix: options.prefix,
        concurrency: options.concurrency,
        skipVersionCheck: true,
        // A killed worker's envelope is taken up again in about two seconds, while its callers still wait.
        lockDuration: 2000,
        stalledInterval: 1000,
        maxStalledCount: 5,
        drainDelay: 1,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      },
    );
    worker.on('error', (error) => options.report(error, 'queue'));
    worker.on('failed', (_job, error) => options.report(error, 'an envelope'));
    return { worker, redis };
  });
  return {
    async close() {
      await Promise.all(consumers.map(({ worker }) => worker.close()));
      for (const { redis } of consumers) redis.disconnect();
    },
  };
}
