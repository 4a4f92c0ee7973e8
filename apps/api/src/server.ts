import { setTimeout } from 'node:timers/promises';
import { startDatabaseClock } from '@inventory/postgres/database-clock';
import type { Log } from '@inventory/process/log/log';
import { openReporting } from '@inventory/process/reporting';
import type { Running } from '@inventory/process/run';
import { readConfig } from '@inventory/process/settings/config';
import { warnOfClock } from '@inventory/process/warn-of-clock';
import { connectProducer } from '@inventory/redis/redis';
import { createApp } from './app.ts';
import { openChanges } from './changes/changes.ts';
import { openCheckedDatabase } from './checked-database.ts';
import { apiSettings } from './config.ts';
import { openHttp } from './http/http.ts';
import { createRequestLog } from './http/request-log.ts';
import { openInternalPort } from './internal-port.ts';
import { createApiMetrics } from './metrics.ts';
import { openApiQueue } from './queue.ts';
import { createRoutes } from './routes/routes.ts';
import { createTokenHandler } from './routes/token.ts';
import { createStockCalls } from './stock/stock-calls.ts';

/** Starts an api process. It answers requests on `HOST` and `PORT` until it is stopped. */
export async function startServer(env: NodeJS.ProcessEnv, log: Log): Promise<Running & { port: number }> {
  const config = readConfig(apiSettings, env);
  const reporting = await openReporting(config, { part: 'inventory-api', level: 'warn' }, log);
  const { report, tracing } = reporting;
  const metrics = createApiMetrics(reporting.metrics);
  const database = await openCheckedDatabase(config, reporting);
  const { authentication } = database;
  const clock = await startDatabaseClock(authentication, warnOfClock(log));
  const { now } = clock;
  const redis = connectProducer(config.REDIS_URL, (error) => report(error, 'rate limit connection'));
  const queue = await openApiQueue(config, { database, clock, reporting, envelopes: metrics.envelopes });
  const http = await openHttp(config, { authentication, redis, now, log });
  const { answers } = http;
  const stock = createStockCalls(config, { database, redis, queue, answers, now, tracing });
  const changes = openChanges(database);
  const app = createApp(config, {
    routes: createRoutes(config, { database, http, stock, changes, now }),
    token: createTokenHandler(authentication, http.authenticator, http.guesses),
    http,
    requestLog: createRequestLog(config, reporting, queue.needs),
    ...{ metrics, reporting },
  });
  const listening = await http.listen(app.callback());
  const internal = await openInternalPort(config, {
    ...{ reporting, database, clock, queue, http, listening, changes },
  });
  const { port } = listening;
  log.info({ port, internalPort: internal.port ?? null }, 'api is up');
  return {
    port,
    internalPort: internal.port,
    async stop() {
      http.drain();
      changes.stop();
      await setTimeout(config.DRAIN_MS);
      await listening.close();
      await queue.stop();
      await internal.close();
      clock.stop();
      redis.disconnect();
      await database.end();
      await reporting.end();
    },
  };
}
