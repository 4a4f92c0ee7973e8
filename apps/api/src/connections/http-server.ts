import { createServer, type RequestListener, type Server } from 'node:http';
import { type Connections, type ConnectionsOptions, guardConnections } from './connections.ts';
import { answerBytes } from './malformed-http.ts';

// Longer than the idle time of the proxies before us, so that they, not we, end a connection.
const keepAliveMs = 65_000;
const headMs = 10_000;
const checkEveryMs = 1000;

/** For checks of a second each. */
export const defaultLimits: ConnectionsOptions['limits'] = {
  headChecks: 11,
  nextHeadChecks: 76,
  bodyChecks: 10,
  unreadChecks: 30,
  // A little more than a streamed list may take, which ends by itself.
  takingChecks: 65,
  lingerChecks: 2,
  requestsMax: 10_000,
  pipelinedMax: 32,
};

type HttpServerOptions = Pick<
  ConnectionsOptions,
  'connectionsMax' | 'perAddressMax' | 'standing' | 'report'
> & {
  /** X-API-Version of the answers that no handler gives. */
  version: string;
  limits?: ConnectionsOptions['limits'];
  checkEveryMs?: number;
};

/**
 * A server of HTTP whose callers cannot get into each other's way; see `guardConnections`. Not listening yet.
 */
export function createHttpServer(
  handle: RequestListener,
  { version, limits = defaultLimits, ...options }: HttpServerOptions,
): { server: Server; connections: Connections } {
  const server = createServer({
    // Counted from the first byte of a request; Node does not count the silence before it.
    headersTimeout: headMs,
    requestTimeout: 15_000,
    connectionsCheckingInterval: checkEveryMs,
    maxHeaderSize: 16 * 1024,
    requireHostHeader: false,
  });
  server.keepAliveTimeout = keepAliveMs;
  // All that fit: Node drops those beyond a number without a word.
  server.maxHeadersCount = 0;
  const connections = guardConnections(server, {
    checkEveryMs,
    ...options,
    limits,
    handle,
    bytesOf: (refusal) => answerBytes(refusal, version),
  });
  return { server, connections };
}
