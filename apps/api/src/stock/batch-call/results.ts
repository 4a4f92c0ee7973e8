import type { Refusal } from '@inventory/domain/refusals/refused';
import type { StockKind } from '@inventory/domain/request';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import { errorText, messages, statusOf, unknownOutcome } from '../../http/errors.ts';
import { appliedStatusOf } from '../transactions.ts';
import type { Operation } from './read-operations.ts';

/** The result of an operation. `text`: the JSON text of its body, or of its error object. */
export type Result = {
  status: 'applied' | 'refused' | 'notApplied';
  statusCode: number;
  text: string;
  replayed: boolean;
};

export const notApplied = notAppliedFor(messages.unavailable);

/** For an operation of an atomic batch in which another operation was refused. */
export const besideRefused = notAppliedFor(messages.besideRefused);

function notAppliedFor(message: string): Result {
  const text = errorText(503, { code: 'internal_error', message });
  return { status: 'notApplied', statusCode: 503, text, replayed: false };
}

/** For an operation that was not sent because the answers of others were too large. */
export const notSent: Result = {
  ...notApplied,
  text: errorText(503, { code: 'internal_error', message: messages.answersFull }),
};

export function refusedResult(refusal: Refusal, replayed = false): Result {
  const statusCode = statusOf[refusal.code];
  return { status: 'refused', statusCode, text: errorText(statusCode, refusal), replayed };
}

export function appliedResult(kind: StockKind, text: string, replayed = false): Result {
  return { status: 'applied', statusCode: appliedStatusOf(kind), text, replayed };
}

/** Whether a request was certainly not applied, without a refusal. It may be sent again. */
export function isNotApplied({ status, result }: SubmitResult): boolean {
  return status === 'busy' || (status === 'abandoned' && result === null);
}

/** Whether an earlier send decided this. */
export function isRepeat(answer: SubmitResult): boolean {
  return 'isRepeat' in answer && answer.isRepeat === true;
}

/**
 * Returns the result of an operation from the queue's answer, or `otherwise` if it may be sent again. Throws
 * Failed if the outcome is unknown.
 */
export function resultOf(kind: StockKind, answer: SubmitResult, otherwise = notApplied): Result {
  const replayed = isRepeat(answer);
  switch (answer.status) {
    case 'applied':
      return appliedResult(kind, answer.result ?? '', replayed);
    case 'unknown':
      throw unknownOutcome();
    case 'failed':
      return {
        status: 'notApplied',
        statusCode: 500,
        text: errorText(500, { code: 'internal_error', message: messages.internal }),
        replayed: false,
      };
    default:
      return answer.result === null
        ? otherwise
        : refusedResult(JSON.parse(answer.result) as Refusal, replayed);
  }
}

/** The JSON text of a list of results. Bodies are copied digit for digit. */
export function resultsText(operations: readonly Operation[], results: readonly Result[]): string {
  const texts = operations.map(({ index, key }, place) => {
    const { status, statusCode, text, replayed } = results[place]!;
    const what = status === 'applied' ? 'body' : 'error';
    return (
      `{"index":${index},"key":${JSON.stringify(key)},"status":"${status}","statusCode":${statusCode},` +
      `"${what}":${text},"replayed":${replayed}}`
    );
  });
  return `[${texts.join(',')}]`;
}

/** The number of results with each status. */
export function summaryOf(results: readonly Result[]): Record<Result['status'], number> {
  const summary = { applied: 0, refused: 0, notApplied: 0 };
  for (const { status } of results) summary[status] += 1;
  return summary;
}
