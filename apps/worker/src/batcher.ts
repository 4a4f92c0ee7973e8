import { GatesHeldError } from '@inventory/db/batch/apply-batch';
import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { isOutage } from '@inventory/postgres/pool';
import { HeldGates } from './held-gates.ts';
import type { StockBatches } from './stock-batches.ts';

export type Batches = Pick<StockBatches, 'apply' | 'abandon' | 'findHeld' | 'gatesOf'>;

export type BatcherOptions = {
  /** The approximate number of requests in a batch. An envelope is never split over two batches. */
  batchMax: number;
  report: (error: Error, what: string) => void;
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
export class Batcher {
  readonly #batches: Batches;
  readonly #options: BatcherOptions;
  readonly #held: HeldGates;
  readonly #underWay = new Set<Batch>();
  // In order of arrival.
  #waiting: Taken[] = [];
  #arrivals = 0;
  #begins = false;

  constructor(batches: Batches, options: BatcherOptions) {
    this.#batches = batches;
    this.#options = options;
    this.#held = new HeldGates(batches, options.report);
  }

  /** Applies the requests of an envelope. Fails if Postgres cannot work now. */
  apply(requests: QueuedRequest[], attempt: number): Promise<ReadonlyMap<string, Outcome>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ requests, attempt, arrival: this.#arrivals++, decided: null, resolve, reject });
      if (this.#begins) return;
      this.#begins = true;
      // After this event-loop turn, so that envelopes that arrive in it share a batch. A single request waits
      // for nothing.
      if (requests.length > 1) setImmediate(() => this.#begin());
      else this.#begin();
    });
  }

  #begin() {
    this.#begins = false;
    for (let batch = this.#takeBatch(); batch !== null; batch = this.#takeBatch()) this.#start(batch);
  }

  #start(batch: Batch) {
    this.#underWay.add(batch);
    this.#applyEnvelopes(batch)
      .catch((error) => {
        for (const { reject } of batch.envelopes) reject(error);
      })
      .finally(() => {
        this.#underWay.delete(batch);
        this.#begin();
      });
  }

  #takeBatch(): Batch | null {
    const [other, third] = this.#underWay;
    const mayGo = (envelope: Taken) =>
      third === undefined && (other === undefined || isAtomic(envelope) !== other.isAtomic);
    if (!this.#waiting.some(mayGo)) return null;
    const left = new LeftRequests(this.#batches, other?.gates());
    const envelopes: Taken[] = [];
    const requests: QueuedRequest[] = [];
    for (const envelope of this.#waiting) {
      const [first] = envelopes;
      const isAlone = goesAlone(envelope) || (first !== undefined && goesAlone(first));
      const open = openOf(envelope);
      if (first !== undefined && (isAlone || requests.length + open.length > this.#options.batchMax)) break;
      const free = open.filter((request) => {
        if (mayGo(envelope) && !left.block(request)) return true;
        left.add(request);
        return false;
      });
      if (free.length === 0) continue;
      envelopes.push(envelope);
      requests.push(...free);
    }
    const [first] = envelopes;
    if (first === undefined) return null;
    this.#waiting = this.#waiting.filter((envelope) => !envelopes.includes(envelope));
    let gates: Set<string> | null = null;
    return {
      ...{ envelopes, requests, isAtomic: isAtomic(first) },
      gates: () =>
        (gates ??= new Set(envelopes.flatMap(openOf).flatMap((request) => this.#batches.gatesOf(request)))),
    };
  }

  async #applyEnvelopes({ envelopes, requests }: Batch) {
    // Starts with the outcomes that earlier batches decided for these envelopes.
    const outcomes = new Map(envelopes.flatMap(({ decided }) => (decided === null ? [] : [...decided])));
    const pieces = 2 ** (envelopes[0]!.attempt - 1);
    await this.#applyInPieces(requests, Math.ceil(requests.length / pieces), outcomes);
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
    this.#waiting = [...this.#waiting, ...unfinished].sort((a, b) => a.arrival - b.arrival);
  }

  /**
   * Applies the pieces one after the other, because the order of arrival is the order of the ledger. Adds to
   * `outcomes`.
   */
  async #applyInPieces(
    requests: readonly QueuedRequest[],
    size: number,
    outcomes: Map<string, Outcome>,
  ): Promise<void> {
    const left = new LeftRequests(this.#batches);
    for (let from = 0; from < requests.length; from += size) {
      const piece = requests.slice(from, from + size);
      // A request behind one that was left for the next batch is left, too.
      const next = piece.filter((request) => !left.block(request));
      await this.#applyHalving(next, outcomes);
      for (const request of piece) {
        if (!outcomes.has(request.requestId)) left.add(request);
      }
    }
  }

  async #applyHalving(requests: QueuedRequest[], outcomes: Map<string, Outcome>): Promise<void> {
    const others = requests.filter((request) => {
      const isAside = this.#held.takes(request);
      if (isAside) outcomes.set(request.requestId, { status: 'pending', result: null });
      return !isAside;
    });
    const [first] = others;
    if (first === undefined) return;
    try {
      for (const [requestId, outcome] of await this.#batches.apply(others)) outcomes.set(requestId, outcome);
    } catch (error) {
      if (isOutage(error)) throw error;
      this.#options.report(error as Error, `a batch of ${others.length}`);
      if (error instanceof GatesHeldError) {
        this.#held.add(error.gates);
        await this.#applyHalving(others, outcomes);
      } else if (others.length === 1) outcomes.set(first.requestId, await this.#fail(first));
      else await this.#applyInPieces(others, others.length >> 1, outcomes);
    }
  }

  async #fail(request: QueuedRequest): Promise<Outcome> {
    const outcome = await this.#batches.abandon(request);
    return outcome.status === 'abandoned' ? { status: 'failed', result: null } : outcome;
  }
}

/**
 * Requests that are left for a later batch. They block those for their gates, and those that come after them.
 */
class LeftRequests {
  readonly #batches: Pick<Batches, 'gatesOf'>;
  readonly #gates: Set<string>;
  readonly #ids = new Set<string>();

  /** `gates`: those in use. */
  constructor(batches: Pick<Batches, 'gatesOf'>, gates: Iterable<string> = []) {
    this.#batches = batches;
    this.#gates = new Set(gates);
  }

  add(request: QueuedRequest): void {
    this.#ids.add(request.requestId);
    for (const gate of this.#batches.gatesOf(request)) this.#gates.add(gate);
  }

  block(request: QueuedRequest): boolean {
    // An item may have a name that this worker has not met.
    if (request.after !== undefined && this.#ids.has(request.after.requestId)) return true;
    return this.#gates.size > 0 && this.#batches.gatesOf(request).some((gate) => this.#gates.has(gate));
  }
}

const openOf = ({ requests, decided }: Taken) =>
  decided === null ? requests : requests.filter(({ requestId }) => !decided.has(requestId));
