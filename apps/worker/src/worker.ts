import { readEnvelopeKeys } from '@inventory/db/access/envelope-keys';
import { startDatabaseClock } from '@inventory/postgres/database-clock';
import { serveInternal } from '@inventory/process/internal-server';
import type { Log } from '@inventory/process/log/log';
import { openReporting } from '@inventory/process/reporting';
import type { Running } from '@inventory/process/run';
import { readConfig } from '@inventory/process/settings/config';
import { warnOfClock } from '@inventory/process/warn-of-clock';
import { openEnvelopeKeys } from '@inventory/queue/envelope-keys';
import { openCheckedDatabase } from './checked-database.ts';
import { workerSettings } from './config.ts';
import { startKeepers } from './keepers.ts';
import { addWorkerReadings, createWorkerMetrics } from './metrics.ts';
import { openStockWork } from './stock-work.ts';
import { watchNeeds } from './watch-needs.ts';
import { startWebhooks } from './webhooks/webhooks.ts';

/** Starts a worker: it takes envelopes from the queue and applies them to Postgres until it is stopped. */
export async function startWorker(env: NodeJS.ProcessEnv, log: Log): Promise<Running> {
  const config = readConfig(workerSettings, env);
  const reporting = await openReporting(config, { part: 'inventory-worker', level: 'error' }, log);
  const database = await openCheckedDatabase(config, reporting);
  const { statements } = database;
  const keys = await openEnvelopeKeys(() => statements.run(readEnvelopeKeys));
  const clock = await startDatabaseClock(statements, warnOfClock(log));
  const keepers = startKeepers(config, database, reporting);
  const webhooks = startWebhooks(config, { database, clock, reporting });
  const metrics = createWorkerMetrics(reporting.metrics);
  const { counts } = keepers;
  const consumer = await openStockWork(config, { database, keys, clock, counts, metrics, reporting });
  addWorkerReadings({ reporting, database, clock, keepers, consumer, metrics });
  const needs = watchNeeds(database, consumer, reporting);
  const internal = await serveInternal(config, {
    checkReady: needs.checkReady,
    metrics: reporting.metrics,
  });
  log.info({ internalPort: internal?.port ?? null }, 'worker is up');
  return {
    internalPort: internal?.port,
    async stop() {
      await Promise.all([consumer.close(), webhooks.stop()]);
      keys.stop();
      clock.stop();
      needs.stop();
      await keepers.stop();
      await internal?.close();
      await database.end();
      await reporting.end();
    },
  };
}
