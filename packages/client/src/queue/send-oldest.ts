import type { BatchBody, Batched } from '../api/types.ts';
import { listFrom, operationsMax } from '../batch.ts';
import { InventoryError } from '../http/inventory-error.ts';
import { isBeforeKey } from '../http/outcome.ts';
import { jsonText } from '../http/quantities.ts';
import type {
  QueuedOperation,
  QueueStorage,
  RefusedOperation,
  StorageChange,
  StoredOperation,
} from './storage.ts';

export type Send = (body: BatchBody, signal: AbortSignal) => Promise<Batched>;

export type Sender = ReturnType<typeof createSender>;

/** Sends lists from a storage. `onTaken`: hears what was taken out, and of each the answer, in order. */
export function createSender(
  send: Send,
  storage: QueueStorage,
  signal: AbortSignal,
  onTaken: (change: StorageChange, decided: [StoredOperation, Decided][]) => void,
) {
  // Operations that may have been sent with nobody to hear the answer.
  const doubtful = new Set<number>();
  // Takes out what was answered. Until that is done, nothing is sent, or the same would be sent again.
  let note: (() => Promise<void>) | null = null;
  // The longest list now. A slow line, or an operation that spoils its list, makes it shorter for a while.
  let most = operationsMax;

  async function settle(list: readonly StoredOperation[], results: readonly Result[]): Promise<void> {
    const decided = list.flatMap((each, place): [StoredOperation, Decided][] => {
      const result = results[place];
      return isDefinite(result) ? [[each, result]] : [];
    });
    const taken = decided.map(([{ seq }]) => seq);
    const refused = decided.flatMap(([each, result]) =>
      result.status === 'refused' ? [refusedFrom(each, result)] : [],
    );
    note = async () => {
      await storage.take(taken, refused);
      note = null;
      for (const seq of taken) doubtful.delete(seq);
      onTaken({ taken, refused }, decided);
    };
    await note();
  }

  function refusedFrom(each: StoredOperation, { statusCode, error }: Refusal): RefusedOperation {
    const isOpen = error.outcome === 'unknown' || (doubtful.has(each.seq) && isBeforeKey({ statusCode }));
    return { ...each, statusCode, error, outcome: isOpen ? 'unknown' : 'notApplied' };
  }

  async function oldest(): Promise<readonly StoredOperation[]> {
    return (await storage.oldest?.(most)) ?? (await storage.load()).waiting.slice(0, most);
  }

  async function sendOldest(): Promise<boolean> {
    await note?.();
    const waiting = await oldest();
    // Earlier versions stored such, and nothing behind it could be sent.
    const bad = waiting.find(isUnsendable);
    if (bad !== undefined) return settle([bad], [unsendable]).then(() => true);
    const operations = waiting.map(
      ({ seq, operation }) => ({ deviceSeq: seq, ...operation }) as QueuedOperation,
    );
    const now = Date.now();
    const list = waiting.slice(0, Math.min(listFrom(operations).length, sharingTimes(waiting, now)));
    if (list.length === 0) return false;
    const body = {
      mode: 'each' as const,
      sentAt: sentAtFor(list, now),
      operations: operations.slice(0, list.length),
    };
    try {
      const { results } = await send(body, signal);
      await settle(list, results as readonly Result[]);
      most = Math.min(operationsMax, most * 2);
      if (results.length < list.length || results.some((each) => !isDefinite(each as Result))) throw busy();
    } catch (error) {
      if (!(error instanceof InventoryError)) throw error;
      if (error.outcome === 'unknown') for (const { seq } of list) doubtful.add(seq);
      const half = Math.ceil(list.length / 2);
      if (cameTooSlowly(error)) most = half;
      if (![400, 413].includes(error.status)) throw error;
      // Only the service itself can refuse it. For what is in between, it may be too long.
      if (error.code === 'unexpected_answer' && (error.status === 400 || list.length === 1)) throw error;
      // Something in this list spoils it. Alone, it is found.
      if (list.length === 1) await settle(list, [asResult(error)]);
      most = half;
    }
    return true;
  }

  return {
    /** Notes that these may have been sent before. */
    doubt(seqs: Iterable<number>) {
      for (const seq of seqs) doubtful.add(seq);
    },
    /**
     * Sends the oldest operations, one list, and takes out those that were decided. Returns whether there
     * were any.
     */
    sendList: () => storage.lock?.(sendOldest, signal) ?? sendOldest(),
  };
}

const unsendable: Refusal = {
  status: 'refused',
  statusCode: 400,
  error: { error: 'validation_error', message: 'It cannot be sent.' },
};

function isUnsendable({ operation }: StoredOperation): boolean {
  try {
    return !jsonText(operation);
  } catch {
    return true;
  }
}

/** As the service reads it: without an offset, it is UTC. */
const capturedAtOf = ({ operation }: StoredOperation): number =>
  Date.parse(String(operation.capturedAt).replace(/[T ][\d:.,]+$/i, '$&Z'));

/**
 * How many of the oldest may share a list. One that was captured later than now is alone, so that its time
 * does not move those of others.
 */
function sharingTimes(waiting: readonly StoredOperation[], now: number): number {
  const ahead = waiting.findIndex((each) => capturedAtOf(each) > now);
  return ahead === -1 ? waiting.length : Math.max(1, ahead);
}

/**
 * The device's clock now. If it was set back since something was captured, that is no reason to refuse the
 * work: it was captured no later than now, so its time stands for now.
 */
function sentAtFor(list: readonly StoredOperation[], now: number): string {
  const captured = list.map(capturedAtOf).filter((at) => at > 0);
  return new Date(Math.max(now, ...captured)).toISOString();
}

type Refusal = { status: 'refused'; statusCode: number; error: RefusedOperation['error'] };
type Applied = { status: 'applied'; body: unknown };
type Result = Refusal | Applied | { status: 'notApplied' };

/** A definite answer. `body`: that of the single call, with quantities as the client reads them. */
export type Decided = Refusal | Applied;

/** Whether no resend can change it. */
function isDefinite(result: Result | undefined): result is Decided {
  return result?.status === 'applied' || result?.status === 'refused';
}

function asResult({ status: statusCode, code, message, details }: InventoryError): Refusal {
  return { status: 'refused', statusCode, error: { error: code, message, details } };
}

/** Whether the line may be too slow for a list: this program or the other side did not wait for its end. */
function cameTooSlowly({ status, cause }: InventoryError): boolean {
  return status === 408 || (cause as Error | undefined)?.name === 'TimeoutError';
}

/** Some operations of a list have to wait. */
function busy(): InventoryError {
  return new InventoryError({
    status: 503,
    code: 'internal_error',
    message: 'The service was too busy for some operations; they are sent again.',
    outcome: 'notApplied',
  });
}
