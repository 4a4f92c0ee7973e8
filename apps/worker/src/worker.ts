import { readEnvelopeKeys } from '@inventory/db/access/envelope-keys';
import { excessRightsOf } from '@inventory/db/access/logins';
import { auditSlice, readAuditState } from '@inventory/db/audit/audit-slice';
import type { Drift } from '@inventory/db/audit/compare-stock';
import { applyBatch, GatesHeldError, heldGatesAmong } from '@inventory/db/batch/apply-batch';
import { createPartNumbers } from '@inventory/db/batch/gates';
import { foldArrivals } from '@inventory/db/lists/fold-arrivals';
import { refuseUnsafeDatabase } from '@inventory/db/migrate/migrate';
import { type CorrectedTime, correctTimes } from '@inventory/db/operator/stored-times';
import { startDatabaseClock } from '@inventory/db/postgres/database-clock';
import { isOutage, isStatementTimeout, noteUnwritable, reach, type Sql } from '@inventory/db/postgres/pool';
import { findLossyReplication } from '@inventory/db/postgres/servers/replication';
import { traceStatements } from '@inventory/db/postgres/trace-statements';
import { namingPostgres } from '@inventory/db/postgres/unreachable';
import { removeOutdatedPiece } from '@inventory/db/requests/remove-outdated';
import { createRetentionClock } from '@inventory/db/requests/retention-clock';
import { settle } from '@inventory/db/requests/settle';
import type { QueuedRequest } from '@inventory/domain/request';
import { serveInternal } from '@inventory/process/internal-server';
import { createFoldedLog } from '@inventory/process/log/folded-log';
import type { Log } from '@inventory/process/log/log';
import { lookEvery } from '@inventory/process/look-every';
import { PlainError } from '@inventory/process/plain-error';
import { createPresence } from '@inventory/process/presence';
import { createReport } from '@inventory/process/report';
import type { Running } from '@inventory/process/run';
import { readConfig } from '@inventory/process/settings/config';
import { hostCountOf } from '@inventory/process/settings/database-address';
import { createMetrics } from '@inventory/process/telemetry/metrics';
import { openTracing } from '@inventory/process/telemetry/open-tracing';
import type { Tracing } from '@inventory/process/telemetry/tracing';
import { createUnwritable, noteWrites, type Unwritable } from '@inventory/process/unwritable';
import { warnOfClock } from '@inventory/process/warn-of-clock';
import { within } from '@inventory/process/within';
import { createConsumer } from '@inventory/queue/consume/consume';
import { openEnvelopeKeys } from '@inventory/queue/envelope-keys';
import { startAuditKeeper } from './audit-keeper.ts';
import { createBatcher } from './batcher.ts';
import { workerSettings } from './config.ts';
import { createCountKeeper } from './count-keeper.ts';
import { openWorkerDatabase, type WorkerDatabase } from './database.ts';
import { createWorkerMetrics } from './metrics.ts';
import { createRetentionKeeper } from './retention-keeper.ts';
import { startWebhooks } from './webhooks/webhooks.ts';

// A fold takes some milliseconds, so a connection that is silent for longer is replaced. But arrivals that
// piled up while no worker ran may need more time. So if Postgres itself reports a timeout, the fold gets
// more time. For one list, and for all.
const usualFold = { listMs: 1500, allMs: 5000 };
const largeFold = { listMs: 60_000, allMs: 200_000 };
const stopFoldingWithinMs = 3000;
// How often the worker checks for Redis and Postgres.
const lookEveryMs = 1000;

/** Starts a worker: it takes envelopes from the queue and applies them to Postgres until it is stopped. */
export async function startWorker(env: NodeJS.ProcessEnv, log: Log): Promise<Running> {
  const config = readConfig(workerSettings, env);
  const folded = createFoldedLog(log);
  const presence = createPresence(folded);
  const report = createReport(folded, presence, 'error');
  const tracing = await openTracing(config.OTEL_EXPORTER_OTLP_ENDPOINT, 'inventory-worker');
  if (tracing !== null) traceStatements(tracing.begin);
  const database = openWorkerDatabase(config.DATABASE_URL, usualFold.allMs);
  const { batches, folds, audits } = database;
  // Uses the long limit of `folds`: the driver takes longer to report an unreachable database than a batch
  // may take.
  await checkDatabase(config.DATABASE_URL, folds, log);
  const keys = await openEnvelopeKeys(() => batches.run(({ sql }) => readEnvelopeKeys(sql)));
  const clock = await startDatabaseClock(
    { run: (work) => batches.run(({ sql }) => work(sql)) },
    warnOfClock(log),
  );
  const unwritable = createUnwritable();
  const parts = createPartNumbers();
  const fold = ({ listMs, allMs }: typeof usualFold) => folds.run((sql) => foldArrivals(sql, listMs), allMs);
  const counts = createCountKeeper(
    () =>
      fold(usualFold).catch((error) => {
        if (!isStatementTimeout(error)) throw error;
        return fold(largeFold);
      }),
    report,
  );
  const moveRetention = createRetentionClock();
  const retention = createRetentionKeeper(async () => {
    const remove = async (sql: Sql) => {
      for (const corrected of await correctTimes(sql)) tellCorrected(log, corrected);
      await moveRetention(sql);
      return removeOutdatedPiece(sql, config.IDEMPOTENCY_KEY_DAYS);
    };
    // It waits behind a large fold for the only connection. A shorter limit would end that fold.
    return (await folds.run(remove, largeFold.allMs)).goesOn;
  }, report);
  const audit =
    config.BACKGROUND_AUDIT === 'off'
      ? null
      : startAuditKeeper(
          (pace) => audits.run((sql) => auditSlice(sql, pace)),
          () => audits.run(readAuditState),
          tellDrift(log),
          report,
        );
  const registry = createMetrics();
  const webhooks = startWebhooks({
    redisUrl: config.REDIS_URL,
    prefix: config.QUEUE_PREFIX,
    run: database.webhooks.run,
    now: clock.now,
    metrics: registry,
    log,
    report,
  });
  const metrics = createWorkerMetrics(registry, {
    presence,
    unwritable,
    audit: audit?.state ?? null,
    connections: () => batches.current().counts(),
    clockDifferenceSeconds: clock.differenceSeconds,
    foldingLagSeconds: counts.lagSeconds,
    refusedCount: () => consumer.refusedCount(),
    shardCount: () => consumer.shardCount(),
  });
  const applyEnvelope = createBatcher({
    batchMax: config.BATCH_MAX,
    apply: inSpan(tracing, async (requests) => {
      // If a batch was abandoned but still committed, its requests are found decided when they are taken up
      // again.
      const outcomes = await metrics.batch(requests.length, (observe) =>
        batches.run((pool) => applyBatch(pool, requests, parts, observe)).catch(noting(unwritable)),
      );
      counts.wake();
      return outcomes;
    }),
    abandon: async (request) =>
      (await batches.run(({ sql }) => settle(sql, [request]))).get(request.requestId)!,
    isOutage,
    findHeld: (requests) => batches.run(({ sql }) => heldGatesAmong(sql, requests, parts)),
    heldGatesOf: (error) => (error instanceof GatesHeldError ? error.gates : null),
    report,
  });
  const consumer = await createConsumer({
    redisUrl: config.REDIS_URL,
    prefix: config.QUEUE_PREFIX,
    shardsMax: config.QUEUE_SHARDS,
    // A worker that cannot reach Postgres leaves the work to others.
    isAble: () => presence.isThere('postgres'),
    keys,
    concurrency: config.WORKER_CONCURRENCY,
    apply: (requests, attempt) => {
      metrics.envelope(requests.length);
      return applyEnvelope(requests, attempt);
    },
    onAnswerTaken: metrics.answerTaken,
    note: () => ({
      busyRatio: metrics.busyRatio(),
      clockDifferenceSeconds: clock.differenceSeconds(),
      isPostgresUp: presence.isThere('postgres'),
    }),
    onUnserved: () => {
      log.fatal('work waits in the queue, but this worker gets none; it exits to be restarted');
      process.exit(1);
    },
    report,
  });
  const stopLooking = lookEvery(lookEveryMs, async () => {
    presence.note('redis', consumer.isOpen());
    const isThere = await batches
      .run(({ sql }) => reach(sql))
      .then(
        () => true,
        () => false,
      );
    presence.note('postgres', isThere);
    const reason = unwritable.now();
    noteWrites(presence, reason);
    if (reason !== null) consumer.tellUnwritable(reason);
  });
  const checkReady = async () => {
    await batches.run(({ sql }) => reach(sql));
    if (!consumer.isOpen()) throw new PlainError('Redis is away');
    return undefined;
  };
  const internal = await serveInternal(config, { checkReady, metrics: registry });
  log.info({ internalPort: internal?.port ?? null }, 'worker is up');
  return {
    internalPort: internal?.port,
    async stop() {
      await Promise.all([consumer.close(), webhooks.stop()]);
      keys.stop();
      clock.stop();
      stopLooking();
      const stopped = Promise.all([counts.stop(), retention.stop(), audit?.stop()]);
      await within(stopFoldingWithinMs, stopped).catch(() => {});
      await internal?.close();
      await database.end();
      await tracing?.end();
      folded.end();
    },
  };
}

/** Refuses a database that cannot be used, and warns of risky settings. */
async function checkDatabase(url: string, folds: WorkerDatabase['folds'], log: Log): Promise<void> {
  await namingPostgres(url, () => folds.run(refuseUnsafeDatabase));
  const excess = await folds.run(excessRightsOf);
  if (excess !== null)
    log.warn(`DATABASE_URL logs in as ${excess}; a login with the role inventory_worker is enough`);
  const lossy = await folds.run((sql) => findLossyReplication(sql, hostCountOf(url)));
  if (lossy !== null) log.warn(lossy);
}

/** Notes why Postgres refused a batch, and throws the error on. */
function noting(unwritable: Unwritable): (error: unknown) => never {
  return (error) => {
    noteUnwritable(unwritable, error);
    throw error;
  };
}

/** Runs a batch as a span with links to the traces of its requests. Without tracing, just runs it. */
function inSpan<T>(
  tracing: Tracing | null,
  apply: (requests: QueuedRequest[]) => Promise<T>,
): (requests: QueuedRequest[]) => Promise<T> {
  if (tracing === null) return apply;
  return (requests) =>
    tracing.span(
      'batch',
      {
        kind: 'consumer',
        isRoot: true,
        attributes: { 'messaging.system': 'bullmq', 'messaging.batch.message_count': requests.length },
        links: requests.map(({ trace }) => trace),
      },
      () => apply(requests),
    );
}

/** Logs stored times that lay in the future: the name of their column, and no value of a caller. */
function tellCorrected(log: Log, { place, count, latest }: CorrectedTime): void {
  log.warn(
    { place, count, latest: latest.toISOString() },
    'stored times were later than their rule allows, from a clock that was ahead; they were set to now',
  );
}

/** Logs a place that disagrees: numbers and fixed words only, no name of an item. */
function tellDrift(log: Log): (drift: Drift) => void {
  return ({ check, partNo, wid, recNo, expected, found }) => {
    const place = { partNo, wid, ...(recNo > 0 && { recNo }) };
    log.error({ check, ...place, expected, found }, 'stock does not agree with the ledger');
  };
}
