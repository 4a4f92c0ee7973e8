import { createHash } from 'node:crypto';
import type { Client } from '@inventory/auth/client';
import type { Sql } from '@inventory/db/client';
import { bindKey, renewKey } from '@inventory/db/idempotency';
import { conflict, type Refusal } from '@inventory/domain/refused';
import type { StockRequest } from '@inventory/domain/stock/transaction';
import type { Answer, Submitter } from '@inventory/queue/submit';
import { patience } from '@inventory/queue/submit';
import { Failed, messages, Refused } from './errors.ts';
import { createRequestId } from './request-id.ts';
import type { Reply } from './route.ts';

// A key that is this often found abandoned belongs to a caller who gives up sooner than the service works.
const attemptsMax = 3;
const retryAfter = { 'Retry-After': '1' };

export type Stock = {
  /** Has a transaction applied and answers with `status`; throws Refused or Failed, and then nothing was applied. */
  transact(request: StockRequest, client: Client, key: string | undefined, status: 200 | 201): Promise<Reply>;
};

/** The way of a transaction through the queue, with or without an Idempotency-Key. */
export function createStock(sql: Sql, submitter: Submitter): Stock {
  async function submit(request: StockRequest, client: Client, requestId: string): Promise<Answer> {
    const deadline = Date.now() + patience.verdictAfterMs;
    return submitter.submit({ ...request, requestId, clientId: client.clientId, deadline });
  }

  async function submitKeyed(request: StockRequest, client: Client, key: string) {
    const keyDigest = digest(key);
    const bound = await bindKey(sql, {
      clientId: client.clientId,
      keyDigest,
      fingerprint: digest(JSON.stringify([request.kind, request.body])),
      requestId: createRequestId(),
    });
    if (!bound.sameRequest) {
      throw new Refused(conflict('This Idempotency-Key was used with another request.'));
    }
    let { requestId } = bound;
    let answer: Answer = bound.outcome ?? (await submit(request, client, requestId));
    // An attempt that was abandoned before this call makes way; one abandoned by this call is its answer.
    for (let attempt = 1; bound.outcome?.status === 'abandoned' && attempt <= attemptsMax; attempt++) {
      if (answer.status !== 'abandoned') break;
      requestId = await renewKey(sql, {
        clientId: client.clientId,
        keyDigest,
        abandonedId: requestId,
        requestId: createRequestId(),
      });
      answer = await submit(request, client, requestId);
    }
    return {
      answer,
      replayed: bound.usedBefore && (answer.status === 'applied' || answer.status === 'refused'),
    };
  }

  return {
    async transact(request, client, key, status) {
      if (key === undefined) return replyOf(await submit(request, client, createRequestId()), status, {});
      if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
        throw new Refused({
          code: 'bad_request',
          message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
        });
      }
      const { answer, replayed } = await submitKeyed(request, client, key);
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
