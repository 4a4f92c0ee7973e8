import { Failed, Refused } from '@inventory/api/http/errors';
import { createRequestId } from '@inventory/api/http/request-id';
import { appliedStatusOf, type Stock } from '@inventory/api/stock/transactions';
import { blockMs, connectConsumer } from '@inventory/queue/redis/redis';
import { Queue, QueueEvents } from 'bullmq';

/**
 * The usual way with BullMQ, for comparison: one job per request, and the caller waits until it is finished.
 */
export function createWaitingStock(redisUrl: string, prefix: string): Stock {
  const queue = new Queue('one-job-per-request', {
    connection: connectConsumer(redisUrl, '', () => {}),
    prefix,
  });
  const events = new QueueEvents('one-job-per-request', {
    connection: connectConsumer(redisUrl, '', () => {}),
    prefix,
    blockingTimeout: blockMs,
  });
  events.setMaxListeners(0);
  queue.setMaxListeners(0);
  return {
    async transact(request, { client }) {
      const data = {
        ...request,
        requestId: createRequestId(),
        clientId: client.clientId,
        deadline: Date.now() + 2500,
      };
      const job = await queue.add('request', data, { removeOnComplete: 1000, removeOnFail: 1000 });
      let outcome: { status: string; result: string };
      try {
        outcome = await job.waitUntilFinished(events, 2500);
      } catch {
        throw new Failed(503, 'not finished in time');
      }
      if (outcome.status === 'applied')
        return { status: appliedStatusOf(request.kind), text: outcome.result };
      throw new Refused(JSON.parse(outcome.result));
    },
    // The load sends nothing else.
  } satisfies Pick<Stock, 'transact'> as Stock;
}
