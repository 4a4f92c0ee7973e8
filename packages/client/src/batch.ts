import type { BatchBody, Batched, Operation, OperationResult as Result } from './api/types.ts';
import { InventoryError } from './http/inventory-error.ts';
import { newKey } from './http/new-key.ts';
import { pause, pauseMs } from './http/pauses.ts';
import { jsonText } from './http/quantities.ts';

/** The most operations of one list. */
export const operationsMax = 500;
// Below the service's limit of 1 MiB, with room for the head.
export const operationsBytesMax = 1_000_000;

type Send = (body: BatchBody) => Promise<Batched>;

/**
 * Sends operations of mode `each` in lists that the service takes, one after the other, and returns their results in
 * order. Operations that were not applied because the service was busy are sent again until `timeoutMs` is over. Then
 * nothing further is sent, so that operations on one item keep their order.
 */
export async function sendEach(
  { operations, ...head }: BatchBody,
  send: Send,
  { idempotencyKey = newKey(), timeoutMs, signal }: EachOptions,
): Promise<Batched> {
  const keyed = operations.map((each, index) => ({ ...each, key: each.key ?? `${idempotencyKey}/${index}` }));
  const results: Result[] = [];
  try {
    for (let from = 0; from < keyed.length; ) {
      const list = listFrom(keyed, from);
      const told = await insist(list, (some) => send({ ...head, operations: some }), timeoutMs, signal);
      results.push(...told.map((result, place) => ({ ...result, index: from + place })));
      if (told.some(isBusy)) return answerOf(fill(results, keyed));
      from += list.length;
    }
  } catch (error) {
    // What came before is known, whatever became of this list.
    if (error instanceof InventoryError && results.length > 0) throw error.with({ results });
    throw error;
  }
  return answerOf(results);
}

export type EachOptions = {
  idempotencyKey?: string | undefined;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

/** Resends what was not applied, in order, until all is decided or the time is over. */
async function insist(
  list: readonly Operation[],
  send: (operations: readonly Operation[]) => Promise<Batched>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Result[]> {
  const until = performance.now() + timeoutMs;
  const { results } = await send(list);
  for (let tries = 1; results.some(isBusy); tries++) {
    const waitMs = pauseMs(tries);
    if (performance.now() + waitMs >= until || signal?.aborted) break;
    await pause(waitMs, signal);
    const places = [...results.keys()].filter((place) => isBusy(results[place]!));
    const again = await send(places.map((place) => list[place]!));
    for (const [index, place] of places.entries()) results[place] = again.results[index]!;
  }
  return results;
}

/** Whether it may be sent again. */
function isBusy({ status, statusCode }: Result): boolean {
  return status === 'notApplied' && statusCode === 503;
}

/** As many of the operations as one list takes. */
export function listFrom<Some extends Operation>(operations: readonly Some[], from = 0): Some[] {
  const encoder = new TextEncoder();
  let bytes = 0;
  const end = operations.findIndex((operation, index) => {
    if (index < from) return false;
    bytes += encoder.encode(jsonText(operation)).length + 1;
    return index - from === operationsMax || (bytes > operationsBytesMax && index > from);
  });
  return operations.slice(from, end < 0 ? undefined : end);
}

const notSent = {
  status: 'notApplied',
  statusCode: 503,
  error: {
    statusCode: 503,
    error: 'internal_error',
    message: 'Not sent: the service was too busy for an operation before it.',
  },
  replayed: false,
} as const;

function fill(results: readonly Result[], operations: readonly { key: string }[]): Result[] {
  return operations.map(({ key }, index) => results[index] ?? { ...notSent, index, key });
}

function answerOf(results: Result[]): Batched {
  const count = (status: string) => results.filter((result) => result.status === status).length;
  const summary = {
    applied: count('applied'),
    refused: count('refused'),
    notApplied: count('notApplied'),
  };
  return { mode: 'each', results, summary, dryRun: false };
}
