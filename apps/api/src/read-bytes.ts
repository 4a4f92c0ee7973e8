import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createUnzip } from 'node:zlib';
import { onBroken } from './connections/broken-body.ts';

/** A body has more bytes than it may have. */
export class BodyTooLarge extends Error {}

// Not brotli: 23 bytes of it make a decoder fill a window of 16 MiB before its first bytes can be counted.
const compressions: ReadonlySet<string> = new Set(['gzip', 'deflate']);

/**
 * The bytes of a request's body, decompressed, at most `bytesMax`. Fails with BodyTooLarge as soon as there
 * are more; with Refused when the connection tells why no more come; with another error for an encoding that
 * is not known, a compression that is broken, or a sender who goes away.
 */
export async function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] || 'identity').toLowerCase();
  if (encoding === 'identity') {
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw new BodyTooLarge();
    return gather(request, request, bytesMax);
  }
  if (!compressions.has(encoding)) throw new Error('unknown encoding');
  return gather(request, request.pipe(createUnzip()), bytesMax);
}

function gather(
  request: IncomingMessage,
  source: IncomingMessage | Duplex,
  bytesMax: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // Gone when they were used. A connection keeps its last request, whose listeners would keep with these
    // what was read of it.
    let settle: { resolve: typeof resolve; reject: typeof reject } | null = { resolve, reject };
    const fail = (error: Error) => {
      chunks.length = 0;
      if (settle === null) return;
      settle.reject(error);
      settle = null;
      if (source !== request) {
        request.unpipe();
        source.destroy();
      }
      // The rest of the body is read past, or the connection could carry no other request.
      request.resume();
    };
    source.on('data', (chunk: Buffer) => {
      if (settle === null) return;
      size += chunk.length;
      if (size > bytesMax) fail(new BodyTooLarge());
      else chunks.push(chunk);
    });
    source.on('end', () => {
      settle?.resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
      settle = null;
      chunks.length = 0;
    });
    // They stay when the body is refused: an error that nobody listens to, such as that of a compressed body
    // that is too large and cut as well, would end the process.
    source.on('error', fail);
    if (source !== request) request.on('error', fail);
    onBroken(request, fail);
    request.on('close', () => {
      if (!request.complete) fail(new Error('the sender went away'));
    });
  });
}
