import type { AtomicTrial } from '@inventory/db/batch/dry-run';
import type { Wait } from '@inventory/db/statement-pool';
import type { Refusal } from '@inventory/domain/contract/refused';
import type { AtomicRefusal } from '@inventory/domain/stock/atomic';
import type { AtomicOperation, SingleRequest } from '@inventory/domain/stock/request';
import type { SubmitResult } from '@inventory/queue/submit';
import { type FailureCause, unknownOutcome } from '../errors.ts';
import type { Reply } from '../route.ts';
import type { OperationToSend, Sender } from '../sender.ts';
import { type Caller, refusalTextOf } from '../transactions.ts';
import { createAtomicRefusals, type ReadOutcomes } from './atomic-refusals.ts';
import type { Operation } from './read-operations.ts';
import { batchReply, refusedReply } from './replies.ts';
import { appliedResult, type Gap, isNotApplied, refusedResult, resultsText, summaryOf } from './results.ts';
import { beginWithinMs } from './run-each.ts';
import type { BatchTurns } from './turns.ts';

export type AtomicOptions = {
  sender: Sender;
  turns: BatchTurns;
  tryOut: (requests: readonly SingleRequest[], clientId: string, wait: Wait) => Promise<AtomicTrial>;
  readOutcomes: ReadOutcomes;
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

export function createAtomic({
  sender,
  turns,
  tryOut,
  readOutcomes,
  whyUnanswered,
}: AtomicOptions): ApplyAtomic {
  const refusals = createAtomicRefusals(sender, readOutcomes);

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
      const which = refused.length === 1 ? `operation ${refused[0]![0]}` : `${refused.length} operations`;
      const message = `Nothing was applied: ${which} of the batch ${refused.length === 1 ? 'was' : 'were'} refused.`;
      if (trial !== null) return refusedReply(operations, new Map(refused), message, false);
      return refusals.replyTo(operations, new Map(refused), message, client.clientId);
    }
    if (trial !== null) return tryAtomic(operations, client.clientId, trial);
    const gaps = gapsOf();
    const sent = operations.flatMap((operation) => ('request' in operation ? [operation] : []));
    await turns.take(client.clientId, sent.length);
    try {
      const answer = await send(sent, caller);
      if (answer.status === 'applied') return appliedReply(answer, operations, await gaps);
      const isRepeat = 'isRepeat' in answer && answer.isRepeat === true;
      return await refusals.replyToStock(refusalOf(answer), operations, client.clientId, isRepeat);
    } finally {
      turns.give(sent.length);
    }
  }

  async function send(
    sent: readonly OperationToSend[],
    { client, key, arrivedAt }: Caller,
  ): Promise<SubmitResult> {
    const now = performance.now();
    const request = sender.atomic(sent, { clientId: client.clientId, arrivedAt: now, key });
    const isLate = now - arrivedAt > beginWithinMs;
    const [answer] = isLate ? await sender.settleAll([request]) : await sender.sendAll([request], now);
    if (isNotApplied(answer!)) await settleKeys(request.operations, client.clientId, request.deadline);
    return answer!;
  }

  function refusalOf(answer: SubmitResult): Refusal | AtomicRefusal {
    return JSON.parse(refusalTextOf(answer, whyUnanswered)) as Refusal | AtomicRefusal;
  }

  async function tryAtomic(operations: readonly Operation[], clientId: string, wait: Wait): Promise<Reply> {
    const requests = operations.flatMap((operation) => ('request' in operation ? [operation.request] : []));
    const trial = await tryOut(requests, clientId, wait);
    if (trial.status === 'refused') {
      const { index, refusal } = trial;
      const message = `Nothing was applied: operation ${index} of the batch was refused.`;
      return refusedReply(operations, new Map([[index, refusedResult(refusal)]]), message, false);
    }
    const results = requests.map(({ kind }, index) => appliedResult(kind, trial.texts[index]!));
    const reply = batchReply('atomic', resultsText(operations, results), summaryOf(results), null, false);
    return { ...reply, text: `${reply.text.slice(0, -1)},"dryRun":true}` };
  }

  /**
   * "Not applied" is told when that is true of every key of the batch, whoever sent it: an earlier send may
   * be under way.
   */
  async function settleKeys(operations: readonly AtomicOperation[], clientId: string, deadline: number) {
    const keyed = operations
      .filter(({ key }) => key !== undefined)
      .map((operation) => ({ ...operation, clientId, deadline }));
    const answers = await sender.settleAll(keyed);
    if (answers.some(({ status }) => status === 'applied' || status === 'unknown')) throw unknownOutcome();
  }

  return atomic;
}

function appliedReply(answer: SubmitResult, operations: readonly Operation[], gaps: Gap[] | null): Reply {
  const isRepeat = 'isRepeat' in answer && answer.isRepeat === true;
  // Of a stored answer all is stored. A quote inside a text has a backslash before it.
  const results = isRepeat
    ? answer.result!.replaceAll(',"replayed":false}', ',"replayed":true}')
    : answer.result!;
  const summary = { applied: operations.length, refused: 0, notApplied: 0 };
  return batchReply('atomic', results, summary, gaps, isRepeat);
}
