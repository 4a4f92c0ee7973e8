import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Refused } from '../errors.ts';
import { breakBody } from './broken-body.ts';
import { tooSlow } from './malformed-http.ts';

/** What a connection may take, and how long it is read past its end. */
export type ConnectionLimits = {
  /** Requests of one connection that are not answered; with more it is cut. Proxies and browsers send one. */
  pipelinedMax: number;
  /** From the last byte to the other side's end, while nothing more comes, and in any case. */
  lingerMs: number;
  lingerMaxMs: number;
};

type Exchange = { request: IncomingMessage; response: ServerResponse };

export type ConnectionOptions = {
  limits: ConnectionLimits;
  handle: RequestListener;
  /** The bytes of a refusal without a request. */
  bytesOf: (refusal: Refused) => string;
  /** Told when the connection begins to wait for the other side again. */
  onResting: () => void;
};

/** One connection of a caller, its requests, one after the other, and how it ends. */
export type Connection = ReturnType<typeof createConnection>;

export function createConnection(socket: Socket, options: ConnectionOptions) {
  const { limits } = options;
  const waiting: Exchange[] = [];
  let current: Exchange | null = null;
  let last: Exchange | null = null;
  let afterwards: Refused | null = null;
  let isEnding = false;
  let since = performance.now();

  /** What still comes is dropped: Node's parser would keep each request, and refuse each error again. */
  function stopReading() {
    socket.removeAllListeners('data');
    socket.on('data', () => {});
    socket.resume();
  }

  /**
   * Sends what is left to say, and reads until the other side ends, too: a connection that is cut while bytes
   * still come takes its answer along.
   */
  function end(refusal: Refused | null) {
    if (isEnding) return;
    isEnding = true;
    stopReading();
    socket.end(refusal === null ? '' : options.bytesOf(refusal), () => {
      // Node destroys a socket that is silent for so long.
      socket.setTimeout(limits.lingerMs);
      const timer = setTimeout(() => socket.destroy(), limits.lingerMaxMs);
      socket.once('close', () => clearTimeout(timer));
    });
  }

  // One at a time: of an answer that waits for another one Node does not tell that its caller has gone.
  function begin(exchange: Exchange) {
    current = exchange;
    exchange.response.once('close', endTurn);
    options.handle(exchange.request, exchange.response);
  }

  function endTurn() {
    const next = waiting.shift();
    if (next !== undefined) {
      // Behind whatever else this process has to do.
      setImmediate(() => socket.writable && begin(next));
      return;
    }
    current = null;
    since = performance.now();
    options.onResting();
    if (afterwards !== null) end(afterwards);
  }

  // By this Node ends a connection after the last answer; it would cut it while its caller still sends.
  socket.destroySoon = () => end(null);
  // Node's own listener goes when another protocol is asked for.
  socket.on('error', () => {});

  /** Whether the service does nothing for it now but wait for the other side. */
  function isResting(): boolean {
    return current === null || last?.request.complete === false || socket.writableLength > 0;
  }

  /**
   * What comes cannot be read, or does not come. The refusal is the answer of the request that it is part of,
   * or of none.
   */
  function refuse(refusal: Refused) {
    if (isEnding) return;
    const isPart = last?.request.complete === false;
    if (current === null) end(isPart ? null : refusal);
    else if (isPart) {
      if (!last!.response.headersSent) last!.response.setHeader('Connection', 'close');
      breakBody(last!.request, refusal);
    } else {
      // Not before the answers that are due: the caller would take it for one of them.
      afterwards ??= refusal;
      stopReading();
    }
  }

  return {
    /** A request that Node has read. */
    take(request: IncomingMessage, response: ServerResponse): void {
      // What was read together with the last one that is answered.
      if (isEnding) return;
      last = { request, response };
      if (current === null) begin(last);
      else if (waiting.push(last) >= limits.pipelinedMax) socket.destroy();
    },

    refuse,

    /** Ends it when no answer is due; a body that is still to come is given up. */
    leave(): void {
      if (current === null) end(null);
      else if (last?.request.complete === false) refuse(tooSlow);
    },

    /** Whether it has waited for the other side for so long. */
    hasRested: (ms: number) => isResting() && performance.now() - since >= ms,
    isResting,
  };
}
