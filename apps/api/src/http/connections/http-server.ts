import { createServer, type RequestListener, type Server } from 'node:http';
import { type Connections, type ConnectionsOptions, guardConnections } from './connections.ts';
import { answerBytes } from './malformed-http.ts';

/** A server's timeouts for its callers. */
export type Times = {
  /** For a request's head, from the start of the connection or the head's first byte. */
  headMs: number;
  /** For a whole request, from its first byte. */
  requestMs: number;
  /** Keep-alive: longer than proxies keep idle connections, so that they close them, not we. */
  idleMs: number;
  /** Socket inactivity: while a caller takes nothing of its answer, or a request waits for one. */
  silentMs: number;
};

export const defaultTimes: Times = { headMs: 10_000, requestMs: 15_000, idleMs: 65_000, silentMs: 30_000 };
export const defaultLimits: ConnectionsOptions['limits'] = {
  pipelinedMax: 32,
  lingerMs: 2000,
  lingerMaxMs: 10_000,
};
/** A larger head is refused. */
export const headBytesMax = 16 * 1024;
// Enough for a scanner to learn that its token has expired and to get a new one while a whole fleet does.
const showsWithinMs = 5000;
const checkEveryMs = 1000;

type HttpServerOptions = Pick<
  ConnectionsOptions,
  'connectionsMax' | 'perAddressMax' | 'standing' | 'report'
> &
  Partial<Pick<ConnectionsOptions, 'limits' | 'showsWithinMs' | 'checkEveryMs'>> & {
    /** The X-API-Version of answers that no handler makes. */
    version: string;
    times?: Times;
  };

/** Creates an HTTP server that does not listen yet; see `guardConnections`. Node enforces the timeouts. */
export function createHttpServer(
  handle: RequestListener,
  { version, times = defaultTimes, ...options }: HttpServerOptions,
): { server: Server; connections: Connections } {
  const server = createServer({
    headersTimeout: times.headMs,
    requestTimeout: times.requestMs,
    keepAliveTimeout: times.idleMs,
    connectionsCheckingInterval: options.checkEveryMs ?? checkEveryMs,
    maxHeaderSize: headBytesMax,
    requireHostHeader: false,
  });
  server.timeout = times.silentMs;
  // `maxHeaderSize` is the only limit: Node silently drops headers beyond a count.
  server.maxHeadersCount = 0;
  const connections = guardConnections(server, {
    limits: defaultLimits,
    ...{ showsWithinMs, checkEveryMs },
    ...options,
    leaveWithinMs: times.headMs,
    idleMs: times.idleMs,
    handle,
    bytesOf: (refusal) => answerBytes(refusal, version),
  });
  return { server, connections };
}
