import { within } from '@inventory/process/within';
import { connectConsumer, connectProducer } from '@inventory/redis/redis';
import { DelayedError } from 'bullmq';
import { BriefWorker } from '../consume/brief-worker.ts';
import { mendUnreadable } from '../consume/mend-unreadable.ts';
import { openNamedQueue, trimEvents } from '../queue.ts';

/** The queue of the webhooks. The braces keep its keys on one node of a Redis Cluster. */
const name = '{webhooks}';

export type WebhookQueueOptions = {
  redisUrl: string;
  prefix: string;
  /** The most webhooks under way at once in this process. */
  concurrency: number;
  /** Serves a webhook. Returns after how many milliseconds to serve it again; null: when it is woken. */
  serve: (webhookId: number) => Promise<number | null>;
  report: (error: Error, what: string) => void;
};

/**
 * Wakes the senders of webhooks: one job for each webhook, whichever worker takes it. A job contains nothing
 * but the webhook's number, and Postgres decides whether anything is to be sent. So nothing is lost with
 * Redis, and nobody who writes to Redis can send anything.
 */
export type WebhookQueue = {
  /**
   * Adds a job for each of these webhooks that has none. `delayed`: those whose job may be waiting for a
   * later time, which is now past.
   */
  wake(webhookIds: readonly number[], delayed: readonly number[]): Promise<void>;
  /** Takes no more work, and waits for the work under way, at most `withinMs`. */
  close(withinMs: number): Promise<void>;
};

const times = {
  // The lease in Postgres keeps a killed worker's webhook for longer.
  lockDuration: 10_000,
  stalledInterval: 5000,
};
const closeWithinMs = 1000;

export function createWebhookQueue(options: WebhookQueueOptions): WebhookQueue {
  const { redisUrl, prefix, concurrency, serve, report } = options;
  const keys = `${prefix}:${name}`;
  const producer = connectProducer(redisUrl, (error) => report(error, 'webhook connection'));
  const consumer = connectConsumer(redisUrl, keys, (error) => report(error, 'webhook connection'));
  const queue = openNamedQueue(name, {
    ...{ prefix, connection: producer },
    onError: (error) => report(error, 'webhook queue'),
  });
  const worker = new BriefWorker<{ webhookId?: unknown } | null>(
    name,
    async (job, token) => {
      const { webhookId } = job.data ?? {};
      if (!Number.isSafeInteger(webhookId)) return;
      const againInMs = await serve(webhookId as number);
      if (againInMs === null) return;
      await job.moveToDelayed(Date.now() + againInMs, token);
      throw new DelayedError();
    },
    { connection: consumer, prefix, concurrency, ...times },
  );
  worker.on('error', (error) => report(error, 'webhook queue'));
  worker.on('failed', (_job, error) => report(error, 'a webhook'));
  mendUnreadable(worker, queue, producer);
  const stopTrimming = trimEvents(queue, producer);
  const jobIdOf = (webhookId: number) => `webhook-${webhookId}`;

  return {
    async wake(webhookIds, delayed) {
      // Without Redis, they are woken when it is back.
      if (producer.status !== 'ready' || webhookIds.length === 0) return;
      await queue.addBulk(
        webhookIds.map((webhookId) => ({
          name: 'serve',
          data: { webhookId },
          opts: { jobId: jobIdOf(webhookId), removeOnComplete: true, removeOnFail: true },
        })),
      );
      for (const webhookId of delayed) {
        const job = await queue.getJob(jobIdOf(webhookId));
        // It may have begun meanwhile.
        if (await job?.isDelayed()) await job?.promote().catch(() => {});
      }
    },
    async close(withinMs) {
      stopTrimming();
      if (consumer.status === 'ready') await within(withinMs, worker.close()).catch(() => {});
      await within(closeWithinMs, Promise.all([worker.close(true), queue.close()])).catch(() => {});
      consumer.disconnect();
      producer.disconnect();
    },
  };
}
