import type { BatchBody, Batched } from '../api/types.ts';
import { listFrom } from '../batch.ts';
import { InventoryError } from '../http/inventory-error.ts';
import type { QueuedOperation, QueueStorage, RefusedOperation, StoredOperation } from './storage.ts';

export type Send = (body: BatchBody, signal: AbortSignal) => Promise<Batched>;

/** Sends lists from a storage. */
export function createSender(
  send: Send,
  storage: QueueStorage,
  onDecided: (operation: StoredOperation, result: Decided) => void,
  signal: AbortSignal,
) {
  // Operations that may have been sent with nobody to hear the answer.
  const doubtful = new Set<number>();
  let most = Number.POSITIVE_INFINITY;

  async function settle(list: readonly StoredOperation[], results: readonly Result[]): Promise<void> {
    const decided = list.filter((_, place) => isDefinite(results[place]));
    const refused = list.flatMap((each, place) => {
      const result = results[place];
      return result?.status === 'refused' ? [refusedFrom(each, result)] : [];
    });
    await storage.take(
      decided.map(({ seq }) => seq),
      refused,
    );
    for (const { seq } of decided) doubtful.delete(seq);
    for (const [place, each] of list.entries())
      if (isDefinite(results[place])) onDecided(each, results[place] as Decided);
  }

  function refusedFrom(each: StoredOperation, { statusCode, error }: Refusal): RefusedOperation {
    // Rights are asked for before keys.
    const isOpen = doubtful.has(each.seq) && statusCode === 403;
    return { ...each, statusCode, error, outcome: isOpen ? 'unknown' : 'notApplied' };
  }

  async function sendOldest(): Promise<void> {
    const { waiting } = await storage.load();
    const operations = waiting
      .slice(0, most)
      .map(({ seq, operation }) => ({ deviceSeq: seq, ...operation }) as QueuedOperation);
    const list = waiting.slice(0, listFrom(operations).length);
    if (list.length === 0) return;
    const body = {
      mode: 'each' as const,
      sentAt: sentAtFor(list),
      operations: operations.slice(0, list.length),
    };
    try {
      const { results } = await send(body, signal);
      await settle(list, results as readonly Result[]);
      most = Number.POSITIVE_INFINITY;
      if (results.length < list.length || results.some((each) => !isDefinite(each as Result))) throw busy();
    } catch (error) {
      if (!(error instanceof InventoryError)) throw error;
      if (error.outcome === 'unknown') for (const { seq } of list) doubtful.add(seq);
      if (![400, 413].includes(error.status)) throw error;
      // Something in this list spoils it. Alone, it is found. Only the service itself can refuse it.
      if (list.length === 1 && error.code === 'unexpected_answer') throw error;
      if (list.length === 1) await settle(list, [asResult(error)]);
      most = Math.max(1, Math.floor(list.length / 2));
    }
  }

  return {
    /** Notes that these may have been sent before. */
    doubt(seqs: Iterable<number>) {
      for (const seq of seqs) doubtful.add(seq);
    },
    /** Sends the oldest operations, one list, and takes out those that were decided. */
    sendList: () => storage.lock?.(sendOldest) ?? sendOldest(),
  };
}

/**
 * The device's clock now. If it was set back since something was captured, that is no reason to refuse the
 * work: it was captured no later than now, so its time stands for now.
 */
function sentAtFor(list: readonly StoredOperation[]): string {
  const captured = list.map(({ operation }) => Date.parse(operation.capturedAt)).filter((at) => at > 0);
  return new Date(Math.max(Date.now(), ...captured)).toISOString();
}

type Refusal = { status: 'refused'; statusCode: number; error: RefusedOperation['error'] };
type Applied = { status: 'applied'; body: unknown };
type Result = Refusal | Applied | { status: 'notApplied' };

/** A definite answer. `body`: that of the single call, with quantities as the client reads them. */
export type Decided = Refusal | Applied;

/** Whether no resend can change it. */
function isDefinite(result: Result | undefined): boolean {
  return result?.status === 'applied' || result?.status === 'refused';
}

function asResult({ status: statusCode, code, message, details }: InventoryError): Refusal {
  return { status: 'refused', statusCode, error: { error: code, message, details } };
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
