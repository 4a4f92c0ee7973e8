import type { IncomingMessage } from 'node:http';
import { onBroken } from './connections/broken-body.ts';
import { createGatheredBytes, type GatheredBytes } from './connections/gathered-bytes.ts';

/** A body has more bytes than it may have. */
export class BodyTooLarge extends Error {}

/**
 * The bytes of a request's body, at most `bytesMax`. Fails with BodyTooLarge as soon as there are more; with
 * Refused when the connection tells why no more come; with another error for a sender who goes away.
 */
export async function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw new BodyTooLarge();
  return new Promise((resolve, reject) => {
    // Gone when it was used. A connection keeps its last request, whose listeners would keep with this what
    // was read of it.
    let open: { gathered: GatheredBytes; resolve: typeof resolve; reject: typeof reject } | null = {
      ...{ gathered: createGatheredBytes(), resolve, reject },
    };
    const fail = (error: Error) => {
      if (open === null) return;
      open.reject(error);
      open = null;
      // The rest of the body is read past, or the connection could carry no other request.
      request.resume();
    };
    request.on('data', (piece: Buffer) => {
      if (open === null) return;
      if (open.gathered.size() + piece.length > bytesMax) fail(new BodyTooLarge());
      else open.gathered.add(piece);
    });
    request.on('end', () => {
      open?.resolve(open.gathered.bytes());
      open = null;
    });
    request.on('error', fail);
    onBroken(request, fail);
    request.on('close', () => {
      if (!request.complete) fail(new Error('the sender went away'));
    });
  });
}
