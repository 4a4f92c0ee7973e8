import { batchErrorText } from '../errors.ts';
import type { Reply } from '../route.ts';
import type { Operation } from './read-operations.ts';
import { besideRefused, type Result, resultsText } from './results.ts';

/** 200, of a batch. */
export function batchReply(
  mode: string,
  results: string,
  summary: Record<string, number>,
  isReplayed: boolean,
): Reply & { text: string } {
  return {
    status: 200,
    text: `{"mode":"${mode}","results":${results},"summary":${JSON.stringify(summary)}}`,
    headers: isReplayed ? { 'Idempotent-Replayed': 'true' } : {},
  };
}

/** 409 with what became of each operation: these as they say, the others not applied. */
export function refusedReply(
  operations: readonly Operation[],
  known: ReadonlyMap<number, Result>,
  message: string,
  isReplayed: boolean,
): Reply {
  const results = operations.map(({ index }) => known.get(index) ?? besideRefused);
  return {
    status: 409,
    text: batchErrorText(409, { code: 'conflict', message }, resultsText(operations, results)),
    headers: isReplayed ? { 'Idempotent-Replayed': 'true' } : {},
  };
}
