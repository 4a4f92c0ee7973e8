import { correctTimes, type ServedWebhook } from '@inventory/db/webhooks/serve-webhooks';
import type { DatabaseClock } from '@inventory/postgres/database-clock';
import { isOutage } from '@inventory/postgres/pool';
import type { Log } from '@inventory/process/log/log';
import { lookEvery } from '@inventory/process/look-every';
import type { Reporting } from '@inventory/process/reporting';
import { createWebhookQueue } from '@inventory/queue/webhooks/webhook-queue';
import type { WorkerDatabase } from '../database.ts';
import { createDelivery } from './deliver.ts';
import { createLookOut } from './look-out.ts';
import { addWebhookMetrics, type WebhookReadings } from './webhook-metrics.ts';

type Neighbours = { database: WorkerDatabase; clock: DatabaseClock; reporting: Reporting };

export type Webhooks = { stop(): Promise<void> };

const lookEveryMs = 500;
// Of this process. A receiver that does not answer occupies one of them for 15 s.
const atOnceMax = 32;
// Of one client; and of those whose last attempt failed, so that they leave room for the others.
const ofClientMax = 8;
const failingMax = 16;
// Until there may be room.
const roomAfterMs = 250;
// Shorter than the time in which a stopping worker must have finished its batches.
const finishWithinMs = 5000;

/** Sends the webhooks of all clients, together with the other workers. */
export function startWebhooks(
  config: { REDIS_URL: string; QUEUE_PREFIX: string },
  { database, clock: { now }, reporting: { log, metrics, report } }: Neighbours,
): Webhooks {
  const { run } = database.webhooks;
  const stopping = new AbortController();
  const lookOut = createLookOut(run);
  const room = createRoom((webhookId) => lookOut.known().get(webhookId));
  const onSent = addWebhookMetrics(metrics, () => readingsOf([...lookOut.known().values()], room.size()));
  const deliver = createDelivery({ run, now, onSent, log, signal: stopping.signal });
  const queue = createWebhookQueue({
    redisUrl: config.REDIS_URL,
    prefix: config.QUEUE_PREFIX,
    concurrency: atOnceMax,
    report,
    async serve(webhookId) {
      if (stopping.signal.aborted) return null;
      if (!room.enter(webhookId)) return roomAfterMs;
      try {
        return await deliver(webhookId);
      } catch (error) {
        // Others report that Postgres is away. The lease ends, and the webhook is found again.
        if (!isOutage(error)) report(error as Error, 'a webhook');
        return null;
      } finally {
        room.leave(webhookId);
      }
    },
  });
  const tellPauses = createPauseLog(log);
  const correct = async () => {
    for (const webhook of await run(correctTimes))
      log.warn({ webhook }, 'a clock was ahead when a time of a webhook was noted');
  };
  const stopLooking = lookEvery(lookEveryMs, async () => {
    try {
      const { due, delayed } = await lookOut.look();
      const known = [...lookOut.known().values()];
      tellPauses(known);
      await queue.wake(due, delayed);
      if (known.some(({ isAhead }) => isAhead)) await correct();
    } catch (error) {
      if (!isOutage(error)) report(error as Error, 'looking for webhooks');
    }
  });
  return {
    async stop() {
      stopLooking();
      const closed = queue.close(2 * finishWithinMs);
      const timer = setTimeout(() => stopping.abort(), finishWithinMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

function readingsOf(webhooks: readonly ServedWebhook[], underWay: number): WebhookReadings {
  const states = { active: 0, failing: 0, paused: 0, disabled: 0, stopped: 0 };
  for (const { state, why } of webhooks)
    states[state === 'disabled' && why !== 'operator' ? 'stopped' : state] += 1;
  const failingSeconds = Math.max(0, ...webhooks.map((webhook) => webhook.failingSeconds));
  return { states, failingSeconds, underWay };
}

/** Those under way in this process, so that neither a client nor those that fail occupy all places. */
function createRoom(find: (webhookId: number) => ServedWebhook | undefined) {
  const inside = new Map<number, { clientId: string | null; isFailing: boolean }>();
  return {
    size: () => inside.size,
    /** Returns false if there is no room. */
    enter(webhookId: number): boolean {
      const { clientId = null, state } = find(webhookId) ?? {};
      const isFailing = state === 'failing';
      const others = [...inside.values()];
      if (clientId !== null && others.filter((other) => other.clientId === clientId).length >= ofClientMax)
        return false;
      if (isFailing && others.filter((other) => other.isFailing).length >= failingMax) return false;
      inside.set(webhookId, { clientId, isFailing });
      return true;
    },
    leave: (webhookId: number) => void inside.delete(webhookId),
  };
}

/** Logs once when a webhook is paused. */
function createPauseLog(log: Log): (webhooks: readonly ServedWebhook[]) => void {
  let paused = new Set<number>();
  return (webhooks) => {
    const now = webhooks.filter(({ state }) => state === 'paused');
    for (const { webhookId, clientId, why } of now) {
      if (!paused.has(webhookId))
        log.warn({ webhook: webhookId, client: clientId, why }, 'a webhook is paused');
    }
    paused = new Set(now.map(({ webhookId }) => webhookId));
  };
}
