import { gateNamesOf, needsAny } from '@inventory/db/batch/gates';
import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { createHeldGates, type HeldGatesOptions } from './held-gates.ts';

export type BatcherOptions = HeldGatesOptions & {
  /** The approximate number of requests in a batch. An envelope is never split over two batches. */
  batchMax: number;
  /** Makes sure that a request is never applied. Returns its outcome if it was already decided. */
  abandon: (request: QueuedRequest) => Promise<Outcome>;
};

/** An envelope taken from the queue. */
type Taken = {
  requests: QueuedRequest[];
  attempt: number;
  arrival: number;
  /** The outcomes so far, by request id, of an envelope whose other requests were left for the next batch. */
  decided: Map<string, Outcome> | null;
  resolve: (outcomes: ReadonlyMap<string, Outcome>) => void;
  reject: (error: unknown) => void;
};

/** Envelopes that are applied together. `gates`: the gates of all their undecided requests. */
type Batch = {
  envelopes: Taken[];
  requests: QueuedRequest[];
  isAtomic: boolean;
  gates: () => ReadonlySet<string>;
};

const isAtomic = ({ requests }: Taken) => requests[0]?.kind === 'batch';

/** An envelope that was delivered again, or that holds an atomic batch. */
const goesAlone = (envelope: Taken) => envelope.attempt > 1 || isAtomic(envelope);

/**
 * Makes batches of the waiting envelopes. While a batch is being applied, the next one gathers, so batches
 * grow with the load and a single envelope never waits for others to come.
 *
 * An atomic batch may take hundreds of times as long as the other work, so one batch of other work is applied
 * beside it. The two never share a gate. A request waits if its gate is in use, or if an earlier waiting
 * request needs it, so requests for a gate are applied in order of arrival.
 *
 * A request that cannot be applied because of a bug harms only itself: the batch is cut in halves until that
 * request stands alone, and it fails. An envelope that was delivered again (`attempt` counts from 1) is
 * applied alone and cut further each time, because it may contain what ended its last batch. Requests for a
 * gate that is held elsewhere are put aside. Each envelope gets the outcomes of the whole batch, by request
 * id.
 */
export function createBatcher(
  options: BatcherOptions,
): (requests: QueuedRequest[], attempt: number) => Promise<ReadonlyMap<string, Outcome>> {
  // In order of arrival.
  let waiting: Taken[] = [];
  let arrivals = 0;
  const underWay = new Set<Batch>();
  const held = createHeldGates(options);
  let begins = false;

  function begin() {
    begins = false;
    for (let batch = takeBatch(); batch !== null; batch = takeBatch()) start(batch);
  }

  function start(batch: Batch) {
    underWay.add(batch);
    applyEnvelopes(batch)
      .catch((error) => {
        for (const { reject } of batch.envelopes) reject(error);
      })
      .finally(() => {
        underWay.delete(batch);
        begin();
      });
  }

  function takeBatch(): Batch | null {
    const [other, third] = underWay;
    const mayGo = (envelope: Taken) =>
      third === undefined && (other === undefined || isAtomic(envelope) !== other.isAtomic);
    if (!waiting.some(mayGo)) return null;
    const closed = new Set(other?.gates());
    const envelopes: Taken[] = [];
    const requests: QueuedRequest[] = [];
    for (const envelope of waiting) {
      const [first] = envelopes;
      const isAlone = goesAlone(envelope) || (first !== undefined && goesAlone(first));
      const open = openOf(envelope);
      if (first !== undefined && (isAlone || requests.length + open.length > options.batchMax)) break;
      const free = open.filter((request) => {
        if (mayGo(envelope) && !needsAny(request, closed)) return true;
        for (const gate of gateNamesOf(request)) closed.add(gate);
        return false;
      });
      if (free.length === 0) continue;
      envelopes.push(envelope);
      requests.push(...free);
    }
    const [first] = envelopes;
    if (first === undefined) return null;
    waiting = waiting.filter((envelope) => !envelopes.includes(envelope));
    let gates: Set<string> | null = null;
    return {
      ...{ envelopes, requests, isAtomic: isAtomic(first) },
      gates: () => (gates ??= new Set(envelopes.flatMap(openOf).flatMap(gateNamesOf))),
    };
  }

  async function applyEnvelopes({ envelopes, requests }: Batch) {
    // Starts with the outcomes that earlier batches decided for these envelopes.
    const outcomes = new Map(envelopes.flatMap(({ decided }) => (decided === null ? [] : [...decided])));
    const pieces = 2 ** (envelopes[0]!.attempt - 1);
    await applyInPieces(requests, Math.ceil(requests.length / pieces), outcomes);
    const isDecided = ({ requestId }: QueuedRequest) => outcomes.has(requestId);
    const unfinished = envelopes.filter((envelope) => {
      const isWhole = envelope.requests.every(isDecided);
      if (isWhole) envelope.resolve(outcomes);
      return !isWhole;
    });
    if (unfinished.length === 0) return;
    for (const envelope of unfinished) {
      const decided = envelope.requests.filter(isDecided);
      envelope.decided = new Map(decided.map(({ requestId }) => [requestId, outcomes.get(requestId)!]));
    }
    waiting = [...waiting, ...unfinished].sort((a, b) => a.arrival - b.arrival);
  }

  /**
   * Applies the pieces one after the other, because the order of arrival is the order of the ledger. Adds to
   * `outcomes`.
   */
  async function applyInPieces(
    requests: readonly QueuedRequest[],
    size: number,
    outcomes: Map<string, Outcome>,
  ): Promise<void> {
    const left = new Set<string>();
    for (let from = 0; from < requests.length; from += size) {
      const piece = requests.slice(from, from + size);
      // A request behind one that was left for the next batch is left, too.
      const next = piece.filter((request) => !needsAny(request, left));
      await applyHalving(next, outcomes);
      for (const request of piece) {
        if (outcomes.has(request.requestId)) continue;
        for (const gate of gateNamesOf(request)) left.add(gate);
      }
    }
  }

  async function applyHalving(requests: QueuedRequest[], outcomes: Map<string, Outcome>): Promise<void> {
    const others = requests.filter((request) => {
      const isAside = held.takes(request);
      if (isAside) outcomes.set(request.requestId, { status: 'pending', result: null });
      return !isAside;
    });
    const [first] = others;
    if (first === undefined) return;
    try {
      for (const [requestId, outcome] of await options.apply(others)) outcomes.set(requestId, outcome);
    } catch (error) {
      if (options.isOutage(error)) throw error;
      options.report(error as Error, `a batch of ${others.length}`);
      const gates = options.heldGatesOf(error);
      if (gates !== null) {
        held.add(gates);
        await applyHalving(others, outcomes);
      } else if (others.length === 1) outcomes.set(first.requestId, await fail(first));
      else await applyInPieces(others, others.length >> 1, outcomes);
    }
  }

  async function fail(request: QueuedRequest): Promise<Outcome> {
    const outcome = await options.abandon(request);
    return outcome.status === 'abandoned' ? { status: 'failed', result: null } : outcome;
  }

  return (requests, attempt) =>
    new Promise((resolve, reject) => {
      waiting.push({ requests, attempt, arrival: arrivals++, decided: null, resolve, reject });
      if (begins) return;
      begins = true;
      // After this event-loop turn, so that envelopes that arrive in it share a batch. A single request waits
      // for nothing.
      if (requests.length > 1) setImmediate(begin);
      else begin();
    });
}

const openOf = ({ requests, decided }: Taken) =>
  decided === null ? requests : requests.filter(({ requestId }) => !decided.has(requestId));
