import type { BatchBody, Batched, Operation, OperationResult as Result } from './api/types.ts';
import { InventoryError } from './http/inventory-error.ts';
import { pause, pauseMs } from './http/pauses.ts';
import { jsonText } from './http/quantities.ts';

/** The most operations of one list. */
export const operationsMax = 500;
// Below the service's limit of 1 MiB, with room for the head.
const operationsBytesMax = 1_000_000;

type Send = (body: BatchBody, timeoutMs: number) => Promise<Batched>;

export type EachOptions = {
  idempotencyKey: string;
  /** Its keys may have been sent before, by another call. */
  isResend: boolean;
  /** For each list, with all its tries. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

/**
 * Sends operations of mode `each` in lists that the service takes, one after the other, and returns their
 * results in order. Operations that were not applied because the service was busy are sent again until
 * `timeoutMs` is over. Then nothing further is sent, so that operations on one item keep their order. In a
 * resend, nothing is known of those, which is an error. An error has the results that are known.
 */
export async function sendEach(
  { operations, ...head }: BatchBody,
  send: Send,
  { idempotencyKey, isResend, timeoutMs, signal }: EachOptions,
): Promise<Batched> {
  const keyed = operations.map((each, index) => ({ ...each, key: each.key ?? `${idempotencyKey}/${index}` }));
  // What cannot be sent is told before a list is, and not in the middle.
  jsonText(keyed);
  const results: Result[] = [];
  for (let from = 0; from < keyed.length; ) {
    const list = listFrom(keyed, from);
    const sendSome = (some: readonly Operation[], leftMs: number) =>
      send({ ...head, operations: some }, leftMs);
    const { known, failure } = await insist(list, sendSome, timeoutMs, signal);
    for (const [place, result] of known) results.push({ ...result, index: from + place });
    if (failure !== null) throw results.length === 0 ? failure : afterResults(failure, results);
    if ([...known.values()].some(isBusy)) {
      if (isResend && results.length < keyed.length) throw unsent(results);
      return answerOf(fill(results, keyed));
    }
    from += list.length;
  }
  return answerOf(results);
}

/** An error that came after these results. It speaks for all operations, and some may be applied. */
function afterResults(failure: InventoryError, results: Result[]): InventoryError {
  const isApplied = results.some(({ status }) => status === 'applied');
  return failure.with({ results, outcome: isApplied ? 'unknown' : failure.outcome });
}

/** `known`: results by place in the list, in order. */
type Told = { known: Map<number, Result>; failure: InventoryError | null };

/** Resends what was not applied, in order, until all is decided or the time is over. */
async function insist(
  list: readonly Operation[],
  send: (operations: readonly Operation[], timeoutMs: number) => Promise<Batched>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Told> {
  const until = performance.now() + timeoutMs;
  const known = new Map<number, Result>();
  let open = [...list.keys()];
  for (let tries = 1; ; tries++) {
    try {
      const { results } = await send(
        open.map((place) => list[place]!),
        until - performance.now(),
      );
      for (const [index, place] of open.entries()) known.set(place, results[index]!);
    } catch (error) {
      if (!(error instanceof InventoryError)) throw error;
      // Nothing is known any more of what this send was about, unless it was surely not applied.
      if (error.outcome === 'unknown') for (const place of open) known.delete(place);
      return { known, failure: error };
    }
    open = open.filter((place) => isBusy(known.get(place)!));
    const waitMs = pauseMs(tries);
    if (open.length === 0 || performance.now() + waitMs >= until || signal?.aborted)
      return { known, failure: null };
    await pause(waitMs, signal);
  }
}

/** Whether it may be sent again. */
function isBusy({ status, statusCode }: Result): boolean {
  return status === 'notApplied' && statusCode === 503;
}

/** As many of the operations as one list takes. */
export function listFrom<Some extends Operation>(operations: readonly Some[], from = 0): Some[] {
  const encoder = new TextEncoder();
  const list = operations.slice(from, from + operationsMax);
  let bytes = 0;
  const end = list.findIndex((operation, index) => {
    bytes += encoder.encode(jsonText(operation)).length + 1;
    return bytes > operationsBytesMax && index > 0;
  });
  return end < 0 ? list : list.slice(0, end);
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

function unsent(results: Result[]): InventoryError {
  const { statusCode: status, error: code, message } = notSent.error;
  return new InventoryError({ status, code, message, outcome: 'unknown', results });
}

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
