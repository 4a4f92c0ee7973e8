import type { AddressInfo } from 'node:net';
import { createApp } from '@inventory/api/app';
import { openDatabase } from '@inventory/api/database';
import { createAuthenticator } from '@inventory/api/http/callers/authenticator';
import { createGuessLimiter } from '@inventory/api/http/callers/guess-limit';
import { createStrangers } from '@inventory/api/http/callers/strangers';
import { createStanding } from '@inventory/api/http/connections/caller-standing';
import { createBodyRoom } from '@inventory/api/http/reading/body-room';
import { createRequestLog } from '@inventory/api/http/request-log';
import { createUnreadAnswers } from '@inventory/api/http/unread-answers';
import { createApiMetrics } from '@inventory/api/metrics';
import { inventoryRoutes } from '@inventory/api/routes/inventory';
import { createTokenHandler } from '@inventory/api/routes/token';
import { createRateLimiter } from '@inventory/auth/rate-limit';
import { connect } from '@inventory/postgres/pool';
import { createFoldedLog } from '@inventory/process/log/folded-log';
import { createLog } from '@inventory/process/log/log';
import { createMetrics } from '@inventory/process/telemetry/metrics';
import { connectProducer } from '@inventory/redis/redis';
import { createPlainStock } from './plain-stock.ts';

// The api with the plain way of writing: the very same checks, another Stock.
const { DATABASE_URL = '', REDIS_URL = '', QUEUE_PREFIX = '' } = process.env;
const sql = connect(DATABASE_URL, { name: 'bench-api', connectionsMax: 20 });
const database = openDatabase(DATABASE_URL, 10);
const { authentication } = database;
const redis = connectProducer(REDIS_URL, () => {});
const authenticator = await createAuthenticator(
  authentication,
  Date.now,
  createLog('bench'),
  async () => false,
);
const log = createLog('bench');
const config = {
  RATE_LIMIT: 100,
  TRUST_PROXY: 0,
  CORS_ORIGINS: [],
  CONSOLE: 'false',
  ACCESS_LOG: 'off',
} as const;
const app = createApp(config, {
  routes: inventoryRoutes(database, createPlainStock(sql)),
  token: createTokenHandler(authentication, authenticator, createGuessLimiter(redis, QUEUE_PREFIX)),
  http: {
    authenticator,
    rateLimiter: createRateLimiter(redis, { prefix: QUEUE_PREFIX, what: 'requests' }),
    strangers: createStrangers(() => false, createStanding()),
    bodyRoom: createBodyRoom(),
    answers: createUnreadAnswers(),
    isDraining: () => false,
  },
  requestLog: createRequestLog(config, { log, folded: createFoldedLog(log) }, { whyNoAnswer: () => null }),
  metrics: createApiMetrics(createMetrics()),
  reporting: { log, tracing: null },
});
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ msg: 'server is up', port })}\n`);
});
