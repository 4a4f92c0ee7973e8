import { connect, type Socket } from 'node:net';
import { addAbortSignal, Duplex } from 'node:stream';
import { PlainError } from '@inventory/process/plain-error';
import { type Address, AddressRefusedError } from './resolve.ts';

/** The receiver sends more than anybody reads. */
export class AnswerTooLargeError extends PlainError {
  readonly code = 'ANSWER_TOO_LARGE';
}

export type BoundedOptions = {
  host: string;
  port: number;
  /** Addresses of the host, which were checked. The name is never looked up again. */
  addresses: Address[];
  /** Whether the address to which the connection really leads may be spoken to. */
  mayReach: (address: string) => boolean;
  /** More bytes of any kind end the connection: those of TLS and of answers to nothing count, too. */
  bytesMax: number;
  /** Ends the connection. */
  signal: AbortSignal;
};

// A piece is worked on in one turn of the process, which also writes stock.
const pieceBytes = 4096;
// An answer has fewer pieces. A receiver that sends byte by byte is read at a pace, and its bytes gather
// meanwhile.
const piecesAtOnce = 40;
const readEveryMs = 10;
// An address that does not answer leaves so much time for the next one.
const addressWithinMs = 1000;

/**
 * A connection to a receiver, which is read in small pieces, when somebody wants them, and to a bounded
 * length. So whatever a receiver sends costs no more than that. Emits `connect`.
 */
export class BoundedConnection extends Duplex {
  readonly #socket: Socket;
  #bytes = 0;
  #pieces = 0;
  #pacing: NodeJS.Timeout | undefined;

  constructor({ host, port, addresses, mayReach, bytesMax, signal }: BoundedOptions) {
    super();
    // Between two steps of a message nobody listens. Each step is told by its own promise.
    this.on('error', () => {});
    this.#socket = connect({
      host,
      port,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: addressWithinMs,
      lookup: (_host, { all }, done) => {
        if (all) done(null, addresses);
        else done(null, addresses[0]!.address, addresses[0]!.family);
      },
      onread: {
        buffer: Buffer.allocUnsafe(pieceBytes),
        callback: (length, buffer) => this.#take(buffer.subarray(0, length), bytesMax),
      },
    });
    // In this very turn: without a route, connecting fails before anybody else could listen.
    this.#socket.on('error', (error) => this.destroy(error));
    this.#socket.once('connect', () => {
      if (mayReach(this.#socket.remoteAddress ?? '')) this.emit('connect');
      else this.destroy(new AddressRefusedError('the address is refused'));
    });
    this.#socket.once('end', () => this.push(null));
    this.#socket.once('close', () => this.destroy());
    addAbortSignal(signal, this);
  }

  /** Takes a piece and returns whether to read on at once. */
  #take(piece: Uint8Array, bytesMax: number): boolean {
    this.#bytes += piece.length;
    this.#pieces += 1;
    if (this.#bytes > bytesMax) {
      this.destroy(new AnswerTooLargeError('the receiver sends too much'));
      return false;
    }
    // The buffer is used again.
    const isWanted = this.push(Buffer.from(piece));
    if (isWanted && this.#pieces > piecesAtOnce) this.#readLater();
    return isWanted && this.#pieces <= piecesAtOnce;
  }

  #readLater() {
    this.#pacing ??= setTimeout(() => {
      this.#pacing = undefined;
      this.#socket.resume();
    }, readEveryMs);
  }

  override _read() {
    if (this.#pieces > piecesAtOnce) this.#readLater();
    else this.#socket.resume();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error | null) => void) {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void) {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void) {
    clearTimeout(this.#pacing);
    this.#socket.destroy();
    done(error);
  }
}
