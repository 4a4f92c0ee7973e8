import type { AtomicTrial } from '@inventory/db/batch/dry-run';
import type { AtomicRefusal } from '@inventory/domain/atomic';
import type { SingleRequest } from '@inventory/domain/kinds/kinds';
import type { Refusal } from '@inventory/domain/refusals/refused';
import type { AtomicRequest, Queued } from '@inventory/domain/request';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import type { Wait } from '@inventory/postgres/statement-pool';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import type { FailureCause } from '../../http/errors.ts';
import type { Reply } from '../../http/route.ts';
import type { AnswerTexts, CallTexts } from '../answer-texts.ts';
import { type ReadOutcomes, readKnown } from '../known-outcomes.ts';
import type { Sender } from '../sender.ts';
import { type Caller, refusalTextOf } from '../transactions.ts';
import { createAnswerRoom } from './answer-room.ts';
import { findDecided, settleKeys } from './keys.ts';
import type { Operation } from './read-operations.ts';
import { type Refusals, refuseAtDoor, refuseByStock } from './refuse-atomic.ts';
import { appliedReply, batchReply, knownReply } from './replies.ts';
import {
  appliedResult,
  isNotApplied,
  isRepeat,
  notApplied,
  refusedResult,
  resultOf,
  resultsText,
  summaryOf,
} from './results.ts';
import { beginsUntil, settleWithin } from './run-each.ts';
import type { BatchTurns } from './turns.ts';

/**
 * Decides operations as one, without applying them. `decided`: the outcomes that are stored under their
 * keys, by index.
 */
export type TryOutTogether = (
  requests: readonly SingleRequest[],
  clientId: string,
  decided: ReadonlyMap<number, StoredOutcome>,
  wait: Wait,
) => Promise<AtomicTrial>;

export type AtomicOptions = {
  sender: Sender;
  turns: BatchTurns;
  tryOut: TryOutTogether;
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
  const { sender, turns, answerTexts } = options;

  async function atomic(
    operations: readonly Operation[],
    caller: Caller,
    trial: Wait | null,
  ): Promise<Reply> {
    const { clientId } = caller.client;
    const refused: Refusals = new Map(
      operations.flatMap((each) => ('refusal' in each ? [[each.index, refusedResult(each.refusal)]] : [])),
    );
    const texts = answerTexts.open({ clientId, res: caller.res });
    const deciding = () =>
      trial === null ? decide(operations, caller, texts) : tryOut(operations, caller, texts, trial);
    const replying =
      refused.size > 0 ? refuseAtDoor(options, operations, refused, caller, texts) : deciding();
    return replying.finally(texts.end);
  }

  /** Answers what the operations would get now. It only reads. */
  async function tryOut(
    operations: readonly Operation[],
    caller: Caller,
    texts: CallTexts,
    wait: Wait,
  ): Promise<Reply> {
    const { key, client } = caller;
    const sent = operations.flatMap((operation) => ('request' in operation ? [operation] : []));
    if (key !== undefined) {
      const from = { clientId: client.clientId, arrivedAt: performance.now(), key };
      const request = await sender.atomic(sent, from);
      const answer = (await readKnown([request], options.readOutcomes, false)).get(request.requestId);
      if (answer !== undefined)
        return replyTo(options, request, await texts.fill(answer, 'batch'), operations, caller, texts);
    }
    const { decided } = await findDecided(options, sent, { client, key: undefined });
    const requests = sent.map(({ request }) => request);
    const trial = await options.tryOut(requests, client.clientId, decided, wait);
    if (trial.status === 'refused')
      return refuseByStock(options, operations, trial.refusal, false, caller, texts);
    const room = createAnswerRoom(texts);
    const results = await Promise.all(
      sent.map(async ({ index, request: { kind } }) => {
        const answer = decided.get(index);
        return answer === undefined
          ? appliedResult(kind, trial.texts[index]!)
          : resultOf(kind, await room.keep({ ...answer, isRepeat: true }));
      }),
    );
    const isReplayed = results.every(({ replayed }) => replayed);
    const text = resultsText(operations, results);
    return batchReply('atomic', text, summaryOf(results), isReplayed, true);
  }

  /** Sends the operations when it is the batch's turn. */
  async function decide(operations: readonly Operation[], caller: Caller, texts: CallTexts): Promise<Reply> {
    const { clientId } = caller.client;
    const sent = operations.flatMap((operation) => ('request' in operation ? [operation] : []));
    const endTurn = await turns.take(clientId, sent.length, beginsUntil(caller.arrivedAt));
    let request: Queued<AtomicRequest>;
    let answer: SubmitResult;
    try {
      const times = { arrivedAt: performance.now(), cameAt: caller.arrivedAt };
      request = await sender.atomic(sent, { clientId, ...times, key: caller.key });
      const answers =
        endTurn === null
          ? await sender.settleAll([request], settleWithin(caller.arrivedAt))
          : await sender.sendAll([request], performance.now());
      answer = answers[0]!;
    } finally {
      // The turn ends here, so that other batches do not wait while this one waits for room in memory.
      endTurn?.();
    }
    return replyTo(options, request, await texts.fill(answer, 'batch'), operations, caller, texts);
  }

  return atomic;
}

/** The reply for what became of an atomic batch. */
async function replyTo(
  options: AtomicOptions,
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
        const outcome = settled.get(requestId);
        return outcome === undefined ? notApplied : resultOf(kind, await room.keep(outcome));
      }),
    );
    if (known.some(({ status }) => status === 'applied'))
      return knownReply(operations, known, caller.key, options.whyUnanswered);
  }
  const refusal = JSON.parse(refusalTextOf(answer, options.whyUnanswered)) as Refusal | AtomicRefusal;
  return refuseByStock(options, operations, refusal, isRepeat(answer), caller, texts);
}
