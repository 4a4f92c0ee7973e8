import { createHash } from 'node:crypto';
import type { Client } from '@inventory/auth/client';
import type { Sql } from '@inventory/db/client';
import { bindKey, renewKey } from '@inventory/db/idempotency';
import { conflict, type Refusal } from '@inventory/domain/refused';
import type { StockRequest } from '@inventory/domain/stock/transaction';
import { within } from '@inventory/process/within';
import type { Answer, Submitter } from '@inventory/queue/submit';
import { patience } from '@inventory/queue/submit';
import { Failed, messages, Refused } from './errors.ts';
import { createRequestId } from './request-id.ts';
import type { Reply } from './route.ts';

// A key that is this often found abandoned belongs to a caller who gives up sooner than the service works.
const attemptsMax = 3;
// Nothing is sent yet while a key is looked up: a caller can be told so.
const keyWaitMs = 1000;
const retryAfter = { 'Retry-After': '1' };

export type Stock = {
  /** Has a transaction applied and answers with `status`; throws Refused or Failed, and then nothing was applied. */
  transact(request: StockRequest, caller: Caller, status: 200 | 201): Promise<Reply>;
};

/** `arrivedAt`: of `performance.now()`, when the request came; `key`: its Idempotency-Key. */
export type Caller = { client: Client; arrivedAt: number; key: string | undefined };

/** The way of a transaction through the queue, with or without an Idempotency-Key. */
export function createStock(sql: Sql, submitter: Submitter): Stock {
  async function submit(request: StockRequest, caller: Caller, requestId: string): Promise<Answer> {
    const { client, arrivedAt } = caller;
    const deadline = Date.now() + patience.verdictAfterMs - (performance.now() - arrivedAt);
    return submitter.submit({ ...request, requestId, clientId: client.clientId, deadline }, arrivedAt);
  }

  async function submitKeyed(request: StockRequest, caller: Caller, key: string) {
    const { clientId } = caller.client;
    const keyDigest = digest(key);
    const bound = await within(
      keyWaitMs,
      bindKey(sql, {
        clientId,
        keyDigest,
        fingerprint: digest(JSON.stringify([request.kind, request.body])),
        requestId: createRequestId(),
      }),
    );
    if (!bound.sameRequest) {
      throw new Refused(conflict('This Idempotency-Key was used with another request.'));
    }
    let { requestId } = bound;
    let answer: Answer = bound.outcome ?? (await submit(request, caller, requestId));
    // An attempt that was abandoned before this call makes way; one abandoned by this call is its answer.
    const makesWay = bound.outcome?.status === 'abandoned';
    for (let attempt = 1; makesWay && answer.status === 'abandoned' && attempt <= attemptsMax; attempt++) {
      const next = { clientId, keyDigest, abandonedId: requestId, requestId: createRequestId() };
      requestId = await within(keyWaitMs, renewKey(sql, next));
      answer = await submit(request, caller, requestId);
    }
    return {
      answer,
      replayed: bound.usedBefore && (answer.status === 'applied' || answer.status === 'refused'),
    };
  }

  return {
    async transact(request, caller, status) {
      const { key } = caller;
      if (key === undefined) return replyOf(await submit(request, caller, createRequestId()), status, {});
      if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
        throw new Refused({
          code: 'bad_request',
          message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
        });
      }
      const { answer, replayed } = await submitKeyed(request, caller, key);
      return replyOf(answer, status, replayed ? { 'Idempotent-Replayed': 'true' } : {});
    },
  };
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
