import type { Client } from '@inventory/auth/client';
import { reversalPermission } from '@inventory/auth/permission';
import { denyAction, denyWarehouses } from '@inventory/auth/scope';
import type { Trial } from '@inventory/db/batch/dry-run';
import { isUnanswered } from '@inventory/db/postgres/pool';
import type { Wait } from '@inventory/db/postgres/statement-pool';
import { isKey } from '@inventory/domain/contract/batch';
import { forbidden, noTransaction, type Refusal } from '@inventory/domain/contract/refused';
import type { ReverseRequest } from '@inventory/domain/contract/reverse';
import type { Original, SingleRequest, StockKind, StockRequest } from '@inventory/domain/stock/request';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import { Failed, type FailureCause, messages, Refused, soonAgain, unknownOutcome } from '../http/errors.ts';
import type { RequestName } from '../http/request-id.ts';
import type { Call, Reply } from '../http/route.ts';
import { type AnsweredCall, type AnswerTexts, underOf } from './answer-texts.ts';
import type { Sender } from './sender.ts';

export type Stock = {
  /** Applies a transaction. If it throws Refused or Failed, nothing was applied. */
  transact(request: StockRequest, caller: Caller): Promise<Reply>;
  /**
   * Returns the answer that the call would get. Nothing is stored and no key is used. Throws Refused, or the
   * error of the database.
   */
  tryOut(request: SingleRequest, caller: Caller, wait: Wait): Promise<Reply>;
  /**
   * Reverses a transaction. It must be in the caller's scope, and the caller needs the permission for the
   * opposite transaction.
   */
  reverse(
    body: ReverseRequest & { dryRun?: boolean | undefined },
    caller: Caller,
    wait: Wait,
  ): Promise<Reply>;
};

/**
 * `arrivedAt`: when the request came, of `performance.now()`. `key`: its Idempotency-Key. `name`: its ids,
 * see `RequestName`. `res`: the response.
 */
export type Caller = {
  client: Client;
  arrivedAt: number;
  key: string | undefined;
  name: RequestName;
  res: AnsweredCall['res'];
};

/** The caller of a request. */
export function callerOf({
  client,
  name,
  arrivedAt,
  header,
  res,
}: Pick<Call<unknown, unknown, unknown>, 'client' | 'name' | 'arrivedAt' | 'header' | 'res'>): Caller {
  return { client, name, arrivedAt, key: header('Idempotency-Key'), res };
}

/** Makes the handler of a route. It applies the transaction in the body, or only tries it out. */
export function handlerOf<Kind extends 'receive' | 'move' | 'issue' | 'count'>(stock: Stock, kind: Kind) {
  type Body = Extract<SingleRequest, { kind: Kind }>['body'] & { dryRun?: boolean | undefined };
  return (call: Call<undefined, undefined, Body>): Promise<Reply> => {
    const { dryRun, ...body } = call.body;
    const request = { kind, body } as unknown as SingleRequest;
    return dryRun === true
      ? stock.tryOut(request, callerOf(call), call.wait)
      : stock.transact(request, callerOf(call));
  };
}

export type StockOptions = {
  sender: Sender;
  /** Looks up the transaction to reverse; null if there is none with this number. */
  findOriginal: (transactionNo: number) => Promise<Original | null>;
  tryOut: (request: SingleRequest, clientId: string, wait: Wait) => Promise<Trial>;
  answerTexts: AnswerTexts;
  /** Why the queue cannot take or answer a request now. */
  whyUnanswered: () => FailureCause;
};

/** Sends transactions through the queue, with or without an Idempotency-Key. */
export function createStock({
  sender,
  findOriginal,
  tryOut: tryOutNow,
  answerTexts,
  whyUnanswered,
}: StockOptions): Stock {
  async function transact(request: StockRequest, caller: Caller): Promise<Reply> {
    const { client, key, arrivedAt, name, res } = caller;
    checkKey(key);
    const { clientId } = client;
    const queued = sender.queued(request, { clientId, arrivedAt, key, name });
    const [answer] = await sender.sendAll([queued], arrivedAt);
    const status = appliedStatusOf(request.kind);
    if (underOf(answer!) === null) return replyOf(answer!, status, whyUnanswered);
    const texts = answerTexts.open({ clientId, res });
    return texts
      .fill(answer!, 'single')
      .then((told) => replyOf(told, status, whyUnanswered))
      .finally(texts.end);
  }

  async function tryOut(request: SingleRequest, { client, key }: Caller, wait: Wait): Promise<Reply> {
    checkKey(key);
    const trial = await tryOutNow(request, client.clientId, wait);
    if (trial.status === 'refused') throw new Refused(trial.refusal);
    return { status: 200, text: trial.text };
  }

  return {
    transact,
    tryOut,
    async reverse({ dryRun, ...body }, caller, wait) {
      checkKey(caller.key);
      const of = await findOriginal(body.transactionNo).catch((error) => {
        // An earlier send of the key may be applied.
        if (caller.key !== undefined) unknownKey(error);
        throw error;
      });
      const request = { kind: 'reverse' as const, body, of: of! };
      const refusal = refuseReversal(of, caller.client);
      if (refusal !== null) throw new Refused(refusal);
      return dryRun === true ? tryOut(request, caller, wait) : transact(request, caller);
    },
  };
}

/** The status of an applied transaction. */
export function appliedStatusOf(kind: StockKind): 200 | 201 {
  return kind === 'receive' ? 201 : 200;
}

/** Why a client may not reverse this transaction. Outside the client's scope it counts as unknown. */
export function refuseReversal(of: Original | null, client: Client): Refusal | null {
  if (of === null || denyWarehouses(client, of.wids) !== null) return noTransaction;
  const denial = denyAction(client, reversalPermission[of.kind], true);
  return denial === null ? null : forbidden[denial];
}

/** Refuses an Idempotency-Key with an invalid form. */
export function checkKey(key: string | undefined): void {
  if (key === undefined || isKey(key)) return;
  throw new Refused({
    code: 'bad_request',
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
  });
}

/** Postgres could not look up or settle the key, so an earlier send of it may be applied. */
export function unknownKey(error: unknown): never {
  throw isUnanswered(error) ? unknownOutcome() : error;
}

function replyOf(answer: SubmitResult, status: 200 | 201, whyUnanswered: () => FailureCause): Reply {
  const headers: Record<string, string> =
    'isRepeat' in answer && answer.isRepeat ? { 'Idempotent-Replayed': 'true' } : {};
  if (answer.status === 'applied') return { status, text: answer.result ?? '', headers };
  throw new Refused(JSON.parse(refusalTextOf(answer, whyUnanswered)) as Refusal, { headers });
}

/**
 * Returns the JSON text of the refusal of a request that was not applied. Throws Failed if it was not
 * refused.
 */
export function refusalTextOf({ status, result }: SubmitResult, whyUnanswered: () => FailureCause): string {
  if (status === 'failed') throw new Failed(500, messages.internal, {}, 'internal');
  if (status === 'unknown') throw unknownOutcome();
  if (result !== null) return result;
  throw new Failed(503, messages.unavailable, soonAgain, whyUnanswered());
}
