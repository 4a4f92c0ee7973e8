import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Client } from '@inventory/auth/client';
import { isStatementTimeout, isUnanswered } from '@inventory/postgres/pool';
import type { Log } from '@inventory/process/log/log';
import type { Reporting } from '@inventory/process/reporting';
import type { Tracing } from '@inventory/process/telemetry/tracing';
import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { apiVersion } from './http/api-version.ts';
import { callerAddress } from './http/connections/caller-address.ts';
import { malformationOf } from './http/connections/malformed-http.ts';
import { leavesMuch } from './http/connections/unread-body.ts';
import { allowOrigins } from './http/cors.ts';
import {
  batchErrorText,
  errorText,
  Failed,
  messages,
  methodRefused,
  Refused,
  unknownOutcome,
  unknownPath,
} from './http/errors.ts';
import type { Http } from './http/http.ts';
import { jsonHeaders, setHeaders } from './http/json-headers.ts';
import { nameLimit, tooMany } from './http/limit-headers.ts';
import { nameRequest } from './http/request-id.ts';
import type { RequestLog } from './http/request-log.ts';
import { callRoute, parseParams, type Reply, type Route } from './http/route.ts';
import type { UnreadAnswers } from './http/unread-answers.ts';
import { sendStream } from './lists/send-stream.ts';
import type { ApiMetrics } from './metrics.ts';
import { openApiText } from './openapi/document.ts';
import { answerHeaders } from './openapi/responses.ts';
import { clientPackageRoute } from './routes/client-package.ts';
import { consoleRoutes, isOfConsole } from './routes/console.ts';
import { docsMethods, docsRoutes, isOfDocs } from './routes/docs.ts';
import { isOtherFamily, otherMethods } from './routes/not-implemented.ts';
import type { TokenReply } from './routes/token.ts';

/** The base path of the contract. */
export const basePath = '/api/v1';
const batchPath = `${basePath}/Inventory/Batch`;

// About 25 lots. Gzip saves seven eighths of the bytes for 0.04 to 0.2 ms of CPU, outside the event loop.
const compressedFromCharacters = 8000;
const compress = promisify(gzip);
// Of a streamed answer: a piece that waits for its reader, and one that is compressed.
const streamBytes = 1024 * 1024;
// nginx would collect events until a buffer is full.
const eventHeaders = { 'X-Accel-Buffering': 'no' };

/** See `apiSettings`. */
export type AppSettings = {
  RATE_LIMIT: number;
  TRUST_PROXY: number;
  CORS_ORIGINS: readonly string[];
  CONSOLE: 'true' | 'false';
};

export type AppParts = {
  routes: readonly Route[];
  token: (ctx: Context) => Promise<TokenReply>;
  http: Omit<Http, 'guesses' | 'standing' | 'drain' | 'listen'>;
  requestLog: RequestLog;
  metrics: ApiMetrics;
  reporting: Pick<Reporting, 'log' | 'tracing'>;
};

/**
 * Creates the app. The middlewares stand in the order in which they run. A middleware that has nothing left
 * to do returns the promise of `next` and does not await it, because each await costs every request.
 */
export function createApp(config: AppSettings, parts: AppParts): Koa {
  const { log, tracing } = parts.reporting;
  const app = new Koa();
  const paths = routeRequests(parts);
  // Replaces Koa's own listener, which prints the stack.
  app.on('error', (error: unknown) => noteLost(log, error));
  if (tracing !== null) app.use(traceRequests(tracing, paths));
  app.use(answerRequests(config, parts, paths));
  app.use(refuseMalformed);
  if (config.CORS_ORIGINS.length > 0) {
    app.use(
      allowOrigins({
        origins: config.CORS_ORIGINS,
        methodsOf: (path) => methodsOf(paths, path),
        answerHeaders,
      }),
    );
  }
  app.use(docsRoutes(basePath, openApiText(parts.routes, basePath), config.TRUST_PROXY));
  app.use(clientPackageRoute(basePath, log));
  if (config.CONSOLE === 'true') app.use(consoleRoutes());
  app.use(tokenRoute(parts));
  app.use(authenticate(parts));
  app.use(limitRate(config, parts));
  app.use(paths.route);
  app.use(refuseUnrouted(paths));
  return app;
}

/**
 * Traces each request. A `traceparent` from the caller becomes a link: callers must not add to our traces or
 * decide which ones are kept.
 */
function traceRequests(tracing: Tracing, paths: Paths) {
  return (ctx: Context, next: Next) => {
    const links = [ctx.get('traceparent')];
    return tracing.span('request', { kind: 'server', isRoot: true, links }, async (span) => {
      await next();
      const { method, status } = ctx;
      const route = ctx.state.template ?? templateOf(ctx, paths);
      span.rename(`${method} ${route}`);
      span.set({
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'inventory.request_id': ctx.response.get('X-Request-Id'),
      });
    });
  };
}

/**
 * Wraps what makes an answer: names it, answers errors, counts, times and logs it, and delays answers to
 * strangers. One middleware for all of it, because each awaits the ones after it in every request.
 */
function answerRequests({ TRUST_PROXY: proxies }: AppSettings, parts: AppParts, paths: Paths) {
  const { isDraining, strangers, answers } = parts.http;
  return async (ctx: Context, next: Next) => {
    ctx.state.arrivedAt = performance.now();
    ctx.state.address = callerAddress(ctx.req, proxies);
    nameAnswer(ctx);
    let failure: { error: unknown } | null = null;
    try {
      await next();
    } catch (error) {
      failure = answerError(ctx, error, parts.metrics);
    }
    noteAnswer(ctx, failure, parts, paths);
    await strangers.slow(ctx);
    if (ctx.state.client !== undefined) watchUnread(ctx, answers);
    // The process is about to stop: callers must connect to another one.
    if (isDraining() || leavesMuch(ctx.req)) ctx.set('Connection', 'close');
  };
}

/** Counts what the socket has not taken of an answer, unless the answer has a space of its own. */
function watchUnread({ req, res, state }: Context, answers: UnreadAnswers) {
  const space = answers.find(res);
  // The answer has been made, unless it is a stream that goes on.
  if (space !== undefined) return space.end();
  res.once('prefinish', () => {
    const unread = req.socket.writableLength;
    if (unread === 0) return;
    const own = answers.spaceOf({ clientId: (state.client as Client).clientId, res });
    own.set(unread);
    own.end();
  });
}

/** Sets the request id (the caller's or our own) and the version on every answer. */
function nameAnswer(ctx: Context) {
  const name = nameRequest(ctx.get('X-Request-Id'));
  ctx.state.name = name;
  setHeaders(ctx, { 'X-Request-Id': name.theirs ?? name.ours, 'X-API-Version': apiVersion });
}

/** Counts, times and logs an answer by the template of its route. */
function noteAnswer(
  ctx: Context,
  failure: { error: unknown } | null,
  { metrics, requestLog }: AppParts,
  paths: Paths,
) {
  const { status, method } = ctx;
  const route = ctx.state.template ?? templateOf(ctx, paths);
  const tookMs = performance.now() - ctx.state.arrivedAt;
  metrics.answered(method, route, status, tookMs - (ctx.state.waitedMs ?? 0));
  // Of a known client, whichever of its limits it was. Wrong secrets are counted as failures of tokens.
  if (status === 429 && ctx.state.client !== undefined) metrics.rateLimited();
  if (failure === null && requestLog.answered === null) return;
  const request = {
    requestId: ctx.response.get('X-Request-Id'),
    ...{ method, route, status },
    client: (ctx.state.client as Client | undefined)?.clientId ?? null,
    waitedMs: Math.round(tookMs),
  };
  if (failure !== null) metrics.failed(requestLog.failed(request, failure.error));
  requestLog.answered?.(request);
}

/** Returns the template of the route that matches a request, or `other` if none does. */
function templateOf(ctx: Context, paths: Paths): string {
  // A malformed target is skipped, because Koa may fail to parse it.
  if (malformationOf(ctx.req) !== null) return 'other';
  if (isOfDocs(belowBase(ctx.path))) return '/docs';
  if (isOfConsole(ctx.path)) return '/console';
  const alike = paths.like(ctx.path);
  const found = alike.find(({ isExact }) => isExact) ?? alike[0];
  return found?.declared.path ?? 'other';
}

/** Returns the path below the base path; empty if it is not below it. */
function belowBase(path: string): string {
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : '';
}

/** Answers a refusal with its code, or a failure without internal details. Returns the error of a failure. */
function answerError(ctx: Context, error: unknown, metrics: ApiMetrics): { error: unknown } | null {
  const failed = error instanceof Refused ? error : failureOf(error, ctx);
  if (failed instanceof Refused) {
    metrics.refused(failed.refusal.code);
    sendJson(ctx, failed.status, errorText(failed.status, failed.refusal), failed.headers);
    return null;
  }
  const { status, message, headers, results } = failed;
  const object = { code: 'internal_error' as const, message };
  const text = results === null ? errorText(status, object) : batchErrorText(status, object, results);
  sendJson(ctx, status, text, headers);
  return { error };
}

/**
 * Logs an error that came after the answer had begun. Usually the caller has disconnected, which is not a
 * failure of the service.
 */
function noteLost(log: Log, error: unknown) {
  const gone = ['ECONNRESET', 'EPIPE', 'ECANCELED', 'ERR_STREAM_PREMATURE_CLOSE'];
  const isGone = gone.includes(String((error as NodeJS.ErrnoException).code));
  log[isGone ? 'debug' : 'error']({ err: error }, 'an answer could not be sent');
}

/**
 * Refuses requests that Node accepts but no route could handle. No middleware before this one may read the
 * target, because Koa may fail to parse it.
 */
function refuseMalformed(ctx: Context, next: Next) {
  const message = malformationOf(ctx.req);
  if (message === null) return next();
  // The next bytes on this connection may not be what the sender thinks they are.
  throw new Refused({ code: 'bad_request', message }, { headers: { Connection: 'close' } });
}

function failureOf(error: unknown, ctx: Context): Failed {
  if (error instanceof Failed) return error;
  if (!isUnanswered(error)) return new Failed(500, messages.internal);
  if (mayBeResent(ctx)) return unknownOutcome();
  return isStatementTimeout(error)
    ? new Failed(503, messages.unavailable, { 'Retry-After': '5' })
    : new Failed(503, messages.unreachable, { 'Retry-After': '1' });
}

/**
 * Whether a request may repeat one that was applied. Nothing was sent for it, for example because its client
 * could not be read, but nothing has looked up its key either, so its outcome is unknown. The keys of a batch
 * are in its body, and only its route knows them.
 */
function mayBeResent(ctx: Context): boolean {
  if (ctx.method !== 'POST') return false;
  return ctx.get('Idempotency-Key') !== '' || (ctx.path === batchPath && ctx.state.isHandled !== true);
}

function tokenRoute({ token, metrics }: AppParts) {
  async function answer(ctx: Context) {
    if (ctx.method !== 'POST') throw methodRefused('POST');
    ctx.state.template = '/Token';
    const { status, text, headers, why } = await token(ctx);
    if (why !== undefined) metrics.tokenFailed(why);
    sendJson(ctx, status, text, headers);
  }
  return (ctx: Context, next: Next) => (ctx.path === `${basePath}/Token` ? answer(ctx) : next());
}

function authenticate({ http: { authenticator, strangers }, metrics }: AppParts) {
  return async (ctx: Context, next: Next) => {
    if (!ctx.path.startsWith(`${basePath}/`)) throw unknownPath();
    const header = ctx.get('Authorization');
    const token = /^Bearer +([^\s]+)$/i.exec(header)?.[1];
    const caller = {
      address: ctx.state.address as string,
      hasGone() {
        return ctx.req.socket.destroyed;
      },
    };
    const find = async () => {
      const client = token === undefined ? null : await authenticator.authenticate(token, caller);
      if (client !== null) return client;
      if (token !== undefined) metrics.tokenFailed('invalid_token');
      const challenge = header === '' ? 'Bearer' : 'Bearer error="invalid_token"';
      const message =
        header === '' ? 'Authentication is required.' : 'The access token is invalid or expired.';
      throw new Refused({ code: 'unauthorized', message }, { headers: { 'WWW-Authenticate': challenge } });
    };
    ctx.state.client = await find();
    ctx.state.authenticate = find;
    strangers.noteKnown(ctx);
    return next();
  };
}

function limitRate({ RATE_LIMIT: rateLimit }: AppSettings, { http: { rateLimiter } }: AppParts) {
  return async (ctx: Context, next: Next) => {
    const client = ctx.state.client as Client;
    const verdict = await rateLimiter.take(client.clientId, client.rateLimit ?? rateLimit);
    nameLimit(ctx, 'default', verdict);
    if (verdict.allowed) return next();
    const answer = tooMany(`Rate limit exceeded: ${verdict.limit} requests per minute.`, verdict);
    sendJson(ctx, answer.status, answer.text, answer.headers);
  };
}

/** A route whose path matches the path of a request, whatever the method. */
type Like = {
  declared: Route;
  isExact: boolean;
  params: Record<string, string>;
};
type Layer = ReturnType<Router['match']>['path'][number];
type Paths = { route: Koa.Middleware; like: (path: string) => Like[] };

/** Routes requests. `like`: the routes whose paths match a path, in any method. */
function routeRequests({ routes, http: { bodyRoom, answers } }: AppParts): Paths {
  const router = new Router({ prefix: basePath, sensitive: true, strict: true });
  const layers = new Map<unknown, Route>();
  // Those without a parameter are found by their text.
  const plain = new Map<string, Like[]>();
  const plainPaths = new Set<string>();
  for (const declared of routes) {
    const { path, method } = declared;
    // The router only matches: as a middleware it would compose others in every request.
    layers.set(router.register(path, [method], []), declared);
    if (path.includes(':')) continue;
    plain.set(`${method} ${basePath}${path}`, [{ declared, isExact: true, params: {} }]);
    plainPaths.add(`${basePath}${path}`);
  }
  const likeOf =
    (path: string) =>
    (layer: Layer): Like => ({
      declared: layers.get(layer)!,
      isExact: layer.path === path,
      params: layer.params(path, layer.captures(path)),
    });
  return {
    async route(ctx, next) {
      ctx.state.bodyRoom = bodyRoom;
      ctx.state.answers = answers;
      const { path, method } = ctx;
      const found =
        plain.get(`${method} ${path}`) ?? router.match(path, method).pathAndMethod.map(likeOf(path));
      for (const { declared, isExact, params } of found) {
        // `GET /Inventory/Receive` has the wrong method. It must not meet the rights for a warehouse's lots.
        if (!isExact && plainPaths.has(path) && parseParams(declared, path, params) === null) continue;
        ctx.state.template = declared.path;
        const reply = await callRoute(declared, ctx, params, ctx.state.client);
        if (reply !== null) return sendReply(ctx, reply, answers);
      }
      return next();
    },
    like: (path) => router.match(path, '').path.map(likeOf(path)),
  };
}

/**
 * Refuses a request that no route has answered: the path is unknown, belongs to another family, or has no
 * such method.
 */
function refuseUnrouted(paths: Paths) {
  return async (ctx: Context) => {
    if (isOtherFamily(belowBase(ctx.path))) {
      throw new Refused({ code: 'not_implemented', message: 'This operation is not available.' });
    }
    const methods = routedMethods(paths, ctx.path, ctx.method);
    if (methods.size === 0 || methods.has(ctx.method)) throw unknownPath();
    throw methodRefused([...methods].join(', '));
  };
}

/**
 * Returns the methods that the routes have for a path. `method`: that of the request, which counts even if
 * the path's parameters do not fit, so that the answer is 404 and not 405.
 */
function routedMethods(paths: Paths, path: string, method?: string): Set<string> {
  const alike = paths.like(path);
  // An exact match comes first: `GET /Inventory/Receive` has the wrong method, it does not ask for a
  // warehouse of that name. But `DELETE /Item/All` deletes the item of that name.
  const hasExact = alike.some(({ isExact }) => isExact);
  const known = alike.filter(({ declared, params }) => {
    if (parseParams(declared, path, params) !== null) return true;
    // A path that does not fit has no other methods: `DELETE /Item/%00` asks for an item that cannot exist.
    return !hasExact && (declared.misfit !== undefined || declared.method === method);
  });
  const methods = new Set<string>(known.map(({ declared }) => declared.method));
  if (methods.has('GET')) methods.add('HEAD');
  return methods;
}

/** Returns the methods for any path of the service. */
function methodsOf(paths: Paths, fullPath: string): readonly string[] {
  const path = belowBase(fullPath);
  if (path === '/Token') return ['POST'];
  if (isOfDocs(path)) return docsMethods;
  if (isOtherFamily(path)) return otherMethods;
  const methods = [...routedMethods(paths, fullPath)];
  if (methods.length === 0) throw unknownPath();
  return methods;
}

async function sendReply(
  ctx: Context,
  { status, headers = {}, waitedMs, ...reply }: Reply,
  answers: UnreadAnswers,
) {
  ctx.state.waitedMs = waitedMs;
  if ('events' in reply) {
    beginJson(ctx, status, { ...headers, ...eventHeaders });
    ctx.type = 'text/event-stream';
    ctx.body = reply.events;
    return;
  }
  if ('stream' in reply) {
    beginJson(ctx, status, headers);
    sendStream(ctx, reply.stream);
    answers.find(ctx.res)?.set(streamBytes);
    return;
  }
  const { text } = reply;
  if (text.length < compressedFromCharacters) {
    sendJson(ctx, status, text, headers);
    answers.find(ctx.res)?.set(0);
    return;
  }
  beginJson(ctx, status, headers);
  ctx.vary('Accept-Encoding');
  const isZipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isZipped) ctx.set('Content-Encoding', 'gzip');
  // As bytes, or it would be in memory twice until it is read.
  const bytes = isZipped ? await zip(text) : typeof text === 'string' ? Buffer.from(text) : text;
  ctx.body = bytes;
  answers.spaceOf({ clientId: ctx.state.client.clientId, res: ctx.res }).set(bytes);
}

const zipped = new WeakMap<Buffer, Promise<Buffer>>();

/** Compresses a text. Bytes that several answers share are compressed once. */
function zip(text: string | Buffer): Promise<Buffer> {
  if (typeof text === 'string') return compress(text, { level: 1 });
  const found = zipped.get(text);
  if (found !== undefined) return found;
  const made = compress(text, { level: 1 });
  zipped.set(text, made);
  made.catch(() => zipped.delete(text));
  return made;
}

function sendJson(ctx: Context, status: number, text: string | Buffer, headers: Record<string, string>) {
  beginJson(ctx, status, headers);
  ctx.body = text;
}

/** Sets status and headers of a JSON answer. */
function beginJson(ctx: Context, status: number, headers: Record<string, string>) {
  ctx.status = status;
  setHeaders(ctx, jsonHeaders);
  setHeaders(ctx, headers);
}
