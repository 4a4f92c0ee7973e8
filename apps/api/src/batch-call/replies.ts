import type { AtomicTrial } from '@inventory/db/batch/dry-run';
import { type Conflict, operationRefused } from '@inventory/domain/contract/conflict';
import type { SingleRequest } from '@inventory/domain/stock/request';
import type { SubmitResult } from '@inventory/queue/submit';
import { batchErrorText, Failed, type FailureCause, messages, soonAgain } from '../errors.ts';
import type { Reply } from '../route.ts';
import type { Operation } from './read-operations.ts';
import {
  appliedResult,
  besideRefused,
  isRepeat,
  type Result,
  refusedResult,
  resultsText,
  summaryOf,
} from './results.ts';

/** 200, of a batch. */
export function batchReply(
  mode: 'each' | 'atomic',
  results: string,
  summary: Record<string, number>,
  isReplayed: boolean,
  isDryRun = false,
): Reply {
  return {
    status: 200,
    text: `{"mode":"${mode}","results":${results},"summary":${JSON.stringify(summary)},"dryRun":${isDryRun}}`,
    headers: isReplayed ? { 'Idempotent-Replayed': 'true' } : {},
  };
}

/** 409 with what became of each operation: these as they say, the others not applied. */
export function refusedReply(
  operations: readonly Operation[],
  known: ReadonlyMap<number, Result>,
  refusal: Conflict,
  isReplayed: boolean,
): Reply {
  const results = operations.map(({ index }) => known.get(index) ?? besideRefused);
  return {
    status: 409,
    text: batchErrorText(409, refusal, resultsText(operations, results)),
    headers: isReplayed ? { 'Idempotent-Replayed': 'true' } : {},
  };
}

/** Of an atomic batch that was only tried out. */
export function trialReply(
  trial: AtomicTrial,
  requests: readonly SingleRequest[],
  operations: readonly Operation[],
): Reply {
  if (trial.status === 'refused') {
    const { index, refusal } = trial;
    const results = new Map([[index, refusedResult(refusal)]]);
    return refusedReply(operations, results, operationRefused(index, 1), false);
  }
  const results = requests.map(({ kind }, index) => appliedResult(kind, trial.texts[index]!));
  return batchReply('atomic', resultsText(operations, results), summaryOf(results), false, true);
}

/**
 * Of an atomic batch that was not taken, and of which other sends of its keys had applied all, alone or
 * together; throws Failed, with what is known, when they had applied a part, or when the list has a key of
 * its own, to which a batch alone can bind its answer.
 */
export function knownReply(
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

/** Of an atomic batch whose results are the text of this answer. */
export function appliedReply(answer: SubmitResult, operations: readonly Operation[]): Reply {
  // Of a stored answer all is stored.
  const results = isRepeat(answer) ? answer.result!.replaceAll(ofNow, ofBefore) : answer.result!;
  const summary = { applied: operations.length, refused: 0, notApplied: 0 };
  return batchReply('atomic', results, summary, !results.includes(ofNow));
}
