import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Refused } from '../errors.ts';
import { breakBody } from './broken-body.ts';
import { createEnding } from './ending.ts';
import { isBodyHeld } from './held-body.ts';
import { tooSlow } from './malformed-http.ts';
import { createTaking, type TakingLimits } from './taking.ts';

/**
 * How long the service waits for the other side of a connection, in checks of `guardConnections`, and how
 * much it takes from it.
 */
export type ConnectionLimits = TakingLimits & {
  /** From the start to the first whole head of a request. */
  headChecks: number;
  /** From an answer to the next whole head. Bytes that make none, such as stray line feeds, win no time. */
  nextHeadChecks: number;
  /** From a request's turn to the end of its body. */
  bodyChecks: number;
  /**
   * From the last byte to the other side's end, when nothing more comes: a connection that is cut while bytes
   * still come takes its answer along.
   */
  lingerChecks: number;
  /** Requests on one connection; the last answer says that it is. */
  requestsMax: number;
  /**
   * Requests of one connection that are under way or wait for their turn; the last answer says that it is. As
   * many more are dropped; beyond that the connection is cut.
   */
  pipelinedMax: number;
};

type Exchange = { request: IncomingMessage; response: ServerResponse };

export type ConnectionOptions = {
  limits: ConnectionLimits;
  handle: RequestListener;
  /** The checks made so far. A process that stood still has made none meanwhile, so nobody is late for it. */
  now: () => number;
  /** The bytes of a refusal without a request. */
  bytesOf: (refusal: Refused) => string;
  /** Told when the connection begins to wait for the other side again. */
  onResting: () => void;
};

/** One connection of a caller: its requests, one at a time, and how long each of its steps may take. */
export type Connection = ReturnType<typeof createConnection>;

export function createConnection(socket: Socket, options: ConnectionOptions) {
  const { limits, handle, now } = options;
  const waiting: Exchange[] = [];
  const taking = createTaking(socket, limits, now);
  const ending = createEnding(socket, limits, now);
  let current: Exchange | null = null;
  let isTurning = false;
  let last: Exchange | null = null;
  let requestCount = 0;
  let droppedCount = 0;
  /** No request is taken any more. */
  let isClosing = false;
  let isReading = true;
  let afterwards: Refused | null = null;
  let since = now();

  const isBusy = () => current !== null || isTurning;

  function isResting(): boolean {
    if (isTurning) return false;
    return current === null || !current.request.complete || taking.isAwaited();
  }

  /**
   * Takes the socket from Node's parser, which would keep each request that still comes. All that comes is
   * read and dropped.
   */
  function stopReading() {
    if (!isReading) return;
    isReading = false;
    socket.removeAllListeners('data');
    socket.on('data', () => {});
    socket.resume();
  }

  /** Sends what is left to say, and waits a little for the other side's end. */
  function end(refusal: Refused | null) {
    isClosing = true;
    waiting.length = 0;
    if (ending.hasBegun()) return;
    ending.begin();
    socket.end(refusal === null ? '' : options.bytesOf(refusal));
    stopReading();
  }

  function begin(exchange: Exchange) {
    current = exchange;
    since = now();
    taking.beginAnew();
    exchange.response.once('close', endTurn);
    handle(exchange.request, exchange.response);
  }

  function endTurn() {
    current = null;
    since = now();
    taking.beginAnew();
    options.onResting();
    const next = waiting.shift();
    if (next === undefined) {
      if (isClosing) end(afterwards);
      return;
    }
    // Behind whatever else this process has to do.
    isTurning = true;
    setImmediate(() => {
      isTurning = false;
      // Nobody would read the answer: the request is left undone.
      if (socket.writable) begin(next);
      else waiting.length = 0;
    });
  }

  function closeAfter({ response }: Exchange) {
    isClosing = true;
    if (!response.headersSent) response.setHeader('Connection', 'close');
  }

  // By this Node ends a connection after the last answer; it would cut it while pipelined requests still
  // come.
  socket.destroySoon = () => end(null);
  // Node's own listener goes when another protocol is asked for.
  socket.on('error', () => {});

  return {
    /** A request that Node has read: its turn comes when those before it are answered. */
    take(request: IncomingMessage, response: ServerResponse): void {
      if (isClosing) {
        droppedCount += 1;
        // Node keeps what it has parsed as long as the connection lives: thousands, when they are sent
        // together.
        if (droppedCount > limits.pipelinedMax) socket.destroy();
        // The one before it is whole, then.
        else stopReading();
        request.resume();
        return;
      }
      requestCount += 1;
      last = { request, response };
      const pipelinedCount = waiting.length + (isBusy() ? 1 : 0) + 1;
      if (requestCount >= limits.requestsMax || pipelinedCount >= limits.pipelinedMax) closeAfter(last);
      if (isBusy()) waiting.push(last);
      else begin(last);
    },

    /**
     * What comes cannot be read, or does not come. The refusal is the answer of the request that it is part
     * of, or of none.
     */
    refuse(refusal: Refused): void {
      if (isClosing && (afterwards !== null || ending.hasBegun())) return;
      const isPart = last !== null && !last.request.complete;
      if (isPart && (current === last || waiting.includes(last!))) {
        // Its time begins with its turn, and `check` looks at it.
        if (refusal === tooSlow) return;
        closeAfter(last!);
        breakBody(last!.request, refusal);
      } else if (isBusy()) {
        // Not before the answers that are due: the caller would take it for one of them.
        afterwards ??= isClosing ? null : refusal;
        isClosing = true;
        stopReading();
      } else end(isPart ? null : refusal);
    },

    /**
     * Ends or refuses what has taken too long. `drainedAt`: the check from which on no next request is waited
     * for.
     */
    check(drainedAt: number | null): void {
      if (current !== null && isBodyHeld(current.request)) since = now();
      const age = now() - since;
      if (ending.hasBegun()) {
        if (ending.isTooSlow()) socket.destroy();
        return;
      }
      taking.note();
      if (taking.isTooSlow()) {
        socket.destroy();
      } else if (current !== null) {
        if (!current.request.complete && age >= limits.bodyChecks) {
          closeAfter(current);
          breakBody(current.request, tooSlow);
        }
      } else if (last !== null && !last.request.complete) {
        // Answered before it was whole.
        if (!isTurning && age >= limits.bodyChecks) end(null);
      } else if (!isTurning && requestCount === 0) {
        if (age >= limits.headChecks) end(tooSlow);
      } else if (!isTurning) {
        const isLeaving = drainedAt !== null && now() - Math.max(since, drainedAt) >= limits.headChecks;
        if (isLeaving || age >= limits.nextHeadChecks) end(null);
      }
    },

    /** Whether it has waited for the other side for so many checks. */
    hasRested(checks: number): boolean {
      return isResting() && now() - since >= checks;
    },

    /** Whether the service does nothing for it now but wait for the other side. */
    isResting,
  };
}
