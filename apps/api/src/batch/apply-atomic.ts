import type { AtomicTrial } from '@inventory/db/batch/dry-run';
import type { Wait } from '@inventory/db/statement-pool';
import { operationRefused } from '@inventory/domain/contract/conflict';
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
import type { NoteNumbers } from './device-numbers.ts';
import type { ReadOutcomes } from './read-known.ts';
import type { Operation } from './read-operations.ts';
import { batchReply, refusedReply } from './replies.ts';
import {
  appliedResult,
  type Gap,
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
  noteNumbers: NoteNumbers;
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
  gapsOf: () => Promise<Gap[] | null>,
  trial: Wait | null,
) => Promise<Reply>;

type ReplyWith = (gaps: Gap[] | null) => Reply;

const replayed = { status: 'applied', replayed: true } as const;

export function createAtomic({
  sender,
  turns,
  tryOut,
  readOutcomes,
  noteNumbers,
  answerTexts,
  whyUnanswered,
}: AtomicOptions): ApplyAtomic {
  const refusals = createAtomicRefusals(sender, readOutcomes, noteNumbers);
  const settleKeys = createKeySettler(sender, readOutcomes);
  const textsFor = ({ client: { clientId }, res }: Caller) => answerTexts.open({ clientId, res });

  async function atomic(
    operations: readonly Operation[],
    caller: Caller,
    gapsOf: () => Promise<Gap[] | null>,
    trial: Wait | null,
  ): Promise<Reply> {
    const { client } = caller;
    const refused = operations.flatMap((operation) =>
      'refusal' in operation ? [[operation.index, refusedResult(operation.refusal)] as const] : [],
    );
    if (refused.length > 0) {
      const refusal = operationRefused(refused[0]![0], refused.length);
      if (trial !== null) return refusedReply(operations, new Map(refused), refusal, false);
      const texts = textsFor(caller);
      return refusals.replyTo(operations, new Map(refused), caller, texts).finally(texts.end);
    }
    const gaps = gapsOf();
    if (trial !== null) {
      const requests = operations.flatMap((each) => ('request' in each ? [each.request] : []));
      return trialReply(await tryOut(requests, client.clientId, trial), requests, operations, await gaps);
    }
    const texts = textsFor(caller);
    const replyWith = await decided(operations, caller, texts).finally(texts.end);
    // Not in its turn: nobody is kept waiting for them.
    return replyWith(await gaps);
  }

  /** Has them decided in the batch's turn; returns the reply, which the gaps are still missing from. */
  async function decided(
    operations: readonly Operation[],
    caller: Caller,
    texts: CallTexts,
  ): Promise<ReplyWith> {
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
  ): Promise<ReplyWith> {
    const { clientId } = caller.client;
    if (answer.status === 'applied') {
      if (hasReplays(answer)) noteNumbers(clientId, operations, () => replayed);
      return (gaps) => appliedReply(answer, operations, gaps);
    }
    if (isNotApplied(answer)) {
      const known = await settleKeys(request, answer, caller.arrivedAt, texts);
      if (known.some(({ status }) => status === 'applied')) {
        noteNumbers(clientId, operations, (index) => known[index]);
        return (gaps) => knownReply(operations, known, gaps, caller.key, whyUnanswered);
      }
    }
    const refusal = JSON.parse(refusalTextOf(answer, whyUnanswered)) as Refusal | AtomicRefusal;
    const reply = await refusals.replyToStock(refusal, operations, clientId, isRepeat(answer), texts);
    return () => reply;
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
  gaps: Gap[] | null,
): Reply {
  if (trial.status === 'refused') {
    const { index, refusal } = trial;
    const results = new Map([[index, refusedResult(refusal)]]);
    return refusedReply(operations, results, operationRefused(index, 1), false);
  }
  const results = requests.map(({ kind }, index) => appliedResult(kind, trial.texts[index]!));
  return batchReply('atomic', resultsText(operations, results), summaryOf(results), gaps, false, true);
}

/**
 * Of a batch that was not taken, and of which other sends of its keys had applied all, alone or together;
 * throws Failed, with what is known, when they had applied a part, or when the list has a key of its own,
 * to which a batch alone can bind its answer.
 */
function knownReply(
  operations: readonly Operation[],
  known: readonly Result[],
  gaps: Gap[] | null,
  listKey: string | undefined,
  whyUnanswered: () => FailureCause,
): Reply {
  const text = resultsText(operations, known);
  if (listKey === undefined && known.every(({ status }) => status === 'applied')) {
    const isReplayed = known.every(({ replayed }) => replayed);
    return batchReply('atomic', text, summaryOf(known), gaps, isReplayed);
  }
  throw new Failed(503, messages.partly, soonAgain, whyUnanswered(), text);
}

// In the JSON text of results. A quote inside a text has a backslash before it.
const [ofNow, ofBefore] = [',"replayed":false}', ',"replayed":true}'];

/** Whether operations of an applied batch were applied before, under the numbers of then. */
function hasReplays(answer: SubmitResult): boolean {
  return isRepeat(answer) || answer.result!.includes(ofBefore);
}

function appliedReply(answer: SubmitResult, operations: readonly Operation[], gaps: Gap[] | null): Reply {
  // Of a stored answer all is stored.
  const results = isRepeat(answer) ? answer.result!.replaceAll(ofNow, ofBefore) : answer.result!;
  const summary = { applied: operations.length, refused: 0, notApplied: 0 };
  return batchReply('atomic', results, summary, gaps, !results.includes(ofNow));
}
