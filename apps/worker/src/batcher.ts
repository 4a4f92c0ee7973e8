import { gateNamesOf } from '@inventory/db/batch/gates';
import type { Outcome } from '@inventory/domain/stock/outcome';
import type { QueuedRequest } from '@inventory/domain/stock/request';
import { createHeldGates, type HeldGatesOptions } from './held-gates.ts';

export type BatcherOptions = HeldGatesOptions & {
  /** Requests in one batch, about: an envelope is never cut. */
  batchMax: number;
  /** Decides that a request is never applied; returns what was decided if it already was. */
  abandon: (request: QueuedRequest) => Promise<Outcome>;
};

type Envelope = {
  requests: QueuedRequest[];
  attempt: number;
  outcomes: Map<string, Outcome>;
  resolve: (outcomes: Outcome[]) => void;
  reject: (error: unknown) => void;
};

/** One that comes again, or that holds an atomic batch. */
function goesAlone({ requests, attempt }: Envelope): boolean {
  return attempt > 1 || requests[0]?.kind === 'batch';
}

/**
 * Makes one batch of the envelopes that are there: while a batch is applied the next one gathers, so batches
 * grow with the load and a lone envelope waits for nobody. One request that cannot be applied, by an error of
 * ours, harms only itself: the batch is cut in halves until it stands alone, and it fails. An envelope that
 * comes again (`attempt`, from 1) is alone, and is cut further each time: whatever ended the batch that it
 * was in may be in it. Requests for a gate that somebody holds are put aside.
 */
export function createBatcher(
  options: BatcherOptions,
): (requests: QueuedRequest[], attempt: number) => Promise<Outcome[]> {
  const waiting: Envelope[] = [];
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

  function takeBatch(): Envelope[] {
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

  async function applyEnvelopes(envelopes: readonly Envelope[]) {
    const requests = envelopes.flatMap((envelope) =>
      envelope.requests.filter(({ requestId }) => !envelope.outcomes.has(requestId)),
    );
    const pieces = 2 ** (envelopes[0]!.attempt - 1);
    const outcomes = await applyInPieces(requests, Math.ceil(requests.length / pieces));
    const byId = new Map(requests.map(({ requestId }, index) => [requestId, outcomes[index] ?? null]));
    const unfinished = envelopes.filter((envelope) => {
      for (const { requestId } of envelope.requests) {
        const outcome = byId.get(requestId);
        if (outcome) envelope.outcomes.set(requestId, outcome);
      }
      const all = envelope.requests.flatMap(({ requestId }) => envelope.outcomes.get(requestId) ?? []);
      if (all.length < envelope.requests.length) return true;
      envelope.resolve(all);
      return false;
    });
    // The requests that are still to be decided came first, and are the first of the next batch.
    waiting.unshift(...unfinished);
  }

  /** One after the other: the order of arrival is the order of the ledger. */
  async function applyInPieces(requests: QueuedRequest[], size: number): Promise<(Outcome | null)[]> {
    const outcomes: (Outcome | null)[] = [];
    const left = new Set<string>();
    for (let from = 0; from < requests.length; from += size) {
      const piece = requests.slice(from, from + size);
      // A request behind one that is left for the next batch comes after it there, too.
      const next = piece.filter((request) => !gateNamesOf(request).some((gate) => left.has(gate)));
      const found = next.length === 0 ? [] : await applyHalving(next);
      const byRequest = new Map(next.map((request, index) => [request, found[index]!]));
      for (const request of piece) {
        const outcome = byRequest.get(request) ?? null;
        if (outcome === null) for (const gate of gateNamesOf(request)) left.add(gate);
        outcomes.push(outcome);
      }
    }
    return outcomes;
  }

  async function applyHalving(requests: QueuedRequest[]): Promise<(Outcome | null)[]> {
    const others = requests.filter((request) => !held.takes(request));
    if (others.length < requests.length) return withoutHeld(requests, others);
    try {
      return await options.apply(requests);
    } catch (error) {
      if (options.isOutage(error)) throw error;
      options.report(error as Error, `a batch of ${requests.length}`);
      const gates = options.heldGatesOf(error);
      if (gates !== null) {
        held.add(gates);
        return applyHalving(requests);
      }
      const [only] = requests;
      if (only !== undefined && requests.length === 1) return [await fail(only)];
      return applyInPieces(requests, requests.length >> 1 || 1);
    }
  }

  async function withoutHeld(
    requests: QueuedRequest[],
    others: QueuedRequest[],
  ): Promise<(Outcome | null)[]> {
    const outcomes = others.length === 0 ? [] : await applyHalving(others);
    const byRequest = new Map(others.map((request, index) => [request, outcomes[index]!]));
    return requests.map((request) =>
      byRequest.has(request) ? byRequest.get(request)! : { status: 'pending', result: null },
    );
  }

  async function fail(request: QueuedRequest): Promise<Outcome> {
    const outcome = await options.abandon(request);
    return outcome.status === 'abandoned' ? { status: 'failed', result: null } : outcome;
  }

  return (requests, attempt) =>
    new Promise((resolve, reject) => {
      waiting.push({ requests, attempt, outcomes: new Map(), resolve, reject });
      if (running) return;
      running = true;
      // After this turn, so that envelopes that come in it start together; a request that travels alone waits
      // for nobody.
      if (requests.length > 1) setImmediate(run);
      else void run();
    });
}
