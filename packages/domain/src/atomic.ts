import { decide, kindOf } from './kinds/kinds.ts';
import { type Conflict, operationRefused, tooManyLines, tooManyLotsForBatch } from './refusals/conflict.ts';
import type { Refusal } from './refusals/refused.ts';
import type { AtomicOperation } from './request.ts';
import { lotsPerTransactionMax } from './stock/allocate.ts';
import { type Batch, entriesMax } from './stock/batch.ts';
import type { Decision } from './stock/decision.ts';
import { leaveOut, smallBytes, toldLengthMax } from './stock/left-out.ts';
import type { StoredOutcome } from './stock/outcome.ts';

/** The decision about one operation: made now, or by an earlier send of its key. */
export type OperationDecision =
  | { operation: AtomicOperation; decision: Extract<Decision, { status: 'applied' }> }
  | { operation: AtomicOperation; outcome: StoredOutcome };

/** The operation because of which a batch is refused. `replayed`: an earlier send of its key was refused. */
export type Culprit = { index: number; refusal: Refusal; replayed: boolean };

/**
 * The stored refusal of a batch, with the operation that caused it. `before`: the indexes of operations that
 * were applied earlier under their own keys, and that this refusal does not undo.
 */
export type AtomicRefusal = Conflict & { culprit: Culprit; before?: number[] };

export type AtomicDecision =
  | { status: 'applied'; operations: OperationDecision[] }
  | { status: 'refused'; refusal: AtomicRefusal }
  /** "Not applied" was already told for one of its keys. */
  | { status: 'abandoned' };

// Some tens of milliseconds: each operation may pass over all lots that were read for the others.
const looksMax = 1_500_000;
const tooManyEntries = tooManyLines(entriesMax);
const tooMany = tooManyLotsForBatch(lotsPerTransactionMax);

/**
 * Decides operations in order, one a step, each against the stock that the previous one left. If one is
 * refused, all are, and the state of the batch must not be used any more. `outcomes`: earlier decisions, by
 * request id.
 */
export function* decideAtomic(
  batch: Batch,
  operations: readonly AtomicOperation[],
  outcomes: ReadonlyMap<string, StoredOutcome>,
): Generator<void, AtomicDecision, void> {
  const decided: OperationDecision[] = [];
  let entryCount = 0;
  const before = operations.flatMap(({ requestId }, index) =>
    outcomes.get(requestId)?.status === 'applied' ? [index] : [],
  );
  const refused = (index: number, refusal: Refusal, replayed = false): AtomicDecision => ({
    status: 'refused',
    refusal: {
      ...operationRefused(index, 1),
      culprit: { index, refusal, replayed },
      ...(before.length > 0 && { before }),
    },
  });
  for (const [index, operation] of operations.entries()) {
    yield;
    const outcome = outcomes.get(operation.requestId);
    if (outcome?.status === 'abandoned') return { status: 'abandoned' };
    if (outcome?.status === 'refused')
      return refused(index, JSON.parse(outcome.result!) as Refusal, outcome.isRepeat === true);
    if (outcome !== undefined) {
      decided.push({ operation, outcome });
      continue;
    }
    const decision = decide(batch, operation);
    if (decision.status === 'undecided' || batch.looks > looksMax) return refused(index, tooMany);
    if (decision.status === 'refused') return refused(index, decision.refusal);
    entryCount += decision.entries.length;
    if (entryCount > entriesMax) return refused(index, tooManyEntries);
    decided.push({ operation, decision });
  }
  return { status: 'applied', operations: decided };
}

/**
 * The JSON text of the results of an applied batch. `bodies`: the JSON texts of new answers, by request id.
 * Large answers from earlier sends are included up to {@link toldLengthMax} characters together; the rest are
 * replaced by their short text.
 */
export function atomicResultsText(
  decided: readonly OperationDecision[],
  bodies: ReadonlyMap<string, string>,
): string {
  let length = 0;
  const again = (text: string) => {
    if (text.length <= smallBytes) return text;
    length += text.length;
    return length <= toldLengthMax ? text : leaveOut(text);
  };
  const texts = decided.map((each, index) => {
    const { operation } = each;
    const replayed = 'outcome' in each;
    const body = replayed ? again(each.outcome.result!) : bodies.get(operation.requestId);
    if (body === undefined) throw new Error(`operation ${index} has no answer`);
    return (
      `{"index":${index},"key":${JSON.stringify(operation.ownKey)},"status":"applied",` +
      `"statusCode":${kindOf(operation.kind).status},"body":${body},"replayed":${replayed}}`
    );
  });
  return `[${texts.join(',')}]`;
}
