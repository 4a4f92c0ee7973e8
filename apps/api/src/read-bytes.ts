import type { IncomingMessage } from 'node:http';
import { onBroken } from './connections/broken-body.ts';

/** A body has more bytes than it may have. */
export class BodyTooLarge extends Error {}

/**
 * The bytes of a request's body, at most `bytesMax`. Fails with BodyTooLarge as soon as there are more; with
 * Refused when the connection tells why no more come; with another error for a sender who goes away.
 */
export async function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw new BodyTooLarge();
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
      // The rest of the body is read past, or the connection could carry no other request.
      request.resume();
    };
    request.on('data', (chunk: Buffer) => {
      if (settle === null) return;
      size += chunk.length;
      if (size > bytesMax) fail(new BodyTooLarge());
      else chunks.push(chunk);
    });
    request.on('end', () => {
      settle?.resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
      settle = null;
      chunks.length = 0;
    });
    request.on('error', fail);
    onBroken(request, fail);
    request.on('close', () => {
      if (!request.complete) fail(new Error('the sender went away'));
    });
  });
}
