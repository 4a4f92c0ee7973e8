import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createRateLimiter } from '@inventory/auth/rate-limit';
import { connect } from '@inventory/db/client';
import { refuseUnsafeDatabase } from '@inventory/db/migrate';
import { readOutcomes, settle } from '@inventory/db/verdict';
import { readConfig } from '@inventory/process/config';
import { serveInternal } from '@inventory/process/internal-server';
import type { Log } from '@inventory/process/log';
import type { Running } from '@inventory/process/run';
import { connectProducer } from '@inventory/queue/redis';
import { createSubmitter } from '@inventory/queue/submit';
import { createApp, version } from './app.ts';
import { createAuthenticator } from './authenticate.ts';
import { apiSettings } from './config.ts';
import { createGuessLimiter } from './guess-limit.ts';
import { answerMalformed } from './malformed.ts';
import { inventoryRoutes } from './routes/inventory.ts';
import { itemRoutes } from './routes/items.ts';
import { createTokenHandler } from './routes/token.ts';
import { createStock } from './stock.ts';

/** Starts an api process: answers requests on `HOST` and `PORT` until it is stopped. */
export async function startServer(env: NodeJS.ProcessEnv, log: Log): Promise<Running & { port: number }> {
  const config = readConfig(apiSettings, env);
  const report = (error: Error, what: string) => log.warn({ err: error }, what);
  const sql = connect(config.DATABASE_URL, {
    name: 'inventory-api',
    connectionsMax: config.DATABASE_CONNECTIONS,
    statementTimeoutMs: 10_000,
  });
  await refuseUnsafeDatabase(sql);
  // The verdict has connections of its own: it must not queue behind slow reads.
  const verdicts = connect(config.DATABASE_URL, {
    name: 'inventory-verdict',
    connectionsMax: 2,
    statementTimeoutMs: 700,
  });
  const redis = connectProducer(config.REDIS_URL, (error) => report(error, 'rate limit connection'));
  const submitter = await createSubmitter({
    redisUrl: config.REDIS_URL,
    prefix: config.QUEUE_PREFIX,
    shardCount: config.QUEUE_SHARDS,
    envelopeMax: config.ENVELOPE_MAX,
    inFlightMax: config.ENVELOPES_IN_FLIGHT,
    readOutcomes: (requestIds) => readOutcomes(verdicts, requestIds),
    settle: (requestIds) => settle(verdicts, requestIds),
    report,
  });
  const authenticator = await createAuthenticator(sql);
  let draining = false;
  const app = createApp({
    routes: [...inventoryRoutes(sql, createStock(sql, submitter)), ...itemRoutes(sql)],
    token: createTokenHandler(sql, authenticator, createGuessLimiter(redis, config.QUEUE_PREFIX)),
    authenticator,
    rateLimiter: createRateLimiter(redis, config.QUEUE_PREFIX),
    rateLimit: config.RATE_LIMIT,
    trustProxy: config.TRUST_PROXY === 'true',
    isDraining: () => draining,
    log,
  });
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 15_000, maxHeaderSize: 16 * 1024, requireHostHeader: false },
    app.callback(),
  );
  answerMalformed(server, version);
  // Longer than the idle time of the proxies before us, so that they, not we, end a connection.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.PORT, config.HOST, resolve);
  });
  const internal = await serveInternal(config, async () => {
    await sql`select`;
    if (draining) throw new Error('stopping');
    if (!submitter.isOpen()) throw new Error('Redis is away');
  });
  const { port } = server.address() as AddressInfo;
  log.info({ port }, 'api is up');
  return {
    port,
    async stop() {
      // Answers say from now on that their connection ends; then the few that are idle can be closed without cutting a request.
      draining = true;
      await setTimeout(config.DRAIN_MS);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await closed;
      await submitter.close();
      await internal?.close();
      redis.disconnect();
      await Promise.all([sql.end({ timeout: 5 }), verdicts.end({ timeout: 5 })]);
    },
  };
}
