import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Connection, type ConnectionLimits, createConnection } from './connection.ts';
import type { Refused } from './errors.ts';
import { refusalOfParser } from './malformed.ts';

export type ConnectionsOptions = {
  limits: ConnectionLimits;
  /** Connections of all callers together. */
  connectionsMax: number;
  /**
   * Connections from one address, an IPv6 network of 64 bits being one; 0: as many as there may be in all.
   */
  perAddressMax: number;
  checkEveryMs: number;
  handle: RequestListener;
  bytesOf: (refusal: Refused) => string;
  /** Told now and then of connections that were closed, or not taken, because there were too many. */
  report: (counts: { closed: number; refused: number }) => void;
};

export type Connections = {
  count(): number;
  /** From now on no next request is waited for. */
  drain(): void;
};

const reportEveryChecks = 60;

/**
 * Takes over the requests and the errors of a server, so that no caller keeps others out by connections that
 * it holds, by requests that it sends without end, or by answers that it does not read.
 */
export function guardConnections(server: Server, options: ConnectionsOptions): Connections {
  // The one that rests for longest comes first.
  const connections = new Map<Socket, Connection>();
  const networks = new Map<string, number>();
  const networkOfSocket = new WeakMap<Socket, string>();
  const counts = { closed: 0, refused: 0 };
  let checks = 0;
  let reportedAt = -reportEveryChecks;
  let drainedAt: number | null = null;

  function forget(socket: Socket) {
    if (!connections.delete(socket)) return;
    const network = networkOfSocket.get(socket)!;
    const left = networks.get(network)! - 1;
    if (left === 0) networks.delete(network);
    else networks.set(network, left);
  }

  /** Closes the connection that has rested for longest, of one network or of all; false when none rests. */
  function makeRoom(network: string | null): boolean {
    for (const [socket, connection] of connections) {
      if (network !== null && networkOfSocket.get(socket) !== network) continue;
      if (!connection.isResting()) continue;
      counts.closed += 1;
      forget(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  function isRoom(network: string): boolean {
    const { perAddressMax, connectionsMax } = options;
    if (perAddressMax > 0 && (networks.get(network) ?? 0) >= perAddressMax) return makeRoom(network);
    return connections.size < connectionsMax || makeRoom(null);
  }

  function check() {
    checks += 1;
    for (const connection of [...connections.values()]) connection.check(drainedAt);
    if (counts.closed + counts.refused === 0 || checks - reportedAt < reportEveryChecks) return;
    options.report({ ...counts });
    counts.closed = 0;
    counts.refused = 0;
    reportedAt = checks;
  }

  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '');
    if (!isRoom(network)) {
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
    connections.set(
      socket,
      createConnection(socket, { limits, handle, bytesOf, onResting, now: () => checks }),
    );
    networks.set(network, (networks.get(network) ?? 0) + 1);
    networkOfSocket.set(socket, network);
    socket.once('close', () => forget(socket));
  });

  const take: RequestListener = (request, response) =>
    connections.get(request.socket)?.take(request, response);
  server.on('request', take);
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
    drain() {
      drainedAt ??= checks;
    },
  };
}

/** What counts as one address: whoever has an IPv6 address has 2^64 of them. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%')[0]!;
  if (!plain.includes(':')) return plain;
  const [left = [], right = []] = plain
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = plain.includes('::') ? new Array<string>(8 - left.length - right.length).fill('0') : [];
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
