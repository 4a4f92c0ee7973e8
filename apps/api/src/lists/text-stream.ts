import { Readable } from 'node:stream';

/** A text that is read while it is made. */
export type TextStream = {
  readable: Readable;
  /**
   * Resolves when the reader wants more; rejects when the reader has gone, or has taken nothing for too long.
   */
  write(piece: string): Promise<void>;
  /** Tells when the reader has gone; returns how to be told no more. */
  onGone(tell: () => void): () => void;
};

/** `idleMs`: a reader who takes nothing for so long is gone. */
export function createTextStream(idleMs: number): TextStream {
  let wanted: (() => void) | null = null;
  const readable = new Readable({
    read() {
      wanted?.();
    },
  });
  // A reader is told of errors too; until there is one, they are nobody's.
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
        // The buffer has room for more: nobody has to ask for it.
        if (readable.push(piece)) wanted?.();
      }),
    onGone(tell) {
      readable.once('close', tell);
      return () => readable.off('close', tell);
    },
  };
}
