import type { IncomingMessage } from 'node:http';
import { createGatheredBytes } from './gathered-bytes.ts';

/**
 * Has all chunks of a body that come in one read of the connection go through its stream as one piece. Node
 * sends each through by itself, ten thousand of a byte in a read of 64 KB, and goes on to the next read
 * without a turn of the event loop as long as there is something to read.
 */
export function joinChunks(request: IncomingMessage): void {
  const push = request.push.bind(request);
  let gathered = createGatheredBytes();

  function handOn() {
    if (gathered.size() === 0) return;
    const bytes = gathered.bytes();
    gathered = createGatheredBytes();
    push(bytes);
  }

  // By this Node's parser hands on what it has read, and null at the end.
  request.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      handOn();
      return push(null);
    }
    const isFirst = gathered.size() === 0;
    gathered.add(chunk);
    // The stream asks for more when it has got these.
    if (isFirst) setImmediate(handOn);
    return !isFirst;
  };
}
