import {
  beginAttempt,
  type Consequence,
  type Leased,
  noteAttempt,
  releaseBegun,
  type StoredMessage,
} from '@inventory/db/webhooks/serve-webhooks';
import type { Sql } from '@inventory/postgres/pool';
import type { Log } from '@inventory/process/log/log';
import { pauseAfter } from '@inventory/webhooks/retries';
import { type Sent, sendMessage } from '@inventory/webhooks/send-message';
import { makeTest } from './make-message.ts';

/** The parts of a worker that sending needs. */
export type Sending = {
  /** Runs statements; no connection is held between them. */
  run: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
  /** The time of Postgres, in milliseconds since 1970. */
  now: () => number;
  /** Called with the outcome of each attempt. */
  onSent: (outcome: string) => void;
  log: Log;
  /** Gives up what is under way: the process stops. */
  signal: AbortSignal;
};

/**
 * Sends a message once and notes it, before and afterwards. Returns the consequence; null: it was given up,
 * and the lease given back. Nothing is sent after `beginBy`, of `performance.now()`.
 */
export async function attemptMessage(
  sending: Sending,
  leased: Leased,
  message: StoredMessage,
  beginBy: number,
): Promise<Consequence | null> {
  const attempt = leased.attempts + 1;
  const nextInMs = pauseAfter(attempt, null) ?? pauseAfter(1, null)!;
  const sent = await send(sending, leased, message, { number: attempt, nextInMs }, beginBy);
  if (sent === null) return null;
  const consequence = consequenceOf(sent, attempt, message);
  const { messageId, changeCount } = message;
  const { tookMs, outcome, answer } = sent;
  const attempted = { messageId, attempt, changeCount, tookMs, outcome, answer };
  const isNoted = await sending.run((sql) => noteAttempt(sql, leased, attempted, consequence));
  if (!isNoted) return null;
  tell(sending.log, leased, outcome, consequence);
  return consequence;
}

/** Sends a message without changes, for an operator, and notes it. */
export async function attemptTest(sending: Sending, leased: Leased, beginBy: number): Promise<void> {
  const message = makeTest(sending.now());
  const sent = await send(sending, leased, message, null, beginBy);
  if (sent === null) return;
  const { tookMs, outcome, answer } = sent;
  const attempted = { messageId: message.messageId, attempt: 1, changeCount: 0, tookMs, outcome, answer };
  await sending.run((sql) => noteAttempt(sql, leased, attempted, { kind: 'none' }));
}

/**
 * Returns null if it is too late, or if the process stops, so that nobody knows whether it arrived. Then the
 * lease is given back.
 */
async function send(
  { run, now, onSent, signal }: Sending,
  leased: Leased,
  message: Pick<StoredMessage, 'messageId' | 'body'>,
  attempt: { number: number; nextInMs: number } | null,
  beginBy: number,
): Promise<Sent | null> {
  const secrets = await run((sql) => beginAttempt(sql, leased, attempt));
  if (secrets === null) return null;
  const giveBack = async () => {
    await run((sql) => releaseBegun(sql, leased));
    return null;
  };
  // A worker that was frozen must not send what another one has sent since, perhaps with later messages.
  if (performance.now() > beginBy) return giveBack();
  const { url, allowPrivate } = leased;
  const sent: Sent =
    secrets.length === 0
      ? { outcome: 'noSecret', arrived: false, answer: '', tookMs: 0, retryAfterMs: null }
      : await sendMessage(message, { url, allowPrivate, secrets, at: now(), signal });
  if (signal.aborted && !sent.arrived) return giveBack();
  onSent(sent.outcome);
  return sent;
}

function consequenceOf(
  sent: Sent,
  attempt: number,
  { throughNo, scope, changeCount }: StoredMessage,
): Consequence {
  if (sent.arrived) return { kind: 'arrived', throughNo, scope };
  if (sent.outcome === '410') return { kind: 'disabled', why: 'gone' };
  // Only of several changes: one that is too large fails like any other.
  if (sent.outcome === '413' && changeCount > 1)
    return {
      kind: 'smaller',
      inMs: pauseAfter(1, sent.retryAfterMs)!,
      changesMax: Math.floor(changeCount / 2),
    };
  const inMs = pauseAfter(attempt, sent.retryAfterMs);
  return inMs === null ? { kind: 'disabled', why: 'failed' } : { kind: 'again', inMs };
}

export const disabledText = 'a webhook was disabled';

/** Only numbers and fixed words: an address may contain secrets. */
function tell(log: Log, { webhookId, clientId }: Leased, outcome: string, { kind }: Consequence) {
  const about = { webhook: webhookId, client: clientId, outcome };
  if (kind === 'again' || kind === 'smaller') log.warn(about, 'a message of a webhook did not arrive');
  if (kind === 'disabled') log.error(about, disabledText);
}
