import { createHash } from 'node:crypto';
import type { Client } from '@inventory/auth/client';
import { isOutage, isStatementTimeout } from '@inventory/db/client';
import type { Key, KeyedAttempt } from '@inventory/db/idempotency';
import type { StoredOutcome } from '@inventory/db/outcome';
import { conflict, type Refusal } from '@inventory/domain/refused';
import type { StockRequest } from '@inventory/domain/stock/transaction';
import { within } from '@inventory/process/within';
import type { QueuedRequest } from '@inventory/queue/envelope';
import type { Answer, Submitter } from '@inventory/queue/submit';
import { patience } from '@inventory/queue/submit';
import { Failed, messages, Refused } from './errors.ts';
import type { Keys } from './keys.ts';
import { createRequestId } from './request-id.ts';
import type { Reply } from './route.ts';

// A key that is this often found abandoned belongs to a caller who gives up sooner than the service works.
const attemptsMax = 3;
// A little more than a request without a key gets: its key is looked up before, and perhaps settled after.
const keyedWithinMs = patience.giveUpAfterMs + 200;
const refusedWithinMs = 1000;
const retryAfter = { 'Retry-After': '1' };

export type Stock = {
  /** Has a transaction applied and answers with `status`; throws Refused or Failed, and then nothing was applied. */
  transact(request: StockRequest, caller: Caller, status: 200 | 201): Promise<Reply>;
};

/** `arrivedAt`: of `performance.now()`, when the request came; `key`: its Idempotency-Key. */
export type Caller = { client: Client; arrivedAt: number; key: string | undefined };

export type StockOptions = {
  submitter: Submitter;
  keys: Keys;
  /** Decides that a request is never applied; returns what was decided if it already was. */
  settle: (requestId: string) => Promise<StoredOutcome>;
  /** What the clock of Postgres shows, milliseconds since 1970. */
  now: () => number;
};

/** The way of a transaction through the queue, with or without an Idempotency-Key. */
export function createStock({ submitter, keys, settle, now }: StockOptions): Stock {
  function queued(request: StockRequest, { client, arrivedAt }: Caller, requestId: string): QueuedRequest {
    const deadline = now() + patience.verdictAfterMs - (performance.now() - arrivedAt);
    return { ...request, requestId, clientId: client.clientId, deadline };
  }

  /**
   * What is sent under a key may be under way elsewhere, by another process or an earlier send: the caller is told that nothing
   * was applied only when it can never be.
   */
  async function submitKeyed(request: QueuedRequest, arrivedAt: number): Promise<Answer> {
    const answer = await submitter.submit(request, arrivedAt);
    if (answer.status !== 'busy') return answer;
    const outcome = await settle(request.requestId);
    // Busy it stays: another attempt would find the queue no better.
    return outcome.status === 'abandoned' ? answer : outcome;
  }

  async function transactKeyed(request: StockRequest, caller: Caller, keyText: string) {
    const key: Key = {
      clientId: caller.client.clientId,
      keyDigest: digest(keyText),
      fingerprint: digest(JSON.stringify([request.kind, request.body])),
      requestId: createRequestId(),
    };
    // What is refused now leaves no key behind.
    if (!submitter.admits(queued(request, caller, key.requestId), caller.arrivedAt)) return refuseKeyed(key);
    const bound = await keys.bind(key);
    refuseOtherRequest(bound);
    let { requestId } = bound;
    let answer = bound.outcome ?? (await submitKeyed(queued(request, caller, requestId), caller.arrivedAt));
    // An attempt that was abandoned before this call makes way; one abandoned by this call is its answer.
    const makesWay = bound.outcome?.status === 'abandoned';
    for (let attempt = 1; makesWay && answer.status === 'abandoned' && attempt <= attemptsMax; attempt++) {
      requestId = await keys.renew({ ...key, requestId: createRequestId() }, requestId);
      answer = await submitKeyed(queued(request, caller, requestId), caller.arrivedAt);
    }
    return { answer, usedBefore: bound.usedBefore };
  }

  /** A caller who cannot be served now: its key may lead to an answer all the same, or to a request that is under way. */
  async function refuseKeyed(key: Key): Promise<{ answer: Answer; usedBefore: boolean }> {
    const bound = await keys.find(key);
    if (bound === null) return { answer: { status: 'busy', result: null }, usedBefore: false };
    refuseOtherRequest(bound);
    const outcome = bound.outcome ?? (await settle(bound.requestId));
    // One abandoned before this call says nothing of this one.
    const answer: Answer = bound.outcome?.status === 'abandoned' ? { status: 'busy', result: null } : outcome;
    return { answer, usedBefore: true };
  }

  return {
    async transact(request, caller, status) {
      const { key, arrivedAt } = caller;
      if (key === undefined)
        return replyOf(
          await submitter.submit(queued(request, caller, createRequestId()), arrivedAt),
          status,
          {},
        );
      if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
        throw new Refused({
          code: 'bad_request',
          message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
        });
      }
      // One that came slowly is refused at once, but not without asking.
      const leftMs = Math.max(keyedWithinMs - (performance.now() - arrivedAt), refusedWithinMs);
      const { answer, usedBefore } = await within(leftMs, transactKeyed(request, caller, key)).catch(
        unknownKey,
      );
      const replayed = usedBefore && (answer.status === 'applied' || answer.status === 'refused');
      return replyOf(answer, status, replayed ? { 'Idempotent-Replayed': 'true' } : {});
    },
  };
}

function refuseOtherRequest(bound: KeyedAttempt) {
  if (!bound.sameRequest) throw new Refused(conflict('This Idempotency-Key was used with another request.'));
}

/** Postgres could not say what the key leads to, or settle it: an earlier send of it may be applied. */
function unknownKey(error: unknown): never {
  throw isOutage(error) || isStatementTimeout(error) ? new Failed(503, messages.unknown, retryAfter) : error;
}

function replyOf(answer: Answer, status: 200 | 201, headers: Record<string, string>): Reply {
  if (answer.status === 'applied') return { status, text: answer.result ?? '', headers };
  if (answer.status === 'failed') throw new Failed(500, messages.internal);
  if (answer.status === 'unknown') throw new Failed(503, messages.unknown, retryAfter);
  if (answer.result !== null) throw new Refused(JSON.parse(answer.result) as Refusal, { headers });
  throw new Failed(503, messages.unavailable, retryAfter);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
