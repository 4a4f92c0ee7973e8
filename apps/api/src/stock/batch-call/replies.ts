import type { Conflict } from '@inventory/domain/refusals/conflict';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import { batchErrorText, Failed, type FailureCause, messages, soonAgain } from '../../http/errors.ts';
import type { Reply } from '../../http/route.ts';
import type { Operation } from './read-operations.ts';
import { besideRefused, isRepeat, type Result, resultsText, summaryOf } from './results.ts';

/** The answer 200 of a batch. */
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

/** The answer 409 with a result for each operation: the given ones, and "not applied" for the others. */
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

/**
 * The answer of an atomic batch that was not sent because earlier sends of its keys had applied all
 * operations, alone or together. Throws Failed with the known results if they had applied only some. Also
 * throws if the list has a key of its own, because only a batch that is applied can bind its answer to that
 * key.
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

// These match in the JSON text of the results: inside a string, each quote has a backslash before it.
const [ofNow, ofBefore] = [',"replayed":false}', ',"replayed":true}'];

/** The answer of an atomic batch. The text of `answer` holds its results. */
export function appliedReply(answer: SubmitResult, operations: readonly Operation[]): Reply {
  // In a stored answer, every result is a repeat.
  const results = isRepeat(answer) ? answer.result!.replaceAll(ofNow, ofBefore) : answer.result!;
  const summary = { applied: operations.length, refused: 0, notApplied: 0 };
  return batchReply('atomic', results, summary, !results.includes(ofNow));
}
