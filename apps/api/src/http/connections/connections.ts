import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { lookEvery } from '@inventory/process/look-every';
import type { Refused } from '../errors.ts';
import type { Standing } from './caller-standing.ts';
import { Connection, type ConnectionLimits } from './connection.ts';
import { joinChunks } from './join-chunks.ts';
import { refusalOfParser, withoutAuthority } from './malformed-http.ts';
import { networkOf } from './network.ts';
import { StrangerCounts } from './stranger-counts.ts';

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
  const guard = new Guard(options);
  server.on('connection', (socket: Socket) => guard.accept(socket));
  handOver(server, guard.connections);
  const stopChecking = lookEvery(options.checkEveryMs, () => guard.check());
  server.once('close', stopChecking);
  return {
    count: () => guard.connections.size,
    // A closed server no longer enforces Node's timeouts for heads and requests.
    drain: () => void setTimeout(() => guard.leaveAll(), options.leaveWithinMs).unref(),
  };
}

/** Decides which connections are kept. */
class Guard {
  // Longest idle first.
  readonly connections = new Map<Socket, Connection>();
  readonly #options: ConnectionsOptions;
  readonly #strangers: StrangerCounts;
  readonly #counts = { closed: 0, refused: 0 };
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionsOptions) {
    const { standing, perAddressMax } = options;
    this.#options = options;
    this.#strangers = new StrangerCounts(standing, perAddressMax);
    standing.whenKnown((socket) => {
      if (this.connections.has(socket)) this.#strangers.remove(socket);
    });
  }

  /** Keeps a new connection if there is room. */
  accept(socket: Socket): void {
    const network = networkOf(socket.remoteAddress ?? '');
    if (!this.#isRoom()) {
      this.#counts.refused += 1;
      socket.destroy();
      return;
    }
    const onResting = () => {
      const connection = this.connections.get(socket);
      if (connection === undefined) return;
      this.connections.delete(socket);
      this.connections.set(socket, connection);
    };
    const { limits, handle, bytesOf } = this.#options;
    this.connections.set(socket, new Connection(socket, { limits, handle, bytesOf, onResting }));
    this.#strangers.add(socket, network);
    socket.once('close', () => this.#forget(socket));
  }

  /** Closes connections that are too many or idle for too long, and reports those that were closed. */
  check(): void {
    this.#closeCrowds();
    this.#closeIdle();
    const counts = this.#counts;
    const now = performance.now();
    if (counts.closed + counts.refused === 0 || now - this.#reportedAt < reportEveryMs) return;
    this.#options.report({ ...counts });
    counts.closed = 0;
    counts.refused = 0;
    this.#reportedAt = now;
  }

  leaveAll(): void {
    for (const connection of this.connections.values()) connection.leave();
  }

  #forget(socket: Socket) {
    if (!this.connections.delete(socket)) return;
    if (this.#strangers.isStranger(socket)) this.#strangers.remove(socket);
  }

  #closeFor(socket: Socket) {
    this.#counts.closed += 1;
    this.#forget(socket);
    socket.destroy();
  }

  /** Evicts from crowded addresses first, then strangers, then any idle connection. */
  #isRoom(): boolean {
    if (this.connections.size < this.#options.connectionsMax) return true;
    return (
      this.#close((socket) => this.#strangers.has(socket)) ||
      this.#close((socket) => this.#strangers.isStranger(socket)) ||
      this.#close(() => true)
    );
  }

  /** Evicts the longest idle connection that `may` be closed; false if there is none. */
  #close(may: (socket: Socket) => boolean): boolean {
    const { standing } = this.#options;
    for (const [socket, connection] of this.connections) {
      // A stranger's delayed answer costs no work, so its connection counts as idle.
      const isDelayed = this.#strangers.isStranger(socket) && standing.isWaiting(socket);
      const isIdle = connection.isResting() || isDelayed || standing.isIdling(socket);
      if (!isIdle || !may(socket)) continue;
      this.#closeFor(socket);
      return true;
    }
    return false;
  }

  /**
   * Closes an address's surplus connections, but only those that had time to show a token: when a whole fleet
   * connects at once, none of its scanners is known yet.
   */
  #closeCrowds() {
    for (const [socket, connection] of this.connections) {
      if (this.#strangers.has(socket) && connection.hasRested(this.#options.showsWithinMs))
        this.#closeFor(socket);
    }
  }

  /**
   * Ends connections on which no request comes. Node's own timer begins again with each line break that a
   * peer sends before a request.
   */
  #closeIdle() {
    const { idleMs } = this.#options;
    if (idleMs === 0) return;
    for (const connection of this.connections.values()) {
      if (connection.hasIdled(idleMs)) connection.leave();
    }
  }
}

/** Hands the requests and errors of a server to its connections. */
function handOver(server: Server, connections: ReadonlyMap<Socket, Connection>): void {
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
}
