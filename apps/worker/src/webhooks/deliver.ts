import { randomUUID } from 'node:crypto';
import { type FeedPosition, noteRefusedCursor, readFeedPosition } from '@inventory/db/changes/read-position';
import { leaseSeconds } from '@inventory/db/webhooks/list-webhooks';
import {
  disableFailed,
  disableRestored,
  type Leased,
  leaseWebhook,
  passChanges,
  readFollowed,
  readStoredMessage,
  releaseWebhook,
  type StoredMessage,
  storeMessage,
} from '@inventory/db/webhooks/serve-webhooks';
import { type FeedReader, isLost, judgePlace } from '@inventory/domain/contract/feed-state';
import { attemptsMax } from '@inventory/webhooks/retries';
import { sendWithinMs } from '@inventory/webhooks/send-message';
import { attemptMessage, attemptTest, disabledText, type Sending } from './attempt.ts';
import { makeMessage } from './make-message.ts';

// An attempt begins only if it surely ends within the lease.
const beginWithinMs = leaseSeconds * 1000 - sendWithinMs - 5000;
// Until every api has seen a change of scope: what is told of it makes receivers read the lists.
const scopeKnownAfterMs = 2000;
// After this time, a webhook with more to send lets others go first.
const turnMs = 2000;

/** The next step: another message at once, a later attempt, or nothing until the webhook is woken. */
type Next = 'more' | { inMs: number } | null;

/**
 * Serves a webhook: sends what is due, message after message, for a short time. Returns after how many
 * milliseconds to go on, or null if nothing is due. It holds no connection to Postgres while it waits for the
 * receiver.
 */
export function createDelivery(sending: Sending): (webhookId: number) => Promise<number | null> {
  const { run, signal } = sending;
  const readPosition = createPositionReader(sending);
  return async (webhookId) => {
    const turnEnds = performance.now() + turnMs;
    while (!signal.aborted && performance.now() < turnEnds) {
      const begunAt = performance.now();
      const leased = await run((sql) => leaseWebhook(sql, webhookId, randomUUID()));
      if (leased === null) return null;
      const next = await sendNext(sending, leased, readPosition, begunAt);
      if (next !== 'more') return next === null ? null : next.inMs;
    }
    return 0;
  };
}

async function sendNext(
  sending: Sending,
  leased: Leased,
  readPosition: () => Promise<FeedPosition>,
  begunAt: number,
): Promise<Next> {
  const { run } = sending;
  const giveBack = async () => {
    await run((sql) => releaseWebhook(sql, leased));
    return null;
  };
  const beginBy = begunAt + beginWithinMs;
  if (leased.isTest) {
    await attemptTest(sending, leased, beginBy);
    return 'more';
  }
  // Its client may have lost its rights.
  const reader = await run((sql) => readFollowed(sql, leased.clientId));
  if (reader === null) return giveBack();
  if (reader.scopeAgeMs >= 0 && reader.scopeAgeMs < scopeKnownAfterMs) {
    await giveBack();
    return { inMs: scopeKnownAfterMs - reader.scopeAgeMs };
  }
  const kept = await readKept(sending, leased, reader);
  const found = kept === null ? await makeNext(sending, leased, reader, await readPosition()) : kept;
  if (found === null) return giveBack();
  if (found.message === null) return found.hasMore ? 'more' : null;
  const current = kept === null ? { ...leased, attempts: 0 } : leased;
  if (current.attempts >= attemptsMax) return endUnfinished(sending, leased);
  const consequence = await attemptMessage(sending, current, found.message, beginBy);
  if (consequence === null) return null;
  if (consequence.kind === 'again' || consequence.kind === 'smaller') return { inMs: consequence.inMs };
  return consequence.kind === 'arrived' && found.hasMore ? 'more' : null;
}

/** Every attempt that the message has was begun, and the last one ended its worker. */
async function endUnfinished({ run, log }: Sending, leased: Leased): Promise<null> {
  await run((sql) => disableFailed(sql, leased));
  log.error(
    { webhook: leased.webhookId, client: leased.clientId, outcome: leased.lastOutcome },
    disabledText,
  );
  return null;
}

type Found = { message: StoredMessage | null; hasMore: boolean };

/**
 * The message that has not arrived yet. One of another scope may tell what the client must not see now, and
 * one of another place of the database, or of one that was restored since, what is gone.
 */
async function readKept({ run }: Sending, leased: Leased, reader: FeedReader): Promise<Found | null> {
  const message = await run((sql) => readStoredMessage(sql, leased.webhookId));
  if (message === null) return null;
  const position = await run((sql) => readFeedPosition(sql, Number.MAX_SAFE_INTEGER));
  if (isRestored(leased, position)) return null;
  const { places } = position;
  const judged = judgePlace({ after: message.throughNo, state: message.scope }, places, reader);
  return judged.lost || judged.isNewScope ? null : { message, hasMore: true };
}

/** Whether its place is of a database that was restored since, or that has lost changes which were told. */
function isRestored({ identity, afterNo }: Leased, position: FeedPosition): boolean {
  return identity !== position.identity || afterNo > position.drawnNo;
}

/** Makes the next message and stores it. Returns null if nothing is to be sent by this worker now. */
async function makeNext(
  { run, now, log }: Sending,
  leased: Leased,
  reader: FeedReader,
  position: FeedPosition,
): Promise<Found | null> {
  if (isRestored(leased, position)) {
    for (const webhookId of await run(disableRestored))
      log.error({ webhook: webhookId }, 'a webhook was disabled: the database was restored since');
    return null;
  }
  if (isLost(leased.scope, position.places)) {
    await run(noteRefusedCursor);
    log.error({ webhook: leased.webhookId }, 'a webhook begins again: the database has moved since');
  }
  const { message, throughNo, hasMore } = await run((sql) =>
    makeMessage(sql, leased, position, { reader, at: now() }),
  );
  if (message === null) {
    await run((sql) => passChanges(sql, leased, throughNo));
    return { message, hasMore };
  }
  const isStored = await run((sql) => storeMessage(sql, leased, message));
  return isStored ? { message, hasMore } : null;
}

/** A position that has moved since this process has read it last is on the standbys before it is told. */
function createPositionReader({ run }: Sending): () => Promise<FeedPosition> {
  let lastKnownNo = 0;
  return async () => {
    const position = await run((sql) => readFeedPosition(sql, lastKnownNo));
    lastKnownNo = position.knownNo;
    return position;
  };
}
