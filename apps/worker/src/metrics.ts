import type { BatchTimes } from '@inventory/db/batch/apply-batch';
import type { Outcome } from '@inventory/domain/stock/outcome';
import type { DatabaseClock } from '@inventory/postgres/database-clock';
import type { Reporting } from '@inventory/process/reporting';
import { durationBuckets, type Metrics, sizeBuckets } from '@inventory/process/telemetry/metrics';
import { unwritableReading } from '@inventory/process/unwritable';
import type { Consumer } from '@inventory/queue/consume/consume';
import { createBusyTime } from './busy-time.ts';
import type { WorkerDatabase } from './database.ts';
import type { Keepers } from './keepers.ts';

/**
 * The measurements of a worker's own work. Times are milliseconds of `performance.now()`, or differences of
 * them.
 */
export type WorkerMetrics = {
  /** Notes an envelope and its number of requests. */
  envelope(requestCount: number): void;
  /** Measures a batch and counts it as busy time. */
  batch<T extends ReadonlyMap<string, Outcome>>(
    requestCount: number,
    apply: (observe: (times: BatchTimes) => void) => Promise<T>,
  ): Promise<T>;
  answerTaken(tookMs: number): void;
  /** The part of the last ten seconds in which a batch was under way. */
  busyRatio(): number;
};

/** Creates the metrics of a worker's own work; docs/metrics.md explains each one. */
export function createWorkerMetrics(metrics: Metrics): WorkerMetrics {
  const busy = createBusyTime();
  const outcomes = { applied: 0, refused: 0, abandoned: 0, failed: 0, pending: 0 };
  const envelopeRequests = metrics.histogram(
    'inventory_worker_envelope_requests',
    'Requests in a taken envelope.',
    sizeBuckets,
  );
  const batchRequests = metrics.histogram(
    'inventory_worker_batch_requests',
    'Requests in a batch, which is one database transaction.',
    sizeBuckets,
  );
  const batchSeconds = metrics.histogram(
    'inventory_worker_batch_duration_seconds',
    'Time of a batch from its gates to its commit, including failed batches.',
    durationBuckets,
  );
  const stepSeconds = metrics.histogram(
    'inventory_worker_batch_step_duration_seconds',
    'Time of the steps of an applied batch: locks, reads, decisions, and write with commit.',
    durationBuckets,
    ['step'],
  );
  const answerSeconds = metrics.histogram(
    'inventory_worker_answer_duration_seconds',
    'Time to write the outcomes of an envelope to Redis.',
    durationBuckets,
  );
  const failures = metrics.counter(
    'inventory_worker_batch_failures_total',
    'Batches that failed as a whole, and were cut in halves, put aside or tried again.',
  );
  metrics.counted(
    'inventory_worker_requests_total',
    'Requests in batches, by outcome; left: for the next batch.',
    () => outcomes,
    'outcome',
  );
  return {
    envelope: (requestCount) => envelopeRequests.observe(requestCount),
    async batch(requestCount, apply) {
      const startedAt = performance.now();
      const endBusy = busy.begin();
      let steps: BatchTimes | undefined;
      try {
        const found = await apply((times) => {
          steps = times;
        });
        const endedAt = performance.now();
        if (steps !== undefined) {
          const { begunAt, lockedAt, readAt, decidedAt } = steps;
          stepSeconds.observe({ step: 'locks' }, (lockedAt - begunAt) / 1000);
          stepSeconds.observe({ step: 'reads' }, (readAt - lockedAt) / 1000);
          stepSeconds.observe({ step: 'decisions' }, (decidedAt - readAt) / 1000);
          stepSeconds.observe({ step: 'write' }, (endedAt - decidedAt) / 1000);
        }
        for (const { status } of found.values()) outcomes[status] += 1;
        return found;
      } catch (error) {
        failures.inc();
        throw error;
      } finally {
        endBusy();
        batchRequests.observe(requestCount);
        batchSeconds.observe((performance.now() - startedAt) / 1000);
      }
    },
    busyRatio: () => busy.ratio(),
    answerTaken: (tookMs) => answerSeconds.observe(tookMs / 1000),
  };
}

export type ReadParts = {
  reporting: Pick<Reporting, 'metrics' | 'presence' | 'unwritable'>;
  database: WorkerDatabase;
  clock: DatabaseClock;
  keepers: Keepers;
  consumer: Consumer;
  metrics: WorkerMetrics;
};

/** Registers the metrics that are read from the parts of a worker at each scrape. */
export function addWorkerReadings({ reporting, ...parts }: ReadParts): void {
  const { metrics, presence, unwritable } = reporting;
  const { database, clock, keepers, consumer } = parts;
  const up = (what: 'redis' | 'postgres') => () => (presence.isThere(what) ? 1 : 0);
  metrics.gauge(
    'inventory_worker_busy_ratio',
    'Part of the last ten seconds in which a batch was under way.',
    parts.metrics.busyRatio,
  );
  metrics.gauge('inventory_worker_redis_up', '1 when Redis gives work.', up('redis'));
  metrics.gauge('inventory_worker_postgres_up', '1 when Postgres answers.', up('postgres'));
  metrics.gauge(
    'inventory_worker_postgres_unwritable',
    '1 while Postgres answers but refuses the work of this worker, by reason.',
    () => unwritableReading(unwritable.now()),
    'reason',
  );
  metrics.gauge(
    'inventory_worker_postgres_connections',
    'Connections to Postgres for batches.',
    () => database.batches.current().counts(),
    'state',
  );
  metrics.gauge(
    'inventory_worker_clock_difference_seconds',
    "How far the clock of Postgres is ahead of this process's.",
    clock.differenceSeconds,
  );
  metrics.gauge(
    'inventory_worker_folding_lag_seconds',
    'For how long something written has not been folded into the counts of the lists.',
    keepers.counts.lagSeconds,
  );
  const { audit } = keepers;
  if (audit !== null) {
    metrics.gauge(
      'inventory_worker_audit_drift_places',
      'Places where levels, lots and ledger disagree, found by the audit of all workers.',
      () => audit.state().driftCount,
    );
    metrics.gauge(
      'inventory_worker_audit_age_seconds',
      'Time since the audit of all workers last finished a full pass.',
      () => audit.state().ageSeconds,
    );
  }
  metrics.gauge(
    'inventory_worker_refused_envelopes',
    'Jobs in Redis that no api of this service signed.',
    consumer.refusedCount,
  );
  metrics.gauge('inventory_worker_shards', 'Queues from which this worker takes work.', consumer.shardCount);
}
