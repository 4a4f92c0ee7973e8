import { Readable } from 'node:stream';

/** A text that is read while it is made. */
export type TextStream = {
  readable: Readable;
  /** Resolves when the reader wants more. Rejects if the reader has gone or has read nothing for too long. */
  write(piece: string | Uint8Array): Promise<void>;
  /** Calls `tell` when the reader has gone. Returns a function that cancels this. */
  onGone(tell: () => void): () => void;
};

/** `idleMs`: a reader that takes nothing for this long counts as gone. */
export function createTextStream(idleMs: number): TextStream {
  let wanted: (() => void) | null = null;
  const readable = new Readable({
    read() {
      wanted?.();
    },
  });
  // Without a listener, an error before there is a reader would end the process.
  readable.on('error', () => {});
  return {
    readable,
    write: (piece) =>
      new Promise((resolve, reject) => {
        const done = (settle: () => void) => {
          clearTimeout(timer);
          wanted = null;
          readable.off('close', gone);
          settle();
        };
        const gone = () => done(() => reject(new Error('the reader has gone')));
        const timer = setTimeout(() => readable.destroy(new Error('the reader takes nothing')), idleMs);
        if (readable.destroyed) return gone();
        readable.once('close', gone);
        wanted = () => done(resolve);
        // With room left in the buffer, `read` is not called, so there is nothing to wait for.
        if (readable.push(piece)) wanted?.();
      }),
    onGone(tell) {
      readable.once('close', tell);
      return () => readable.off('close', tell);
    },
  };
}
