import type { AtomicRefusal } from '@inventory/domain/atomic';
import { type Conflict, operationRefused } from '@inventory/domain/refusals/conflict';
import type { Refusal } from '@inventory/domain/refusals/refused';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import { Refused } from '../../http/errors.ts';
import type { Reply } from '../../http/route.ts';
import type { CallTexts } from '../answer-texts.ts';
import type { Caller } from '../transactions.ts';
import { createAnswerRoom } from './answer-room.ts';
import { findDecided, type KeysOptions } from './keys.ts';
import type { Operation } from './read-operations.ts';
import { refusedReply } from './replies.ts';
import { type Result, refusedResult, resultOf } from './results.ts';

/** The refused operations, by index. */
export type Refusals = ReadonlyMap<number, Result>;

/**
 * Answers 409 for an atomic batch with operations that cannot be requested at all. If an earlier send under
 * the list's key was decided, throws Refused without details of each operation: the batch may have been
 * applied.
 */
export async function refuseAtDoor(
  keys: KeysOptions,
  operations: readonly Operation[],
  refused: Refusals,
  caller: Caller,
  texts: CallTexts,
): Promise<Reply> {
  const { isListDecided, decided } = await findDecided(keys, operations, caller);
  if (isListDecided) throw new Refused(refusalOf(refused, true));
  const before = await appliedBefore(operations, decided, texts);
  return refusedReply(operations, new Map([...before, ...refused]), refusalOf(refused), false);
}

/** Answers 409 for a batch that the stock refuses. Throws Refused if no operation is to blame. */
export async function refuseByStock(
  keys: KeysOptions,
  operations: readonly Operation[],
  refusal: Refusal | AtomicRefusal,
  isReplayed: boolean,
  { client }: Caller,
  texts: CallTexts,
): Promise<Reply> {
  if (!('culprit' in refusal))
    throw new Refused(refusal, { headers: isReplayed ? { 'Idempotent-Replayed': 'true' } : {} });
  const { culprit, before = [], ...conflict } = refusal;
  const known = before.map((place) => operations[place]!);
  const { decided } = await findDecided(keys, known, { client, key: undefined });
  const results = await appliedBefore(operations, decided, texts);
  results.set(culprit.index, refusedResult(culprit.refusal, culprit.replayed || isReplayed));
  return refusedReply(operations, results, conflict, isReplayed);
}

/** `keptBefore`: whether an earlier send under the list's key was decided. */
export function refusalOf(refused: Refusals, keptBefore = false): Conflict {
  const [index] = refused.keys();
  return operationRefused(index!, refused.size, keptBefore);
}

/**
 * Finds the operations that were applied earlier under their own keys, by index. The refused batch does not
 * undo them, so its answer must not say that they were not applied.
 */
async function appliedBefore(
  operations: readonly Operation[],
  decided: ReadonlyMap<number, SubmitResult>,
  texts: CallTexts,
): Promise<Map<number, Result>> {
  const results = new Map<number, Result>();
  const room = createAnswerRoom(texts);
  const applied = operations.flatMap((operation) => {
    const answer = decided.get(operation.index);
    return 'request' in operation && answer?.status === 'applied' ? [{ operation, answer }] : [];
  });
  await Promise.all(
    applied.map(async ({ operation: { index, request }, answer }) => {
      results.set(index, resultOf(request.kind, await room.keep({ ...answer, isRepeat: true })));
    }),
  );
  return results;
}
