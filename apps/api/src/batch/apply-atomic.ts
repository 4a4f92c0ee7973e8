import type { AtomicTrial } from '@inventory/db/batch/dry-run';
import type { Wait } from '@inventory/db/statement-pool';
import type { Refusal } from '@inventory/domain/contract/refused';
import type { AtomicRefusal } from '@inventory/domain/stock/atomic';
import type { AtomicRequest, Queued, SingleRequest } from '@inventory/domain/stock/request';
import type { SubmitResult } from '@inventory/queue/submit';
import type { AnswerTexts, CallTexts } from '../answer-texts.ts';
import { Failed, type FailureCause, messages, soonAgain } from '../errors.ts';
import type { Reply } from '../route.ts';
import type { OperationToSend, Sender } from '../sender.ts';
import { type Caller, refusalTextOf } from '../transactions.ts';
import { createAtomicRefusals } from './atomic-refusals.ts';
import type { ReadOutcomes } from './read-known.ts';
import type { Operation } from './read-operations.ts';
import { batchReply, refusedReply } from './replies.ts';
import {
  appliedResult,
  isNotApplied,
  isRepeat,
  type Result,
  refusedResult,
  resultsText,
  summaryOf,
} from './results.ts';
import { beginsUntil, settleWithin } from './run-each.ts';
import { createKeySettler } from './settle-keys.ts';
import type { BatchTurns } from './turns.ts';

export type AtomicOptions = {
  sender: Sender;
  turns: BatchTurns;
  tryOut: (requests: readonly SingleRequest[], clientId: string, wait: Wait) => Promise<AtomicTrial>;
  readOutcomes: ReadOutcomes;
  answerTexts: AnswerTexts;
  /** Why the queue does not take or answer a request now. */
  whyUnanswered: () => FailureCause;
};

/**
 * Has the operations of an atomic batch applied together, or none; throws Refused or Failed. `trial`: not
 * null for a dry run.
 */
export type ApplyAtomic = (
  operations: readonly Operation[],
  caller: Caller,
  trial: Wait | null,
) => Promise<Reply>;

export function createAtomic({
  sender,
  turns,
  tryOut,
  readOutcomes,
  answerTexts,
  whyUnanswered,
}: AtomicOptions): ApplyAtomic {
  const refusals = createAtomicRefusals(sender, readOutcomes);
  const settleKeys = createKeySettler(sender, readOutcomes);
  const textsFor = ({ client: { clientId }, res }: Caller) => answerTexts.open({ clientId, res });

  async function atomic(
    operations: readonly Operation[],
    caller: Caller,
    trial: Wait | null,
  ): Promise<Reply> {
    const { client } = caller;
    const refused = operations.flatMap((operation) =>
      'refusal' in operation ? [[operation.index, refusedResult(operation.refusal)] as const] : [],
    );
    if (refused.length > 0) {
      const which = refused.length === 1 ? `operation ${refused[0]![0]}` : `${refused.length} operations`;
      const message = `Nothing was applied: ${which} of the batch ${refused.length === 1 ? 'was' : 'were'} refused.`;
      if (trial !== null) return refusedReply(operations, new Map(refused), message, false);
      const texts = textsFor(caller);
      return refusals.replyTo(operations, new Map(refused), message, caller, texts).finally(texts.end);
    }
    if (trial !== null) {
      const requests = operations.flatMap((each) => ('request' in each ? [each.request] : []));
      return trialReply(await tryOut(requests, client.clientId, trial), requests, operations);
    }
    const texts = textsFor(caller);
    return decided(operations, caller, texts).finally(texts.end);
  }

  /** Has them decided in the batch's turn. */
  async function decided(operations: readonly Operation[], caller: Caller, texts: CallTexts): Promise<Reply> {
    const { client } = caller;
    const sent = operations.flatMap((operation) => ('request' in operation ? [operation] : []));
    const begins = await turns.take(client.clientId, sent.length, beginsUntil(caller.arrivedAt));
    let request: Queued<AtomicRequest>;
    let answer: SubmitResult;
    try {
      request = await requestOf(sender, sent, caller);
      answer = await send(sender, request, begins, caller.arrivedAt);
    } finally {
      // Others do not wait for room in memory with it.
      if (begins) turns.give(sent.length);
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
    const { clientId } = caller.client;
    if (answer.status === 'applied') return appliedReply(answer, operations);
    if (isNotApplied(answer)) {
      const known = await settleKeys(request, answer, caller.arrivedAt, texts);
      if (known.some(({ status }) => status === 'applied'))
        return knownReply(operations, known, caller.key, whyUnanswered);
    }
    const refusal = JSON.parse(refusalTextOf(answer, whyUnanswered)) as Refusal | AtomicRefusal;
    return refusals.replyToStock(refusal, operations, clientId, isRepeat(answer), texts);
  }

  return atomic;
}

function requestOf(
  sender: Sender,
  sent: readonly OperationToSend[],
  { client, key }: Caller,
): Promise<Queued<AtomicRequest>> {
  return sender.atomic(sent, { clientId: client.clientId, arrivedAt: performance.now(), key });
}

/** Sends a batch that begins, and settles any other. */
async function send(
  sender: Sender,
  request: Queued<AtomicRequest>,
  begins: boolean,
  arrivedAt: number,
): Promise<SubmitResult> {
  const [answer] = begins
    ? await sender.sendAll([request], performance.now())
    : await sender.settleAll([request], settleWithin(arrivedAt));
  return answer!;
}

/** Of a batch that was only tried out. */
function trialReply(
  trial: AtomicTrial,
  requests: readonly SingleRequest[],
  operations: readonly Operation[],
): Reply {
  if (trial.status === 'refused') {
    const { index, refusal } = trial;
    const message = `Nothing was applied: operation ${index} of the batch was refused.`;
    return refusedReply(operations, new Map([[index, refusedResult(refusal)]]), message, false);
  }
  const results = requests.map(({ kind }, index) => appliedResult(kind, trial.texts[index]!));
  const reply = batchReply('atomic', resultsText(operations, results), summaryOf(results), false);
  return { ...reply, text: `${reply.text.slice(0, -1)},"dryRun":true}` };
}

/**
 * Of a batch that was not taken, and of which other sends of its keys had applied all, alone or together;
 * throws Failed, with what is known, when they had applied a part, or when the list has a key of its own,
 * to which a batch alone can bind its answer.
 */
function knownReply(
  operations: readonly Operation[],
  known: readonly Result[],
  listKey: string | undefined,
  whyUnanswered: () => FailureCause,
): Reply {
  const text = resultsText(operations, known);
  if (listKey === undefined && known.every(({ status }) => status === 'applied')) {
    const isReplayed = known.every(({ replayed }) => replayed);
    return batchReply('atomic', text, summaryOf(known), isReplayed);
  }
  throw new Failed(503, messages.partly, soonAgain, whyUnanswered(), text);
}

// In the JSON text of results. A quote inside a text has a backslash before it.
const [ofNow, ofBefore] = [',"replayed":false}', ',"replayed":true}'];

function appliedReply(answer: SubmitResult, operations: readonly Operation[]): Reply {
  // Of a stored answer all is stored.
  const results = isRepeat(answer) ? answer.result!.replaceAll(ofNow, ofBefore) : answer.result!;
  const summary = { applied: operations.length, refused: 0, notApplied: 0 };
  return batchReply('atomic', results, summary, !results.includes(ofNow));
}
