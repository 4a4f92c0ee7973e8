import type { IncomingMessage } from 'node:http';

/**
 * Passes on all chunks of a body that come in one read of the socket as one piece. Node pushes each chunk by
 * itself, ten thousand one-byte chunks from a read of 64 KB, and reads on without a turn of the event loop
 * while there is data: a fast sender of tiny chunks held the loop for 654 ms. Kept until the body is whole,
 * they would also take a hundred times its memory.
 */
export function joinChunks(request: IncomingMessage): void {
  const push = request.push.bind(request);
  let gathered: Buffer[] = [];

  function handOn() {
    if (gathered.length === 0) return;
    const bytes = gathered.length === 1 ? gathered[0] : Buffer.concat(gathered);
    gathered = [];
    push(bytes);
  }

  // Node's parser calls this with each chunk, and with null at the end.
  request.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      handOn();
      return push(null);
    }
    gathered.push(chunk);
    if (gathered.length > 1) return true;
    // `false` pauses the socket until the stream has these chunks and asks for more.
    setImmediate(handOn);
    return false;
  };
}
