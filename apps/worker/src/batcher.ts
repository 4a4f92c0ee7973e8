import { gateNamesOf, needsAny } from '@inventory/db/batch/gates';
import type { Outcome } from '@inventory/domain/stock/outcome';
import type { QueuedRequest } from '@inventory/domain/stock/request';
import { createHeldGates, type HeldGatesOptions } from './held-gates.ts';

export type BatcherOptions = HeldGatesOptions & {
  /** Requests in one batch, about: an envelope is never cut. */
  batchMax: number;
  /** Decides that a request is never applied; returns what was decided if it already was. */
  abandon: (request: QueuedRequest) => Promise<Outcome>;
};

/** An envelope that was taken from the queue. */
type Taken = {
  requests: QueuedRequest[];
  attempt: number;
  arrival: number;
  /** What became of some of its requests, by request id, while others are left to the next batch. */
  decided: Map<string, Outcome> | null;
  resolve: (outcomes: ReadonlyMap<string, Outcome>) => void;
  reject: (error: unknown) => void;
};

/** What is applied together. `gates`: of all requests of its envelopes that are still to be decided. */
type Batch = {
  envelopes: Taken[];
  requests: QueuedRequest[];
  isAtomic: boolean;
  gates: () => ReadonlySet<string>;
};

// While Postgres works for one, the worker prepares the other.
const batchesMax = 2;

const isAtomic = ({ requests }: Taken) => requests[0]?.kind === 'batch';

/** One that comes again, or that holds an atomic batch. */
const goesAlone = (envelope: Taken) => envelope.attempt > 1 || isAtomic(envelope);

/**
 * Makes batches of the envelopes that are there: while two are applied the next one gathers, so batches
 * grow with the load and a lone envelope waits for nobody. Two batches have no gate in common: a request
 * whose gate is taken, or asked for by a request that came before and waits, stays behind, and so the order
 * at a gate is that of arrival. Of two batches one at most is atomic: such a one may take hundreds of times
 * as long as what else there is, which goes on beside it.
 *
 * One request that cannot be applied, by an error of ours, harms only itself: the batch is cut in halves
 * until it stands alone, and it fails. An envelope that comes again (`attempt`, from 1) is alone, and is
 * cut further each time: whatever ended the batch that it was in may be in it. Requests for a gate that
 * somebody else holds are put aside. The outcomes that an envelope gets, by request id, are those of all
 * that were in its batch.
 */
export function createBatcher(
  options: BatcherOptions,
): (requests: QueuedRequest[], attempt: number) => Promise<ReadonlyMap<string, Outcome>> {
  // In the order of their arrival.
  let waiting: Taken[] = [];
  let arrivals = 0;
  const underWay = new Set<Batch>();
  const held = createHeldGates(options);
  let begins = false;

  function begin() {
    begins = false;
    while (underWay.size < batchesMax) {
      const batch = takeBatch();
      if (batch === null) return;
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
  }

  function takeBatch(): Batch | null {
    const closed = new Set([...underWay].flatMap(({ gates }) => [...gates()]));
    const hasAtomic = [...underWay].some((batch) => batch.isAtomic);
    const envelopes: Taken[] = [];
    const requests: QueuedRequest[] = [];
    for (const envelope of waiting) {
      const [first] = envelopes;
      const isAlone = goesAlone(envelope) || (first !== undefined && goesAlone(first));
      const open = openOf(envelope);
      if (first !== undefined && (isAlone || requests.length + open.length > options.batchMax)) break;
      const mayGo = !(hasAtomic && isAtomic(envelope));
      const free = open.filter((request) => {
        if (mayGo && !needsAny(request, closed)) return true;
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
    // Begins with what earlier batches decided of these envelopes.
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

  /** One after the other: the order of arrival is the order of the ledger. Adds to `outcomes`. */
  async function applyInPieces(
    requests: readonly QueuedRequest[],
    size: number,
    outcomes: Map<string, Outcome>,
  ): Promise<void> {
    const left = new Set<string>();
    for (let from = 0; from < requests.length; from += size) {
      const piece = requests.slice(from, from + size);
      // A request behind one that is left for the next batch comes after it there, too.
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
      if (begins || underWay.size === batchesMax) return;
      begins = true;
      // After this turn, so that envelopes that come in it start together; a request that travels alone waits
      // for nobody.
      if (requests.length > 1) setImmediate(begin);
      else begin();
    });
}

const openOf = ({ requests, decided }: Taken) =>
  decided === null ? requests : requests.filter(({ requestId }) => !decided.has(requestId));
