import type { Client } from '@inventory/auth/client';
import type { Trial } from '@inventory/db/batch/dry-run';
import { isKey } from '@inventory/domain/contract/batch';
import { kindOf, namesItem, type SingleRequest } from '@inventory/domain/kinds/kinds';
import type { Refusal } from '@inventory/domain/refusals/refused';
import type { StockKind } from '@inventory/domain/request';
import type { Wait } from '@inventory/postgres/statement-pool';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import { Failed, type FailureCause, messages, Refused, soonAgain, unknownOutcome } from '../http/errors.ts';
import type { RequestName } from '../http/request-id.ts';
import type { Call, Reply } from '../http/route.ts';
import type { AnsweredCall } from '../http/unread-answers.ts';
import { type AnswerTexts, underOf } from './answer-texts.ts';
import { type ReadOutcomes, readKnown, unknownKey } from './known-outcomes.ts';
import type { Sender } from './sender.ts';
import { type FindSubjects, type ReadOperation, requestsOf } from './subjects.ts';

export type Stock = {
  /**
   * Applies the operation of a call. If it throws Refused or Failed, nothing was applied. A dry run returns
   * the answer that the call would get: under a key that was used, the stored one; nothing is stored and no
   * key is used. It throws Refused, or the error of the database.
   */
  operate(operation: CalledOperation, caller: Caller, wait: Wait): Promise<Reply>;
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

/** The operation of a call. */
export type CalledOperation = ReadOperation & { isDryRun: boolean };

/** Makes the handler of a kind's call. It applies the transaction in the body, or only tries it out. */
export function handlerOf(stock: Stock, kind: ReadOperation['kind']) {
  return (call: Call<undefined, undefined, { dryRun?: boolean | undefined }>): Promise<Reply> => {
    const { dryRun, ...body } = call.body;
    return stock.operate({ kind, body, isDryRun: dryRun === true }, callerOf(call), call.wait);
  };
}

export type StockOptions = {
  sender: Sender;
  findSubjects: FindSubjects;
  tryOut: (request: SingleRequest, clientId: string, wait: Wait) => Promise<Trial>;
  readOutcomes: ReadOutcomes;
  answerTexts: AnswerTexts;
  /** Why the queue cannot take or answer a request now. */
  whyUnanswered: () => FailureCause;
};

/** Sends transactions through the queue, with or without an Idempotency-Key. */
export function createStock({
  sender,
  findSubjects,
  tryOut: tryOutNow,
  readOutcomes,
  answerTexts,
  whyUnanswered,
}: StockOptions): Stock {
  async function transact(request: SingleRequest, caller: Caller): Promise<Reply> {
    const { client, key, arrivedAt, name, res } = caller;
    const { clientId } = client;
    const queued = sender.queued(request, { clientId, arrivedAt, key, name });
    const [answer] = await sender.sendAll([queued], arrivedAt);
    return replyTo(answer!, request.kind, { clientId, res });
  }

  async function replyTo(answer: SubmitResult, kind: StockKind, call: AnsweredCall): Promise<Reply> {
    const status = appliedStatusOf(kind);
    if (underOf(answer) === null) return replyOf(answer, status, whyUnanswered);
    const texts = answerTexts.open(call);
    return texts
      .fill(answer, 'single')
      .then((told) => replyOf(told, status, whyUnanswered))
      .finally(texts.end);
  }

  async function tryOut(request: SingleRequest, caller: Caller, wait: Wait): Promise<Reply> {
    const { client, key, arrivedAt, res } = caller;
    if (key !== undefined) {
      const queued = sender.queued(request, { clientId: client.clientId, arrivedAt, key });
      const known = await readKnown([queued], readOutcomes, false);
      const answer = known.get(queued.requestId);
      if (answer !== undefined) return replyTo(answer, request.kind, { clientId: client.clientId, res });
    }
    const trial = await tryOutNow(request, client.clientId, wait);
    if (trial.status === 'refused') throw new Refused(trial.refusal);
    return { status: 200, text: trial.text };
  }

  /** Throws Refused if it reverses a transaction that the caller may not reverse. */
  async function requestOf(operation: ReadOperation, { client, key }: Caller): Promise<SingleRequest> {
    if (namesItem(operation.kind)) return operation as SingleRequest;
    const [got] = await requestsOf([operation], client, findSubjects).catch((error) => {
      // An earlier send of the key may be applied.
      if (key !== undefined) unknownKey(error);
      throw error;
    });
    if ('refusal' in got!) throw new Refused(got.refusal);
    return got!.request;
  }

  return {
    async operate({ isDryRun, ...operation }, caller, wait) {
      checkKey(caller.key);
      const request = await requestOf(operation, caller);
      return isDryRun ? tryOut(request, caller, wait) : transact(request, caller);
    },
  };
}

/** The status of an applied transaction. */
export function appliedStatusOf(kind: StockKind): 200 | 201 {
  return kind === 'batch' ? 200 : kindOf(kind).status;
}

/** Refuses an Idempotency-Key with an invalid form. */
export function checkKey(key: string | undefined): void {
  if (key === undefined || isKey(key)) return;
  throw new Refused({
    code: 'bad_request',
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
  });
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
