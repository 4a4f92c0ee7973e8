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
  /** What became of some of its requests, by request id, while others are left to the next batch. */
  decided: [requestId: string, Outcome][];
  resolve: (outcomes: ReadonlyMap<string, Outcome>) => void;
  reject: (error: unknown) => void;
};

/** One that comes again, or that holds an atomic batch. */
function goesAlone({ requests, attempt }: Taken): boolean {
  return attempt > 1 || requests[0]?.kind === 'batch';
}

/**
 * Makes one batch of the envelopes that are there: while a batch is applied the next one gathers, so batches
 * grow with the load and a lone envelope waits for nobody. One request that cannot be applied, by an error of
 * ours, harms only itself: the batch is cut in halves until it stands alone, and it fails. An envelope that
 * comes again (`attempt`, from 1) is alone, and is cut further each time: whatever ended the batch that it
 * was in may be in it. Requests for a gate that somebody holds are put aside. The outcomes that an envelope
 * gets, by request id, are those of all that were in its batch.
 */
export function createBatcher(
  options: BatcherOptions,
): (requests: QueuedRequest[], attempt: number) => Promise<ReadonlyMap<string, Outcome>> {
  const waiting: Taken[] = [];
  const held = createHeldGates(options);
  let running = false;

  async function run() {
    while (waiting.length > 0) {
      const envelopes = takeBatch();
      try {
        await applyEnvelopes(envelopes);
      } catch (error) {
        for (const { reject } of envelopes) reject(error);
      }
    }
    running = false;
  }

  function takeBatch(): Taken[] {
    let requestCount = 0;
    let envelopeCount = 0;
    for (const envelope of waiting) {
      const { requests } = envelope;
      const isAlone = goesAlone(envelope) || goesAlone(waiting[0]!);
      if (envelopeCount > 0 && (isAlone || requestCount + requests.length > options.batchMax)) break;
      requestCount += requests.length;
      envelopeCount += 1;
    }
    return waiting.splice(0, envelopeCount);
  }

  async function applyEnvelopes(envelopes: readonly Taken[]) {
    // Begins with what earlier batches decided of these envelopes.
    const outcomes = new Map(envelopes.flatMap(({ decided }) => decided));
    const requests = envelopes
      .flatMap((envelope) => envelope.requests)
      .filter(({ requestId }) => !outcomes.has(requestId));
    const pieces = 2 ** (envelopes[0]!.attempt - 1);
    await applyInPieces(requests, Math.ceil(requests.length / pieces), outcomes);
    const unfinished = envelopes.filter((envelope) => {
      const { requests } = envelope;
      const isWhole = requests.every(({ requestId }) => outcomes.has(requestId));
      if (isWhole) envelope.resolve(outcomes);
      else {
        envelope.decided = requests.flatMap(({ requestId }) => {
          const outcome = outcomes.get(requestId);
          return outcome === undefined ? [] : [[requestId, outcome]];
        });
      }
      return !isWhole;
    });
    // The requests that are still to be decided came first, and are the first of the next batch.
    waiting.unshift(...unfinished);
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
      waiting.push({ requests, attempt, decided: [], resolve, reject });
      if (running) return;
      running = true;
      // After this turn, so that envelopes that come in it start together; a request that travels alone waits
      // for nobody.
      if (requests.length > 1) setImmediate(run);
      else void run();
    });
}
