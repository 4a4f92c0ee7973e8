import { createServer, type RequestListener, type Server } from 'node:http';
import { type Connections, type ConnectionsOptions, guardConnections } from './connections.ts';
import { answerBytes } from './malformed-http.ts';

/** The times that a server allows its callers. */
export type Times = {
  /** For a head, from the start of the connection or its first byte. */
  headMs: number;
  /** For a whole request, from its first byte. */
  requestMs: number;
  /** For the next request: longer than proxies keep an idle connection, so that they, not we, end it. */
  idleMs: number;
  /** Between two pieces of an answer that the other side takes, and for all that a request waits for. */
  silentMs: number;
};

export const defaultTimes: Times = { headMs: 10_000, requestMs: 15_000, idleMs: 65_000, silentMs: 30_000 };
const defaultLimits: ConnectionsOptions['limits'] = {
  pipelinedMax: 32,
  lingerMs: 2000,
  lingerMaxMs: 10_000,
};
// Enough to connect, to be told that a token has ended, and to get another one, while a whole fleet does.
const showsWithinMs = 5000;
const checkEveryMs = 1000;

type HttpServerOptions = Pick<
  ConnectionsOptions,
  'connectionsMax' | 'perAddressMax' | 'standing' | 'report'
> &
  Partial<Pick<ConnectionsOptions, 'limits' | 'showsWithinMs' | 'checkEveryMs'>> & {
    /** X-API-Version of the answers that no handler gives. */
    version: string;
    times?: Times;
  };

/** A server of HTTP; see `guardConnections`. Not listening yet. Node itself keeps the times. */
export function createHttpServer(
  handle: RequestListener,
  { version, times = defaultTimes, ...options }: HttpServerOptions,
): { server: Server; connections: Connections } {
  const server = createServer({
    headersTimeout: times.headMs,
    requestTimeout: times.requestMs,
    keepAliveTimeout: times.idleMs,
    connectionsCheckingInterval: options.checkEveryMs ?? checkEveryMs,
    maxHeaderSize: 16 * 1024,
    requireHostHeader: false,
  });
  server.timeout = times.silentMs;
  // All that fit: Node drops those beyond a number without a word.
  server.maxHeadersCount = 0;
  const connections = guardConnections(server, {
    limits: defaultLimits,
    ...{ showsWithinMs, checkEveryMs },
    ...options,
    leaveWithinMs: times.headMs,
    handle,
    bytesOf: (refusal) => answerBytes(refusal, version),
  });
  return { server, connections };
}
