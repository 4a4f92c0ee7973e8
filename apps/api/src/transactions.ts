import { hash } from 'node:crypto';
import type { Client } from '@inventory/auth/client';
import { isOutage, isStatementTimeout } from '@inventory/db/client';
import type { SentRequest } from '@inventory/db/requests/idempotency-keys';
import type { Refusal } from '@inventory/domain/contract/refused';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import type { QueuedRequest, RequestKey, StockRequest } from '@inventory/domain/stock/request';
import { within } from '@inventory/process/within';
import type { SubmitResult, Submitter } from '@inventory/queue/submit';
import { patience } from '@inventory/queue/submit';
import { Failed, type FailureCause, messages, Refused } from './errors.ts';
import type { RequestName } from './request-id.ts';
import type { Reply } from './route.ts';

// A little more than a request without a key gets: a request that the queue refuses is settled after.
const keyedWithinMs = patience.giveUpAfterMs + 200;
const refusedWithinMs = 1000;
const retryAfter = { 'Retry-After': '1' };

export type Stock = {
  /** Has a transaction applied and answers with `status`; throws Refused or Failed, and then nothing was applied. */
  transact(request: StockRequest, caller: Caller, status: 200 | 201): Promise<Reply>;
};

/**
 * `arrivedAt`: of `performance.now()`, when the request came; `key`: its Idempotency-Key; `name`: how it is called in its answer and in the
 * log, see `RequestName`.
 */
export type Caller = { client: Client; arrivedAt: number; key: string | undefined; name: RequestName };

export type StockOptions = {
  submitter: Submitter;
  /** Decides that a request is never applied; returns what was decided if it already was, under its key perhaps. */
  settle: (request: SentRequest) => Promise<StoredOutcome>;
  /** The time that the clock of Postgres shows, milliseconds since 1970. */
  now: () => number;
  /** Why the queue does not take or answer a request now. */
  whyUnanswered: () => FailureCause;
};

/** The way of a transaction through the queue, with or without an Idempotency-Key. */
export function createStock({ submitter, settle, now, whyUnanswered }: StockOptions): Stock {
  function queued(request: StockRequest, { client, arrivedAt, key, name }: Caller): QueuedRequest {
    const askedAt = now() - (performance.now() - arrivedAt);
    return {
      ...request,
      requestId: name.ours,
      ...(name.theirs !== null && { xRequestId: name.theirs }),
      clientId: client.clientId,
      deadline: askedAt + patience.verdictAfterMs,
      ...(key !== undefined && { key: keyOf(key, request, askedAt) }),
    };
  }

  /**
   * Another send of the same key may be under way, from this process or another, and its caller gone: one that the queue refuses is
   * told that nothing was applied only when that cannot be any more.
   */
  async function submitKeyed(request: QueuedRequest, arrivedAt: number): Promise<SubmitResult> {
    const answer = await submitter.submit(request, arrivedAt);
    return answer.status === 'busy' ? settle(request) : answer;
  }

  return {
    async transact(request, caller, status) {
      const { key, arrivedAt } = caller;
      if (key === undefined)
        return replyOf(await submitter.submit(queued(request, caller), arrivedAt), status, whyUnanswered);
      if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
        throw new Refused({
          code: 'bad_request',
          message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
        });
      }
      // One that came slowly is refused at once, but not without asking.
      const leftMs = Math.max(keyedWithinMs - (performance.now() - arrivedAt), refusedWithinMs);
      const answer = await within(leftMs, submitKeyed(queued(request, caller), arrivedAt)).catch(unknownKey);
      return replyOf(answer, status, whyUnanswered);
    },
  };
}

function keyOf(key: string, { kind, body }: StockRequest, askedAt: number): RequestKey {
  return {
    digest: digest(key),
    fingerprint: digest(JSON.stringify([kind, body])),
    askedAt: Math.floor(askedAt),
  };
}

/** Postgres could not say what the key leads to, or settle it: an earlier send of it may be applied. */
function unknownKey(error: unknown): never {
  throw isOutage(error) || isStatementTimeout(error)
    ? new Failed(503, messages.unknown, retryAfter, 'postgres')
    : error;
}

function replyOf(answer: SubmitResult, status: 200 | 201, whyUnanswered: () => FailureCause): Reply {
  const headers: Record<string, string> =
    'isRepeat' in answer && answer.isRepeat ? { 'Idempotent-Replayed': 'true' } : {};
  if (answer.status === 'applied') return { status, text: answer.result ?? '', headers };
  if (answer.status === 'failed') throw new Failed(500, messages.internal, {}, 'internal');
  if (answer.status === 'unknown') throw new Failed(503, messages.unknown, retryAfter, 'postgres');
  if (answer.result !== null) throw new Refused(JSON.parse(answer.result) as Refusal, { headers });
  throw new Failed(503, messages.unavailable, retryAfter, whyUnanswered());
}

function digest(text: string): string {
  return hash('sha256', text, 'base64');
}
