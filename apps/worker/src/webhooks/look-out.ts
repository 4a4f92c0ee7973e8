import {
  type FeedPosition,
  lifeOf,
  readFeedPosition,
  readTouched,
  type Touched,
} from '@inventory/db/changes/read-position';
import { readServedWebhooks, type ServedWebhook } from '@inventory/db/webhooks/serve-webhooks';
import { isLost } from '@inventory/domain/contract/feed-state';
import type { Sql } from '@inventory/postgres/pool';

/** Webhooks that are to be served now. `delayed`: those that were found before and are still not served. */
export type Found = { due: number[]; delayed: number[] };

export type LookOut = {
  look(): Promise<Found>;
  /** The webhooks of the last look, by number. */
  known(): ReadonlyMap<number, ServedWebhook>;
};

/** Finds the webhooks for which something has changed since the last look, or whose next attempt is due. */
export function createLookOut(run: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>): LookOut {
  let position: FeedPosition | null = null;
  let known = new Map<number, ServedWebhook>();
  // For each webhook, the last number that may concern it.
  const concerned = new Map<number, number>();
  let found = new Set<number>();

  /** The warehouses and clients touched since the last look; null: perhaps all. */
  async function readNews(last: FeedPosition | null, now: FeedPosition): Promise<Touched | null> {
    if (last === null || lifeOf(last) !== lifeOf(now) || now.knownNo < last.knownNo) return null;
    if (now.knownNo === last.knownNo) return { wids: [], clientIds: [], forAll: false };
    return run((sql) => readTouched(sql, { after: last.knownNo, until: now.knownNo }));
  }

  function isDue({ webhookId, state, isFree, isTest, isPending, isOther, afterNo }: ServedWebhook): boolean {
    if (!isFree) return false;
    if (isTest) return true;
    if (state === 'disabled' || state === 'paused') return false;
    return isPending || isOther || (concerned.get(webhookId) ?? 0) > afterNo;
  }

  return {
    async look() {
      const webhooks = await run(readServedWebhooks);
      if (webhooks.length > 0) {
        // This only finds who is due. A delivery reads its own position, which is on the standbys.
        const now = await run((sql) => readFeedPosition(sql, Number.MAX_SAFE_INTEGER));
        const news = await readNews(position, now);
        for (const webhook of webhooks) {
          const { webhookId, clientId, wids, afterNo } = webhook;
          const before = known.get(webhookId);
          const hasMoved =
            before === undefined || afterNo < before.afterNo || wids.join() !== before.wids.join();
          const isTouched =
            news === null ||
            news.forAll ||
            news.clientIds.includes(clientId) ||
            wids.some((wid) => news.wids.includes(wid));
          // A place that is ahead of all numbers shows that changes were lost.
          const isGone = afterNo > now.drawnNo || isLost(webhook.scope, now.places);
          if (isGone) concerned.set(webhookId, Number.POSITIVE_INFINITY);
          else if (concerned.get(webhookId) === Number.POSITIVE_INFINITY)
            concerned.set(webhookId, now.knownNo);
          else if (isTouched || hasMoved) concerned.set(webhookId, now.knownNo);
        }
        position = now;
      }
      known = new Map(webhooks.map((webhook) => [webhook.webhookId, webhook]));
      for (const webhookId of concerned.keys()) if (!known.has(webhookId)) concerned.delete(webhookId);
      const due = webhooks.filter(isDue).map(({ webhookId }) => webhookId);
      const delayed = due.filter((webhookId) => found.has(webhookId));
      found = new Set(due);
      return { due, delayed };
    },
    known: () => known,
  };
}
