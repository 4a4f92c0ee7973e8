import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Refused } from '../errors.ts';
import { breakBody } from './broken-body.ts';
import { tooSlow } from './malformed-http.ts';

/** Limits on pipelining, and on lingering after the last byte. */
export type ConnectionLimits = {
  /**
   * The most unanswered requests on a connection; beyond this, it is cut. Proxies and browsers do not
   * pipeline.
   */
  pipelinedMax: number;
  /** How long to wait for the peer to close after our last byte: while it is silent, and at most. */
  lingerMs: number;
  lingerMaxMs: number;
};

type Exchange = { request: IncomingMessage; response: ServerResponse };

export type ConnectionOptions = {
  limits: ConnectionLimits;
  handle: RequestListener;
  /** Returns a refusal as raw HTTP, for when there is no request to answer. */
  bytesOf: (refusal: Refused) => string;
  /** Called when the connection becomes idle again. */
  onResting: () => void;
};

/** A caller's connection. It handles pipelined requests one at a time, and closes without losing answers. */
export type Connection = ReturnType<typeof createConnection>;

export function createConnection(socket: Socket, options: ConnectionOptions) {
  const { limits } = options;
  const waiting: Exchange[] = [];
  let current: Exchange | null = null;
  let last: Exchange | null = null;
  let afterwards: Refused | null = null;
  let isEnding = false;
  let since = performance.now();

  /** Drops further input: Node's parser would queue every request and report every error again. */
  function stopReading() {
    socket.removeAllListeners('data');
    socket.on('data', () => {});
    socket.resume();
  }

  /**
   * Sends the refusal, if any, half-closes, and lingers until the peer closes. If we closed while the peer
   * still sends, the reset could cost it the answer.
   */
  function end(refusal: Refused | null) {
    if (isEnding) return;
    isEnding = true;
    stopReading();
    socket.end(refusal === null ? '' : options.bytesOf(refusal), () => {
      // Node destroys the socket on this timeout.
      socket.setTimeout(limits.lingerMs);
      const timer = setTimeout(() => socket.destroy(), limits.lingerMaxMs);
      socket.once('close', () => clearTimeout(timer));
    });
  }

  // One at a time: Node does not tell a response that is queued behind another that its caller has gone.
  function begin(exchange: Exchange) {
    current = exchange;
    exchange.response.once('close', endTurn);
    options.handle(exchange.request, exchange.response);
  }

  function endTurn() {
    const next = waiting.shift();
    if (next !== undefined) {
      // Yields first, so that a pipelining caller does not hold the event loop.
      setImmediate(() => socket.writable && begin(next));
      return;
    }
    current = null;
    since = performance.now();
    options.onResting();
    if (afterwards !== null) end(afterwards);
  }

  // Node calls this after the last answer. Its own version would cut off a caller that still sends.
  socket.destroySoon = () => end(null);
  // Node removes its own listener when the caller asks for another protocol.
  socket.on('error', () => {});

  /** Whether we only wait for the peer: it is idle, still sends a body, or does not read its answer. */
  function isResting(): boolean {
    return current === null || last?.request.complete === false || socket.writableLength > 0;
  }

  /**
   * Refuses input that cannot be parsed or did not come in time. If it is part of a request, the refusal
   * answers that request; otherwise it stands alone.
   */
  function refuse(refusal: Refused) {
    if (isEnding) return;
    const isPart = last?.request.complete === false;
    if (current === null) end(isPart ? null : refusal);
    else if (isPart) {
      if (!last!.response.headersSent) last!.response.setHeader('Connection', 'close');
      breakBody(last!.request, refusal);
    } else {
      // After the answers that are due, or the caller would take it for one of them.
      afterwards ??= refusal;
      stopReading();
    }
  }

  return {
    /** Takes a request that Node has parsed. */
    take(request: IncomingMessage, response: ServerResponse): void {
      // Node had parsed this one together with the last request that we answer.
      if (isEnding) return;
      last = { request, response };
      if (current === null) begin(last);
      else if (waiting.push(last) >= limits.pipelinedMax) socket.destroy();
    },

    refuse,

    /** Closes an idle connection, and gives up on a body that is still arriving. */
    leave(): void {
      if (current === null) end(null);
      else if (last?.request.complete === false) refuse(tooSlow);
    },

    /** Whether no request has come for at least `ms`, whatever else the peer has sent. */
    hasIdled: (ms: number) => current === null && performance.now() - since >= ms,

    /** Whether it has waited for the peer for at least `ms`. */
    hasRested: (ms: number) => isResting() && performance.now() - since >= ms,
    isResting,
  };
}
