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
export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #waiting: Exchange[] = [];
  #current: Exchange | null = null;
  #last: Exchange | null = null;
  #afterwards: Refused | null = null;
  #isEnding = false;
  #since = performance.now();

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    // Node calls this after the last answer. Its own version would cut off a caller that still sends.
    socket.destroySoon = () => this.#end(null);
    // Node removes its own listener when the caller asks for another protocol.
    socket.on('error', () => {});
  }

  /** Takes a request that Node has parsed. */
  take(request: IncomingMessage, response: ServerResponse): void {
    // Node had parsed this one together with the last request that we answer.
    if (this.#isEnding) return;
    this.#last = { request, response };
    if (this.#current === null) this.#begin(this.#last);
    else if (this.#waiting.push(this.#last) >= this.#options.limits.pipelinedMax) this.#socket.destroy();
  }

  // One at a time: Node does not tell a response that is queued behind another that its caller has gone.
  #begin(exchange: Exchange) {
    this.#current = exchange;
    exchange.response.once('close', () => this.#endTurn());
    this.#options.handle(exchange.request, exchange.response);
  }

  #endTurn() {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      // Yields first, so that a pipelining caller does not hold the event loop.
      setImmediate(() => this.#socket.writable && this.#begin(next));
      return;
    }
    this.#current = null;
    this.#since = performance.now();
    this.#options.onResting();
    if (this.#afterwards !== null) this.#end(this.#afterwards);
  }

  /**
   * Refuses input that cannot be parsed or did not come in time. If it is part of a request, the refusal
   * answers that request; otherwise it stands alone.
   */
  refuse(refusal: Refused): void {
    if (this.#isEnding) return;
    const last = this.#last;
    const isPart = last?.request.complete === false;
    if (this.#current === null) this.#end(isPart ? null : refusal);
    else if (isPart) {
      if (!last.response.headersSent) last.response.setHeader('Connection', 'close');
      breakBody(last.request, refusal);
    } else {
      // After the answers that are due, or the caller would take it for one of them.
      this.#afterwards ??= refusal;
      this.#stopReading();
    }
  }

  /** Closes an idle connection, and gives up on a body that is still arriving. */
  leave(): void {
    if (this.#current === null) this.#end(null);
    else if (this.#last?.request.complete === false) this.refuse(tooSlow);
  }

  /** Whether no request has come for at least `ms`, whatever else the peer has sent. */
  hasIdled(ms: number): boolean {
    return this.#current === null && performance.now() - this.#since >= ms;
  }

  /** Whether it has waited for the peer for at least `ms`. */
  hasRested(ms: number): boolean {
    return this.isResting() && performance.now() - this.#since >= ms;
  }

  /** Whether we only wait for the peer: it is idle, still sends a body, or does not read its answer. */
  isResting(): boolean {
    return (
      this.#current === null || this.#last?.request.complete === false || this.#socket.writableLength > 0
    );
  }

  /**
   * Sends the refusal, if any, half-closes, and lingers until the peer closes. If we closed while the peer
   * still sends, the reset could cost it the answer.
   */
  #end(refusal: Refused | null) {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#stopReading();
    const socket = this.#socket;
    const { limits, bytesOf } = this.#options;
    socket.end(refusal === null ? '' : bytesOf(refusal), () => {
      // Node destroys the socket on this timeout.
      socket.setTimeout(limits.lingerMs);
      const timer = setTimeout(() => socket.destroy(), limits.lingerMaxMs);
      socket.once('close', () => clearTimeout(timer));
    });
  }

  /** Drops further input: Node's parser would queue every request and report every error again. */
  #stopReading() {
    const socket = this.#socket;
    socket.removeAllListeners('data');
    socket.on('data', () => {});
    socket.resume();
  }
}
