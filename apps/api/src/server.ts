import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createRateLimiter, type RateLimiter } from '@inventory/auth/rate-limit';
import { readEnvelopeKeys } from '@inventory/db/access/envelope-keys';
import { excessRightsOf } from '@inventory/db/access/logins';
import { tryOut, tryOutTogether } from '@inventory/db/batch/dry-run';
import { findNamedItems } from '@inventory/db/catalog/named-items';
import { refuseUnsafeDatabase } from '@inventory/db/migrate/migrate';
import { type DatabaseClock, startDatabaseClock } from '@inventory/db/postgres/database-clock';
import { noteUnwritable, reach, type Sql } from '@inventory/db/postgres/pool';
import { findLossyReplication } from '@inventory/db/postgres/servers/replication';
import { NeverBegunError, type StatementPool, type Wait } from '@inventory/db/postgres/statement-pool';
import { traceStatements } from '@inventory/db/postgres/trace-statements';
import { namingPostgres } from '@inventory/db/postgres/unreachable';
import type { SentRequest } from '@inventory/db/requests/idempotency-keys';
import { readAnswers, readLeftOut } from '@inventory/db/requests/large-answers';
import { readOriginals } from '@inventory/db/requests/originals';
import { readOutcomes, settle } from '@inventory/db/requests/settle';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { serveInternal } from '@inventory/process/internal-server';
import { createFoldedLog } from '@inventory/process/log/folded-log';
import type { Log } from '@inventory/process/log/log';
import { PlainError } from '@inventory/process/plain-error';
import { createPresence } from '@inventory/process/presence';
import { createReport, type Report } from '@inventory/process/report';
import type { Running } from '@inventory/process/run';
import { readConfig } from '@inventory/process/settings/config';
import { hostCountOf, withLoginOf } from '@inventory/process/settings/database-address';
import { createMetrics } from '@inventory/process/telemetry/metrics';
import { openTracing } from '@inventory/process/telemetry/open-tracing';
import { createUnwritable, type Unwritable } from '@inventory/process/unwritable';
import { warnOfClock } from '@inventory/process/warn-of-clock';
import { openEnvelopeKeys } from '@inventory/queue/envelope-keys';
import { connectProducer } from '@inventory/queue/redis/redis';
import type { RedisConnection } from '@inventory/queue/redis/redis-cluster';
import { createSubmitter, type EnvelopeObserver, type Submitter } from '@inventory/queue/submit/submit';
import { createApp, version } from './app.ts';
import { watchBackupAge } from './backup-age.ts';
import { watchCertificate } from './certificate-left.ts';
import { createFeed, type Feed } from './changes/feed.ts';
import { watchOldestChange } from './changes/oldest-change.ts';
import { createWatchedRights, type WatchedRights } from './changes/watched-rights.ts';
import { apiSettings } from './config.ts';
import { type Database, openDatabase } from './database.ts';
import { lateAsBusy } from './http/as-busy.ts';
import { createAuthenticator } from './http/callers/authenticator.ts';
import { createGuessLimiter } from './http/callers/guess-limit.ts';
import { createStrangers } from './http/callers/strangers.ts';
import { createHttpServer } from './http/connections/http-server.ts';
import { defaultConnectionsMax } from './http/connections/open-files.ts';
import { createStanding, type Standing } from './http/connections/standing.ts';
import { createBodyRoom } from './http/reading/body-room.ts';
import { createRequestLog } from './http/request-log.ts';
import type { Route } from './http/route.ts';
import { createUnreadAnswers, type UnreadAnswers } from './http/unread-answers.ts';
import { addApiReadings, createApiMetrics } from './metrics.ts';
import { type Needs, watchNeeds } from './needs.ts';
import { aliasRoutes } from './routes/aliases.ts';
import { changeRoutes } from './routes/changes.ts';
import { historyRoutes } from './routes/history.ts';
import { inventoryRoutes } from './routes/inventory.ts';
import { itemRoutes } from './routes/items.ts';
import { meRoutes } from './routes/me.ts';
import { scanRoutes } from './routes/scan.ts';
import { createTokenHandler } from './routes/token.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { type StatusPage, startStatusPage } from './status-page/status-page.ts';
import { createAnswerTexts } from './stock/answer-texts.ts';
import { createBatchCalls } from './stock/batch-call/batch-calls.ts';
import { createItemNames } from './stock/batch-call/item-names.ts';
import { createBatchTurns } from './stock/batch-call/turns.ts';
import type { ReadOutcomes } from './stock/known-outcomes.ts';
import type { FindOriginals } from './stock/originals.ts';
import { createSender, type Sender } from './stock/sender.ts';
import { createStock } from './stock/transactions.ts';
import { gather } from './turns/gather.ts';
import { insist } from './turns/insist.ts';

// Enough for all scanners of a warehouse behind one address, and a fraction of all connections.
const perAddressMax = 250;
// The backlog of connections that are not accepted yet, as far as the system allows. Node's 511 is too short:
// if a whole fleet connects at once, the rest retries after a second, then after several.
const backlog = 4096;
// Batch operations under way at once: one full envelope beside single transactions, all envelopes without.
const batchOperationsMax = { beside: 64, alone: 256 };
// When a connection ends or a statement takes too long (`verdicts`), outcomes are read again on another
// connection: a machine that is busy for a second must not cause a doubtful answer.
const readAgainForMs = 1500;
// The second half is kept for the read itself.
const readBesideMs = 1000;
// Looks for lost answers are frequent and may wait for the next round. They must not delay verdicts.
const lookWithinMs = 100;
// A large answer that is not read by then is answered with its number, or as unknown. The last half second is
// for the read itself.
const textWithinMs = 2000;
// Without them, operations under names that this process does not know wait for each other.
const namesWithinMs = 500;
const soon = (timeMs: number) => ({ until: performance.now() + timeMs, hasGone: () => false });

/** A look that found no free connection is not a failure. */
function foundNothing(error: unknown) {
  if (error instanceof NeverBegunError) return new Map<string, StoredOutcome>();
  throw error;
}

/** Wires up the stock transactions, single and in batches. */
function wireStock(
  config: { OPERATION_LIMIT: number; QUEUE_PREFIX: string },
  { database, redis, sender, needs, answers, now }: StockParts,
) {
  // Verdicts wait for locks and may occupy all of their connections. Plain reads do not wait for a
  // connection.
  const readSoon = <T>(read: (sql: Sql) => Promise<T>, mayHang: () => boolean) =>
    database.verdicts.run(read).catch((error) => {
      if (!(error instanceof NeverBegunError) || mayHang()) throw error;
      return database.reads.run(read, soon(readBesideMs));
    });
  const readAgain = <T>(read: (sql: Sql) => Promise<T>, mayHang = () => false) =>
    insist(performance.now() + readAgainForMs, () => readSoon(read, mayHang));
  const findOriginals: FindOriginals = (transactionNos) =>
    readAgain(async (sql) => {
      const originals = await readOriginals(sql, transactionNos);
      return transactionNos.map((transactionNo) => originals.get(transactionNo) ?? null);
    });
  const readText = <T>(read: (sql: Sql) => Promise<T>) =>
    insist(performance.now() + readAgainForMs, () => database.reads.run(read, soon(textWithinMs)));
  const readers = {
    read: (requestIds: readonly string[]) => readText((sql) => readAnswers(sql, requestIds)),
    leftOut: (requestIds: readonly string[]) => readAgain((sql) => readLeftOut(sql, requestIds)),
  };
  const answerTexts = createAnswerTexts(readers, answers);
  // This read waits until a standby has its result. While a standby is away, it stays off the connections of
  // the lists.
  const readDecided: ReadOutcomes = (requests) =>
    readAgain(
      (sql) => readOutcomes(sql, requests),
      () => needs.hangingCommits() > 0,
    );
  const turns = createBatchTurns(batchOperationsMax);
  const inTrial = <T>(clientId: string, work: (sql: Sql) => Promise<T>, wait: Wait) =>
    database.trials.run(clientId, work, wait).catch((error) => {
      throw lateAsBusy(error);
    });
  const noted: Sender = {
    ...sender,
    sendAll(requests, arrivedAt) {
      turns.noteSingle();
      return sender.sendAll(requests, arrivedAt);
    },
  };
  return {
    ...createStock({
      sender: noted,
      findOriginals,
      tryOut: (request, clientId, wait) => inTrial(clientId, (sql) => tryOut(sql, request, clientId), wait),
      readOutcomes: readDecided,
      answerTexts,
      whyUnanswered: needs.whyUnanswered,
    }),
    ...createBatchCalls({
      sender,
      limiter: createRateLimiter(redis, { prefix: config.QUEUE_PREFIX, what: 'operations' }),
      operationLimit: config.OPERATION_LIMIT,
      turns,
      tryOut: (requests, clientId, decided, wait) =>
        inTrial(clientId, (sql) => tryOutTogether(sql, requests, clientId, decided), wait),
      readOutcomes: readDecided,
      answerTexts,
      findOriginals,
      itemNames: createItemNames((names) =>
        database.reads.run((sql) => findNamedItems(sql, names), soon(namesWithinMs)),
      ),
      whyUnanswered: needs.whyUnanswered,
      now,
    }),
  };
}

type StockParts = {
  database: Database;
  redis: RedisConnection;
  sender: Sender;
  needs: Needs;
  answers: UnreadAnswers;
  now: () => number;
};

type RouteParts = {
  database: Database;
  feed: Feed;
  standing: Standing;
  rights: WatchedRights;
  rateLimiter: RateLimiter;
  stock: ReturnType<typeof wireStock>;
  now: () => number;
};

function routesOf(
  config: { RATE_LIMIT: number; OPERATION_LIMIT: number },
  { database, feed, standing, rights, rateLimiter, stock, now }: RouteParts,
) {
  const { reads, lists } = database;
  const routes: Route[] = [
    ...meRoutes({
      ...{ reads, feed, now },
      rateLimit: config.RATE_LIMIT,
      operationLimit: config.OPERATION_LIMIT,
      routes: () => routes,
    }),
    ...historyRoutes(database),
    ...changeRoutes({ feed, reads, standing, rights, rateLimiter, rateLimit: config.RATE_LIMIT }),
    ...webhookRoutes({ reads }),
    ...inventoryRoutes(lists, stock),
    ...itemRoutes(database),
    ...aliasRoutes(database),
    ...scanRoutes(lists, now),
  ];
  return routes;
}

type DatabaseConfig = {
  DATABASE_URL: string;
  DATABASE_CONNECTIONS: number;
  DATABASE_READ_URL?: string | undefined;
};

/** Opens the database, refuses one that cannot be used, and warns of risky settings. */
async function openCheckedDatabase(
  config: DatabaseConfig,
  log: Log,
  report: Report,
  unwritable: Unwritable,
): Promise<Database> {
  const { DATABASE_URL: url } = config;
  const readUrl = config.DATABASE_READ_URL && withLoginOf(config.DATABASE_READ_URL, url);
  const database = openDatabase(
    url,
    config.DATABASE_CONNECTIONS,
    readUrl === undefined ? null : { readUrl, report: (error) => report(error, 'the replica') },
    (error) => noteUnwritable(unwritable, error),
  );
  await namingPostgres(url, () => database.reads.run(refuseUnsafeDatabase));
  const excess = await database.reads.run(excessRightsOf);
  if (excess !== null)
    log.warn(`DATABASE_URL logs in as ${excess}; a login with the role inventory_api is enough`);
  const lossy = await database.reads.run((sql) => findLossyReplication(sql, hostCountOf(url)));
  if (lossy !== null) log.warn(lossy);
  await database.replica?.check();
  return database;
}

type ReadinessParts = {
  authentication: StatementPool;
  submitter: Submitter;
  needs: Needs;
  clock: DatabaseClock;
  isDraining: () => boolean;
};

/**
 * Whether the api is ready. It uses connections that write nothing, so hanging commits do not block it. An
 * api that is not ready would get no reads either.
 */
async function readiness({ authentication, submitter, needs, clock, isDraining }: ReadinessParts) {
  await authentication.run(reach);
  if (isDraining()) throw new PlainError('stopping');
  return {
    degraded: whatIsLost(submitter, needs),
    notes: [`the clock of Postgres is ahead of this one by ${clock.differenceSeconds().toFixed(3)} s`],
  };
}

/** Names what an api cannot do now although it still serves reads. */
function whatIsLost(
  submitter: Submitter,
  { presence, unwritable, hangingCommits }: Needs,
): string | undefined {
  const instead = 'reads are served, transactions are refused';
  if (!submitter.isOpen()) return `Redis is away: ${instead}`;
  if (!presence.isThere('redis')) return `Redis takes no work: ${instead}`;
  if (!presence.isThere('worker')) return `no worker takes work: ${instead}`;
  if (unwritable() !== null) return `Postgres refuses to write: ${instead}`;
  return hangingCommits() > 0 ? 'commits wait for a standby: reads are served' : undefined;
}

/** Counts envelopes, and tells of those that Redis did not take. */
function observing(envelopes: EnvelopeObserver, onSendFailed: (error: unknown) => void): EnvelopeObserver {
  return {
    ...envelopes,
    sendFailed(error) {
      envelopes.sendFailed(error);
      onSendFailed(error);
    },
  };
}

/** Settles the requests of many callers in one statement. */
function settleTogether(verdicts: StatementPool) {
  return gather(verdicts, async (sql, requests: readonly SentRequest[]) => {
    const outcomes = await settle(sql, requests);
    return requests.map(({ requestId }) => outcomes.get(requestId)!);
  });
}

/** Starts an api process. It answers requests on `HOST` and `PORT` until it is stopped. */
export async function startServer(env: NodeJS.ProcessEnv, log: Log): Promise<Running & { port: number }> {
  const config = readConfig(apiSettings, env);
  const folded = createFoldedLog(log);
  const presence = createPresence(folded);
  const report = createReport(folded, presence, 'warn');
  const registry = createMetrics();
  const metrics = createApiMetrics(registry);
  const tracing = await openTracing(config.OTEL_EXPORTER_OTLP_ENDPOINT, 'inventory-api');
  if (tracing !== null) traceStatements(tracing.begin);
  const unwritable = createUnwritable();
  const database = await openCheckedDatabase(config, log, report, unwritable);
  const { lists, authentication, verdicts } = database;
  const clock = await startDatabaseClock(authentication, warnOfClock(log));
  const redis = connectProducer(config.REDIS_URL, (error) => report(error, 'rate limit connection'));
  const keys = await openEnvelopeKeys(() => authentication.run(readEnvelopeKeys));
  let needs: Needs | undefined;
  const submitter = await createSubmitter({
    redisUrl: config.REDIS_URL,
    prefix: config.QUEUE_PREFIX,
    keys,
    envelopeMax: config.ENVELOPE_MAX,
    inFlightMax: config.ENVELOPES_IN_FLIGHT,
    readOutcomes: (requests) =>
      verdicts.run((sql) => readOutcomes(sql, requests), soon(lookWithinMs)).catch(foundNothing),
    settle: (requests) => verdicts.run((sql) => settle(sql, requests)),
    report,
    // The clock of Postgres was changed, or another server took over.
    refusedEarly: clock.doubt,
    observer: observing(metrics.envelopes, (error) => needs?.sendFailed(error)),
  });
  needs = watchNeeds(presence, submitter, database, unwritable);
  let draining = false;
  const standing = createStanding();
  const strangers = createStrangers(() => draining, standing);
  const bodyRoom = createBodyRoom();
  const answers = createUnreadAnswers();
  const authenticator = await createAuthenticator(authentication, clock.now, log, strangers.isSpent);
  const sender = createSender({
    submitter,
    settle: settleTogether(verdicts),
    now: clock.now,
    tracing,
  });
  const stock = wireStock(config, { database, redis, sender, needs, answers, now: clock.now });
  const feed = createFeed(database.changes, database.feedPosition);
  const rights = createWatchedRights();
  const rateLimiter = createRateLimiter(redis, { prefix: config.QUEUE_PREFIX, what: 'requests' });
  const app = createApp({
    routes: routesOf(config, { database, feed, standing, rights, rateLimiter, stock, now: clock.now }),
    token: createTokenHandler(authentication, authenticator, createGuessLimiter(redis, config.QUEUE_PREFIX)),
    authenticator,
    rateLimiter,
    rateLimit: config.RATE_LIMIT,
    proxies: config.TRUST_PROXY,
    corsOrigins: config.CORS_ORIGINS,
    hasConsole: config.CONSOLE === 'true',
    ...{ strangers, bodyRoom, answers },
    isDraining: () => draining,
    log,
    tracing,
    requestLog: createRequestLog({
      ...{ log, folded, whyNoAnswer: needs.whyNoAnswer },
      isAccessLogged: config.ACCESS_LOG === 'on',
    }),
    metrics,
  });
  const { server, connections } = createHttpServer(app.callback(), {
    version,
    standing,
    connectionsMax: config.CONNECTIONS_MAX ?? defaultConnectionsMax(),
    // Behind a proxy, all callers have the proxy's address.
    perAddressMax: config.CONNECTIONS_PER_ADDRESS_MAX ?? (config.TRUST_PROXY > 0 ? 0 : perAddressMax),
    report: (counts) => log.warn(counts, 'too many connections: see CONNECTIONS_MAX'),
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: config.PORT, host: config.HOST, backlog }, resolve);
  });
  // Only the metrics on the internal port show it.
  const backups = config.INTERNAL_PORT === undefined ? null : watchBackupAge(database.operations);
  const oldestChange = config.INTERNAL_PORT === undefined ? null : watchOldestChange(database.operations);
  const certificate = config.INTERNAL_PORT === undefined ? null : watchCertificate(config.CERTIFICATE_URL);
  addApiReadings(registry, {
    submitter,
    needs,
    postgresServers: database.servers,
    postgresConnections: database.connectionCounts,
    postgresWaiting: database.waitingCounts,
    listReads: lists.readsBy,
    clockDifferenceSeconds: clock.differenceSeconds,
    connectionCount: connections.count,
    strangersWaiting: strangers.waitingCount,
    ...{ bodyRoom, answers },
    backupAgeSeconds: () => backups?.seconds() ?? {},
    certificateLeftSeconds: () => certificate?.seconds() ?? {},
    changesAwaited: feed.waitingCount,
    oldestChangeSeconds: () => oldestChange?.seconds() ?? 0,
  });
  let statusPage: StatusPage | undefined;
  if (config.INTERNAL_PORT !== undefined)
    statusPage = startStatusPage(registry, database, () => needs.sight().seen);
  const internal = await serveInternal(config, {
    checkReady: () => readiness({ authentication, submitter, needs, clock, isDraining: () => draining }),
    metrics: registry,
    whyNotAccepting: () => (draining ? 'stopping' : needs.awaitsWorker() ? 'no worker was seen yet' : null),
    pages: statusPage?.pages,
  });
  const { port } = server.address() as AddressInfo;
  log.info({ port, internalPort: internal?.port ?? null }, 'api is up');
  return {
    port,
    internalPort: internal?.port,
    async stop() {
      // From now on every answer closes its connection. After that, the idle connections can be closed
      // without cutting off a request.
      draining = true;
      // Who waits for changes is answered now, and goes to another process.
      feed.stop();
      rights.stop();
      await setTimeout(config.DRAIN_MS);
      connections.drain();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await closed;
      needs.stop();
      await submitter.close();
      keys.stop();
      statusPage?.stop();
      backups?.stop();
      certificate?.stop();
      oldestChange?.stop();
      await internal?.close();
      clock.stop();
      redis.disconnect();
      await database.end();
      await tracing?.end();
      folded.end();
    },
  };
}
