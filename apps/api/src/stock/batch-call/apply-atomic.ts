import type { AtomicTrial } from '@inventory/db/batch/dry-run';
import type { Wait } from '@inventory/db/postgres/statement-pool';
import type { Refusal } from '@inventory/domain/contract/refused';
import type { AtomicRefusal } from '@inventory/domain/stock/atomic';
import type { AtomicRequest, Queued, SingleRequest } from '@inventory/domain/stock/request';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import type { FailureCause } from '../../http/errors.ts';
import type { Reply } from '../../http/route.ts';
import type { AnswerTexts, CallTexts } from '../answer-texts.ts';
import type { Sender } from '../sender.ts';
import { type Caller, refusalTextOf } from '../transactions.ts';
import { createAnswerRoom } from './answer-room.ts';
import { type ReadOutcomes, settleKeys } from './keys.ts';
import type { Operation } from './read-operations.ts';
import { type Refusals, refusalOf, refuseAtDoor, refuseByStock } from './refuse-atomic.ts';
import { appliedReply, knownReply, refusedReply, trialReply } from './replies.ts';
import { isNotApplied, isRepeat, notApplied, refusedResult, resultOf } from './results.ts';
import { beginsUntil, settleWithin } from './run-each.ts';
import type { BatchTurns } from './turns.ts';

export type AtomicOptions = {
  sender: Sender;
  turns: BatchTurns;
  tryOut: (requests: readonly SingleRequest[], clientId: string, wait: Wait) => Promise<AtomicTrial>;
  readOutcomes: ReadOutcomes;
  answerTexts: AnswerTexts;
  /** Why the queue cannot take or answer a request now. */
  whyUnanswered: () => FailureCause;
};

/**
 * Applies the operations of an atomic batch together, or none of them. Throws Refused or Failed. `trial`:
 * null unless this is a dry run.
 */
export type ApplyAtomic = (
  operations: readonly Operation[],
  caller: Caller,
  trial: Wait | null,
) => Promise<Reply>;

export function createAtomic(options: AtomicOptions): ApplyAtomic {
  const { sender, turns, tryOut, answerTexts, whyUnanswered } = options;

  async function atomic(
    operations: readonly Operation[],
    caller: Caller,
    trial: Wait | null,
  ): Promise<Reply> {
    const { clientId } = caller.client;
    const refused: Refusals = new Map(
      operations.flatMap((each) => ('refusal' in each ? [[each.index, refusedResult(each.refusal)]] : [])),
    );
    if (trial !== null) {
      if (refused.size > 0) return refusedReply(operations, refused, refusalOf(refused), false);
      const requests = operations.flatMap((each) => ('request' in each ? [each.request] : []));
      return trialReply(await tryOut(requests, clientId, trial), requests, operations);
    }
    const texts = answerTexts.open({ clientId, res: caller.res });
    const replying =
      refused.size > 0
        ? refuseAtDoor(options, operations, refused, caller, texts)
        : decide(operations, caller, texts);
    return replying.finally(texts.end);
  }

  /** Sends the operations when it is the batch's turn. */
  async function decide(operations: readonly Operation[], caller: Caller, texts: CallTexts): Promise<Reply> {
    const { clientId } = caller.client;
    const sent = operations.flatMap((operation) => ('request' in operation ? [operation] : []));
    const endTurn = await turns.take(clientId, sent.length, beginsUntil(caller.arrivedAt));
    let request: Queued<AtomicRequest>;
    let answer: SubmitResult;
    try {
      request = await sender.atomic(sent, { clientId, arrivedAt: performance.now(), key: caller.key });
      const answers =
        endTurn === null
          ? await sender.settleAll([request], settleWithin(caller.arrivedAt))
          : await sender.sendAll([request], performance.now());
      answer = answers[0]!;
    } finally {
      // The turn ends here, so that other batches do not wait while this one waits for room in memory.
      endTurn?.();
    }
    return replyTo(request, await texts.fill(answer, 'batch'), operations, caller, texts);
  }

  async function replyTo(
    request: Queued<AtomicRequest>,
    answer: SubmitResult,
    operations: readonly Operation[],
    caller: Caller,
    texts: CallTexts,
  ): Promise<Reply> {
    if (answer.status === 'applied') return appliedReply(answer, operations);
    if (isNotApplied(answer)) {
      const settled = await settleKeys(options, request, answer, settleWithin(caller.arrivedAt));
      const room = createAnswerRoom(texts);
      const known = await Promise.all(
        request.operations.map(async ({ kind, requestId }) => {
          const told = settled.get(requestId);
          return told === undefined ? notApplied : resultOf(kind, await room.keep(told));
        }),
      );
      if (known.some(({ status }) => status === 'applied'))
        return knownReply(operations, known, caller.key, whyUnanswered);
    }
    const refusal = JSON.parse(refusalTextOf(answer, whyUnanswered)) as Refusal | AtomicRefusal;
    return refuseByStock(options, operations, refusal, isRepeat(answer), caller, texts);
  }

  return atomic;
}
