import { applyBatch, heldGatesAmong } from '@inventory/db/batch/apply-batch';
import { createPartNumbers, gateNamesOf } from '@inventory/db/batch/gates';
import { settle } from '@inventory/db/requests/settle';
import type { QueuedRequest } from '@inventory/domain/request';
import type { Outcome } from '@inventory/domain/stock/outcome';
import { noteUnwritable } from '@inventory/postgres/pool';
import type { Reporting } from '@inventory/process/reporting';
import type { CountKeeper } from './count-keeper.ts';
import type { WorkerDatabase } from './database.ts';
import type { WorkerMetrics } from './metrics.ts';

type Neighbours = {
  database: WorkerDatabase;
  /** Is told that there is something to fold. */
  counts: CountKeeper;
  metrics: WorkerMetrics;
  reporting: Pick<Reporting, 'tracing' | 'unwritable'>;
};

/** The work of batches in Postgres, measured and traced. */
export class StockBatches {
  readonly #neighbours: Neighbours;
  readonly #parts = createPartNumbers();

  constructor(neighbours: Neighbours) {
    this.#neighbours = neighbours;
  }

  /**
   * Applies requests as one database transaction and returns the outcomes by request id. Throws only if
   * nothing was applied. A missing request must be decided by another batch; at least one request is decided.
   */
  apply(requests: QueuedRequest[]): Promise<ReadonlyMap<string, Outcome>> {
    const { tracing } = this.#neighbours.reporting;
    if (tracing === null) return this.#applyMeasured(requests);
    // A span with links to the traces of its requests.
    return tracing.span(
      'batch',
      {
        kind: 'consumer',
        isRoot: true,
        attributes: { 'messaging.system': 'bullmq', 'messaging.batch.message_count': requests.length },
        links: requests.map(({ trace }) => trace),
      },
      () => this.#applyMeasured(requests),
    );
  }

  async #applyMeasured(requests: QueuedRequest[]): Promise<ReadonlyMap<string, Outcome>> {
    const { database, counts, metrics, reporting } = this.#neighbours;
    // If a batch was abandoned but still committed, its requests are found decided when they are taken up
    // again.
    const outcomes = await metrics.batch(requests.length, (observe) =>
      database.batches
        .run((pool) => applyBatch(pool, requests, this.#parts, observe))
        .catch((error: unknown) => {
          noteUnwritable(reporting.unwritable, error);
          throw error;
        }),
    );
    counts.wake();
    return outcomes;
  }

  /** Makes sure that a request is never applied. Returns its outcome if it was already decided. */
  async abandon(request: QueuedRequest): Promise<Outcome> {
    const outcomes = await this.#neighbours.database.statements.run((sql) => settle(sql, [request]));
    return outcomes.get(request.requestId)!;
  }

  /** The names of a request's gates: the same for all names of an item, once the worker has met them. */
  gatesOf(request: QueuedRequest): string[] {
    return gateNamesOf(request, this.#parts);
  }

  /** Returns the names of those gates that are held at this moment. */
  findHeld(requests: QueuedRequest[]): Promise<ReadonlySet<string>> {
    return this.#neighbours.database.statements.run((sql) => heldGatesAmong(sql, requests, this.#parts));
  }
}
