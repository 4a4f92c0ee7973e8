import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { lookEvery } from '@inventory/process/look-every';
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
   * Connections from one address (an IPv4 address or an IPv6 /64) that have brought no right token or secret;
   * 0: no limit. A connection gets `showsWithinMs` to bring one before it counts as too many.
   */
  perAddressMax: number;
  showsWithinMs: number;
  leaveWithinMs: number;
  /** How long a connection waits for its next request; 0: no limit. */
  idleMs: number;
  standing: Standing;
  checkEveryMs: number;
  handle: RequestListener;
  bytesOf: (refusal: Refused) => string;
  /** Called at most once a minute with the connections that were closed or refused as too many. */
  report: (counts: { closed: number; refused: number }) => void;
};

export type Connections = {
  count(): number;
  /** For shutdown: after `leaveWithinMs`, ends the connections that still wait for their peer. */
  drain(): void;
};

const reportEveryMs = 60_000;

/**
 * Takes over a server's requests and errors, and limits its connections so that the callers of one address
 * cannot keep others out.
 */
export function guardConnections(server: Server, options: ConnectionsOptions): Connections {
  // Longest idle first.
  const connections = new Map<Socket, Connection>();
  /** How many connections of strangers each address has. */
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

  /** Evicts the longest idle connection that `may` be closed; false if there is none. */
  function close(may: (socket: Socket) => boolean): boolean {
    for (const [socket, connection] of connections) {
      const { standing } = options;
      // A stranger's delayed answer costs no work, so its connection counts as idle.
      const isDelayed = isStranger(socket) && standing.isWaiting(socket);
      const isIdle = connection.isResting() || isDelayed || standing.isIdling(socket);
      if (!isIdle || !may(socket)) continue;
      closeFor(socket);
      return true;
    }
    return false;
  }

  /** Whether the connection is a stranger's, and its address has too many of those. */
  function isOfCrowd(socket: Socket): boolean {
    const { perAddressMax } = options;
    if (perAddressMax === 0 || !isStranger(socket)) return false;
    return strangers.get(networkOfSocket.get(socket)!)! > perAddressMax;
  }

  /**
   * Closes an address's surplus connections, but only those that had time to show a token: when a whole fleet
   * connects at once, none of its scanners is known yet.
   */
  function closeCrowds() {
    for (const [socket, connection] of connections) {
      if (isOfCrowd(socket) && connection.hasRested(options.showsWithinMs)) closeFor(socket);
    }
  }

  /**
   * Ends connections on which no request comes. Node's own timer begins again with each line break that a
   * peer sends before a request.
   */
  function closeIdle() {
    if (options.idleMs === 0) return;
    for (const connection of connections.values()) {
      if (connection.hasIdled(options.idleMs)) connection.leave();
    }
  }

  function leaveAll() {
    for (const connection of connections.values()) connection.leave();
  }

  /** Evicts from crowded addresses first, then strangers, then any idle connection. */
  function isRoom(): boolean {
    if (connections.size < options.connectionsMax) return true;
    return close(isOfCrowd) || close(isStranger) || close(() => true);
  }

  function check() {
    closeCrowds();
    closeIdle();
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
  // Node would send 100 Continue before the body is wanted; see `askForBody`.
  server.on('checkContinue', take);
  // Unknown expectations are ignored, as HTTP allows. Node would answer 417 without a body.
  server.on('checkExpectation', take);
  const refuse = (socket: Socket, code: string) => {
    const connection = connections.get(socket);
    const isOfParser = /^(HPE_|ERR_HTTP_)/.test(code);
    // Any other error is the network's: the peer is gone.
    if (connection === undefined || !isOfParser) socket.destroy();
    else connection.refuse(refusalOfParser(code));
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuse(socket as Socket, error.code ?? ''),
  );
  // This service is no proxy.
  server.on('connect', (_request, socket) => refuse(socket as Socket, 'HPE_INVALID_METHOD'));

  const stopChecking = lookEvery(options.checkEveryMs, check);
  server.once('close', stopChecking);
  return {
    count: () => connections.size,
    // A closed server no longer enforces Node's timeouts for heads and requests.
    drain: () => void setTimeout(leaveAll, options.leaveWithinMs).unref(),
  };
}
