import { conflict, type Refusal } from '@inventory/domain/contract/refused';
import type { AtomicRefusal } from '@inventory/domain/stock/atomic';
import type { QueuedRequest, SingleRequest } from '@inventory/domain/stock/request';
import { createPacer } from '@inventory/process/pacer';
import type { CallTexts } from '../answer-texts.ts';
import { Refused } from '../errors.ts';
import type { Reply } from '../route.ts';
import type { Sender } from '../sender.ts';
import type { Caller } from '../transactions.ts';
import { createAnswerRoom } from './answer-room.ts';
import { type ReadOutcomes, readKnown } from './read-known.ts';
import type { Operation } from './read-operations.ts';
import { refusedReply } from './replies.ts';
import { type Result, refusedResult, resultOf } from './results.ts';

export type AtomicRefusals = {
  /**
   * 409 of a batch of which these operations cannot even be asked for; throws Refused, which says nothing of
   * each, when an earlier send under the list's key was decided: it may have been applied.
   */
  replyTo(
    operations: readonly Operation[],
    refused: ReadonlyMap<number, Result>,
    message: string,
    caller: Caller,
    texts: CallTexts,
  ): Promise<Reply>;
  /** 409 of one that the stock refuses; throws Refused when no operation is to blame. */
  replyToStock(
    refusal: Refusal | AtomicRefusal,
    operations: readonly Operation[],
    clientId: string,
    isRepeat: boolean,
    texts: CallTexts,
  ): Promise<Reply>;
};

/** The answers to atomic batches that are refused. */
export function createAtomicRefusals(sender: Sender, readOutcomes: ReadOutcomes): AtomicRefusals {
  /**
   * Those that an earlier send of their own keys had applied, by their places: a batch that is refused does
   * not undo them, so it does not say that they are not applied.
   */
  async function appliedBefore(
    operations: readonly Operation[],
    clientId: string,
    texts: CallTexts,
  ): Promise<Map<number, Result>> {
    const pace = createPacer();
    const keyed: { index: number; kind: SingleRequest['kind']; queued: QueuedRequest }[] = [];
    for (const operation of operations) {
      if (!('request' in operation) || operation.key === null) continue;
      await pace();
      const { request, key, index } = operation;
      const queued = sender.queued(request, { clientId, arrivedAt: performance.now(), key });
      keyed.push({ index, kind: request.kind, queued });
    }
    const results = new Map<number, Result>();
    const sent = keyed.map(({ queued }) => queued);
    const known = await readKnown(sent, readOutcomes, false);
    const room = createAnswerRoom(texts);
    await Promise.all(
      keyed.map(async ({ index, kind, queued }) => {
        const answer = known.get(queued.requestId);
        if (answer?.status !== 'applied') return;
        results.set(index, resultOf(kind, await room.keep({ ...answer, isRepeat: true })));
      }),
    );
    return results;
  }

  /** Whether a batch was decided under this key, of whichever operations: some may be forbidden now. */
  async function isDecided(clientId: string, key: string | undefined): Promise<boolean> {
    if (key === undefined) return false;
    const asked = await sender.atomic([], { clientId, arrivedAt: performance.now(), key });
    return (await readKnown([asked], readOutcomes, false)).size > 0;
  }

  return {
    async replyTo(operations, refused, message, { client: { clientId }, key }, texts) {
      if (await isDecided(clientId, key)) {
        throw new Refused(conflict(`${message} What was sent before under its Idempotency-Key stays.`));
      }
      const before = await appliedBefore(operations, clientId, texts);
      const results = new Map([...before, ...refused]);
      return refusedReply(operations, results, message, false);
    },
    async replyToStock(refusal, operations, clientId, isRepeat, texts) {
      if (!('culprit' in refusal)) {
        throw new Refused(refusal, { headers: isRepeat ? { 'Idempotent-Replayed': 'true' } : {} });
      }
      const { culprit, before = [], message } = refusal;
      const { index, refusal: cause, replayed } = culprit;
      const known = before.map((place) => operations[place]!);
      const results = await appliedBefore(known, clientId, texts);
      results.set(index, refusedResult(cause, replayed || isRepeat));
      return refusedReply(operations, results, message, isRepeat);
    },
  };
}
