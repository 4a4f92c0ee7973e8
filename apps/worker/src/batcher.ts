import type { Outcome, QueuedRequest } from '@inventory/queue/envelope';

export type BatcherOptions = {
  /** Requests in one batch, about: an envelope is never cut. */
  batchMax: number;
  /** Applies requests as one database transaction; throws only when nothing was applied. */
  apply: (requests: QueuedRequest[]) => Promise<Outcome[]>;
  /** Decides that a request is never applied; returns what was decided if it already was. */
  abandon: (requestId: string) => Promise<Outcome>;
  /** Whether an error says that nothing can be done now, so that cutting the batch would not help. */
  isOutage: (error: unknown) => boolean;
  report: (error: Error, what: string) => void;
};

type Waiting = {
  requests: QueuedRequest[];
  resolve: (outcomes: Outcome[]) => void;
  reject: (error: unknown) => void;
};

/**
 * Makes one batch of the envelopes that are there: while a batch is applied the next one gathers, so batches grow with the
 * load and a lone envelope waits for nobody. One request that cannot be applied, by an error of ours, harms only itself: the
 * batch is cut in halves until it stands alone, and it fails.
 */
export function createBatcher(options: BatcherOptions): (requests: QueuedRequest[]) => Promise<Outcome[]> {
  const waiting: Waiting[] = [];
  let running = false;

  async function run() {
    while (waiting.length > 0) {
      const envelopes = takeBatch();
      try {
        const outcomes = await applyHalving(envelopes.flatMap((envelope) => envelope.requests));
        let from = 0;
        for (const { requests, resolve } of envelopes) {
          resolve(outcomes.slice(from, from + requests.length));
          from += requests.length;
        }
      } catch (error) {
        for (const { reject } of envelopes) reject(error);
      }
    }
    running = false;
  }

  function takeBatch(): Waiting[] {
    let requestCount = 0;
    let envelopeCount = 0;
    for (const { requests } of waiting) {
      if (envelopeCount > 0 && requestCount + requests.length > options.batchMax) break;
      requestCount += requests.length;
      envelopeCount += 1;
    }
    return waiting.splice(0, envelopeCount);
  }

  async function applyHalving(requests: QueuedRequest[]): Promise<Outcome[]> {
    try {
      return await options.apply(requests);
    } catch (error) {
      if (options.isOutage(error)) throw error;
      options.report(error as Error, `a batch of ${requests.length}`);
      const [only] = requests;
      if (only !== undefined && requests.length === 1) return [await fail(only)];
      const middle = requests.length >> 1;
      // One after the other: the order of arrival is the order of the ledger.
      const first = await applyHalving(requests.slice(0, middle));
      return [...first, ...(await applyHalving(requests.slice(middle)))];
    }
  }

  async function fail({ requestId }: QueuedRequest): Promise<Outcome> {
    const outcome = await options.abandon(requestId);
    return outcome.status === 'abandoned' ? { status: 'failed', result: null } : outcome;
  }

  return (requests) =>
    new Promise((resolve, reject) => {
      waiting.push({ requests, resolve, reject });
      if (running) return;
      running = true;
      // After this turn, so that envelopes fetched together start together; a request that travels alone waits for nobody.
      if (requests.length > 1) setImmediate(run);
      else void run();
    });
}
