import { pipeline, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Context } from 'koa';

/**
 * Sends a stream as the body of a JSON answer, as fast as the caller reads it, and compressed if the caller
 * accepts gzip. If the stream fails, the connection is cut, so the caller sees that the answer is incomplete.
 */
export function sendStream(ctx: Context, stream: Readable): void {
  ctx.vary('Accept-Encoding');
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    ctx.body = stream;
    return;
  }
  ctx.set('Content-Encoding', 'gzip');
  // Both streams end together: the stream that is sent reports failures.
  ctx.body = pipeline(stream, createGzip({ level: 1 }), () => {});
}
