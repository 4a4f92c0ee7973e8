import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { addCount } from '../../turns/add-count.ts';
import type { Refused } from '../errors.ts';
import { type Connection, type ConnectionLimits, createConnection } from './connection.ts';
import { joinChunks } from './join-chunks.ts';
import { refusalOfParser, withoutAuthority } from './malformed-http.ts';
import { networkOf } from './network.ts';
import type { Standing } from './standing.ts';

export type ConnectionsOptions = {
  limits: ConnectionLimits;
  /** Connections of all callers together. */
  connectionsMax: number;
  /**
   * Connections from one address on which no right token or secret came, an IPv6 network of 64 bits being one
   * address; 0: as many as there may be in all. There are more for `showsWithinMs`: of those that have just
   * come nobody knows yet what they bring.
   */
  perAddressMax: number;
  showsWithinMs: number;
  leaveWithinMs: number;
  standing: Standing;
  checkEveryMs: number;
  handle: RequestListener;
  bytesOf: (refusal: Refused) => string;
  /** Told now and then of connections that were closed, or not taken, because there were too many. */
  report: (counts: { closed: number; refused: number }) => void;
};

export type Connections = {
  count(): number;
  /** The server closes: those that still wait for the other side after `leaveWithinMs` are ended. */
  drain(): void;
};

const reportEveryMs = 60_000;

/**
 * Takes over the requests and the errors of a server, so that the callers of one address do not keep others
 * out by the connections that they hold.
 */
export function guardConnections(server: Server, options: ConnectionsOptions): Connections {
  // The one that rests for longest comes first.
  const connections = new Map<Socket, Connection>();
  /** The connections of strangers, by address. */
  const strangers = new Map<string, number>();
  const networkOfSocket = new WeakMap<Socket, string>();
  const counts = { closed: 0, refused: 0 };
  let reportedAt = Number.NEGATIVE_INFINITY;

  function forget(socket: Socket) {
    if (!connections.delete(socket)) return;
    if (isStranger(socket)) addCount(strangers, networkOfSocket.get(socket)!, -1);
  }

  const isStranger = (socket: Socket) => !options.standing.isKnown(socket);
  options.standing.whenKnown((socket) => {
    if (connections.has(socket)) addCount(strangers, networkOfSocket.get(socket)!, -1);
  });

  function closeFor(socket: Socket) {
    counts.closed += 1;
    forget(socket);
    socket.destroy();
  }

  /**
   * Closes the connection that has rested for longest, of those that `may` be closed; false when there is
   * none.
   */
  function close(may: (socket: Socket) => boolean): boolean {
    for (const [socket, connection] of connections) {
      // For a stranger whose answer waits nothing is done either.
      const isIdle = connection.isResting() || (isStranger(socket) && options.standing.isWaiting(socket));
      if (!isIdle || !may(socket)) continue;
      closeFor(socket);
      return true;
    }
    return false;
  }

  /** Whether this is one of more strangers than one address may have. */
  function isOfCrowd(socket: Socket): boolean {
    const { perAddressMax } = options;
    if (perAddressMax === 0 || !isStranger(socket)) return false;
    return strangers.get(networkOfSocket.get(socket)!)! > perAddressMax;
  }

  /**
   * A fleet behind one address is no crowd of strangers: its scanners are known by their tokens. When all of
   * them connect in one moment, each has the time to show its own.
   */
  function closeCrowds() {
    for (const [socket, connection] of connections) {
      if (isOfCrowd(socket) && connection.hasRested(options.showsWithinMs)) closeFor(socket);
    }
  }

  function leaveAll() {
    for (const connection of connections.values()) connection.leave();
  }

  /** Those of crowds make room for all others, then strangers for those that are known. */
  function isRoom(): boolean {
    if (connections.size < options.connectionsMax) return true;
    return close(isOfCrowd) || close(isStranger) || close(() => true);
  }

  function check() {
    closeCrowds();
    const now = performance.now();
    if (counts.closed + counts.refused === 0 || now - reportedAt < reportEveryMs) return;
    options.report({ ...counts });
    counts.closed = 0;
    counts.refused = 0;
    reportedAt = now;
  }

  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '');
    if (!isRoom()) {
      counts.refused += 1;
      socket.destroy();
      return;
    }
    const onResting = () => {
      const connection = connections.get(socket);
      if (connection === undefined) return;
      connections.delete(socket);
      connections.set(socket, connection);
    };
    const { limits, handle, bytesOf } = options;
    connections.set(socket, createConnection(socket, { limits, handle, bytesOf, onResting }));
    networkOfSocket.set(socket, network);
    addCount(strangers, network, 1);
    socket.once('close', () => forget(socket));
  });

  const take: RequestListener = (request, response) => {
    request.url = withoutAuthority(request.url ?? '');
    if (request.headers['transfer-encoding'] !== undefined) joinChunks(request);
    connections.get(request.socket)?.take(request, response);
  };
  server.on('request', take);
  // Node would have the body sent before anybody wants it; see `askForBody`.
  server.on('checkContinue', take);
  // An expectation that is none of HTTP's is ignored, as it may be; Node would answer 417 without a body.
  server.on('checkExpectation', take);
  const refuse = (socket: Socket, code: string) => {
    const connection = connections.get(socket);
    const isOfParser = /^(HPE_|ERR_HTTP_)/.test(code);
    // Other errors are the network's: nobody is there any more.
    if (connection === undefined || !isOfParser) socket.destroy();
    else connection.refuse(refusalOfParser(code));
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuse(socket as Socket, error.code ?? ''),
  );
  // This service is no proxy.
  server.on('connect', (_request, socket) => refuse(socket as Socket, 'HPE_INVALID_METHOD'));

  const timer = setInterval(check, options.checkEveryMs);
  timer.unref();
  server.once('close', () => clearInterval(timer));
  return {
    count: () => connections.size,
    // A server that is closed no longer keeps Node's times of heads and requests.
    drain: () => void setTimeout(leaveAll, options.leaveWithinMs).unref(),
  };
}
