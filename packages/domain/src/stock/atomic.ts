import { conflict, type Refusal } from '../contract/refused.ts';
import { jsonText } from '../json-text.ts';
import { lotsPerTransactionMax } from './allocate.ts';
import { answersLengthMax } from './answers.ts';
import { type Batch, entriesMax } from './batch.ts';
import { decide } from './decide.ts';
import type { Decision } from './decision.ts';
import type { StoredOutcome } from './outcome.ts';
import type { AtomicOperation } from './request.ts';

/**
 * What is decided about one operation: now, or by an earlier send of its key, or of another operation here
 * with its key.
 */
export type OperationDecision =
  | { operation: AtomicOperation; decision: Extract<Decision, { status: 'applied' }> }
  | { operation: AtomicOperation; outcome: StoredOutcome }
  | { operation: AtomicOperation; repeats: AtomicOperation };

/** The one that has a batch refused. `replayed`: refused by an earlier send of its key. */
export type Culprit = { index: number; refusal: Refusal; replayed: boolean };

/**
 * As the ledger keeps a refused batch: a refusal with the operation that is to blame. `before`: the places of
 * those that an earlier send of their keys had applied, which this refusal does not undo.
 */
export type AtomicRefusal = Refusal & { culprit: Culprit; before?: number[] };

export type AtomicDecision =
  | { status: 'applied'; operations: OperationDecision[] }
  /** `isOfBatch`: the operation is refused for what stands before it in the list, not for what it asks. */
  | { status: 'refused'; refusal: AtomicRefusal; isOfBatch: boolean }
  /** One of its keys was told that nothing was applied. */
  | { status: 'abandoned' };

const otherRequest = conflict('This Idempotency-Key was used with another request.');
// Some tens of milliseconds: each operation may pass over all lots that were read for the others.
const looksMax = 1_500_000;
const tooManyEntries = conflict(
  `Too many lots: one batch writes at most ${entriesMax} lines of the ledger, two for each lot that is moved. ` +
    'Send it in parts.',
);
const tooMany = conflict(
  `Too many lots: the batch would look at more lots than one transaction reads. Send it in parts; ` +
    `each may take ${lotsPerTransactionMax} lots of one place.`,
);

const tooManyAnswers = conflict(
  `Too many lots: of earlier sends and of repeated keys one batch answers at most ${answersLengthMax / 2 ** 20} MiB. ` +
    'Send it in parts.',
);

/**
 * Decides operations one after the other, each against what the one before left; the first that is refused
 * has all of them refused. The batch's state is of no more use then. `outcomes`: what is decided already, by
 * request id; an applied one without a result is more than one batch answers.
 */
export function decideAtomic(
  batch: Batch,
  operations: readonly AtomicOperation[],
  outcomes: ReadonlyMap<string, StoredOutcome>,
): AtomicDecision {
  const steps = decideInSteps(batch, operations, outcomes);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * The same, one operation a step: where nobody waits for locks, others may have a turn of the event loop
 * between them.
 */
export function* decideInSteps(
  batch: Batch,
  operations: readonly AtomicOperation[],
  outcomes: ReadonlyMap<string, StoredOutcome>,
): Generator<void, AtomicDecision, void> {
  const decided: OperationDecision[] = [];
  let entryCount = 0;
  const firsts = new Map<string, OperationDecision>();
  const fits = createAnswerRoom();
  const before = operations.flatMap(({ requestId }, index) =>
    outcomes.get(requestId)?.status === 'applied' ? [index] : [],
  );
  const refused = (
    index: number,
    refusal: Refusal,
    { replayed = false, isOfBatch = false } = {},
  ): AtomicDecision => ({
    status: 'refused',
    isOfBatch,
    refusal: {
      ...conflict(`Nothing was applied: operation ${index} of the batch was refused.`),
      culprit: { index, refusal, replayed },
      ...(before.length > 0 && { before }),
    },
  });
  for (const [index, operation] of operations.entries()) {
    yield;
    const { key } = operation;
    const first = key === undefined ? undefined : firsts.get(key.digest);
    if (first !== undefined) {
      if (first.operation.key!.fingerprint !== key!.fingerprint) return refused(index, otherRequest);
      if (!fits(first)) return refused(index, tooManyAnswers, { isOfBatch: true });
      decided.push({ operation, repeats: first.operation });
      continue;
    }
    const outcome = outcomes.get(operation.requestId);
    if (outcome?.status === 'abandoned') return { status: 'abandoned' };
    if (outcome?.status === 'refused')
      return refused(index, JSON.parse(outcome.result!) as Refusal, { replayed: outcome.isRepeat === true });
    if (outcome !== undefined) {
      const earlier: OperationDecision = { operation, outcome };
      if (!fits(earlier)) return refused(index, tooManyAnswers, { isOfBatch: true });
      if (key !== undefined) firsts.set(key.digest, earlier);
      decided.push(earlier);
      continue;
    }
    const decision = decide(batch, operation);
    if (decision.status === 'undecided' || batch.looks > looksMax)
      return refused(index, tooMany, { isOfBatch: true });
    if (decision.status === 'refused') return refused(index, decision.refusal);
    entryCount += decision.entries.length;
    if (entryCount > entriesMax) return refused(index, tooManyEntries, { isOfBatch: true });
    const fresh: OperationDecision = { operation, decision };
    if (key !== undefined) firsts.set(key.digest, fresh);
    decided.push(fresh);
  }
  return { status: 'applied', operations: decided };
}

/** Adds up the answers that are told again; returns whether one more fits in. */
function createAnswerRoom(): (told: OperationDecision) => boolean {
  const lengths = new Map<OperationDecision, number>();
  let length = 0;
  return (told) => {
    const own = lengths.get(told) ?? answerLengthOf(told);
    if (own === null) return false;
    lengths.set(told, own);
    length += own;
    return length <= answersLengthMax;
  };
}

/** In characters; null when it was too large to be read. */
function answerLengthOf(told: OperationDecision): number | null {
  if ('outcome' in told) return told.outcome.result?.length ?? null;
  // Without its numbers, which are drawn last.
  return 'decision' in told ? jsonText(told.decision.answer(null)).length : null;
}

/**
 * The JSON text of the results of an applied batch. `bodies`: the JSON text of the answer to each operation
 * that is decided now, by request id.
 */
export function atomicResultsText(
  decided: readonly OperationDecision[],
  bodies: ReadonlyMap<string, string>,
): string {
  const known = new Map(bodies);
  const texts = decided.map((each, index) => {
    const { operation } = each;
    const replayed = !('decision' in each);
    if ('outcome' in each) known.set(operation.requestId, each.outcome.result!);
    const body = known.get('repeats' in each ? each.repeats.requestId : operation.requestId);
    if (body === undefined) throw new Error(`operation ${index} has no answer`);
    return (
      `{"index":${index},"key":${JSON.stringify(operation.ownKey)},"status":"applied",` +
      `"statusCode":${operation.kind === 'receive' ? 201 : 200},"body":${body},"replayed":${replayed}}`
    );
  });
  return `[${texts.join(',')}]`;
}
