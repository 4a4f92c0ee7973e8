import { pipeline, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Context } from 'koa';

/**
 * Gives a JSON answer the text of a stream as its body, as fast as the caller takes it, compressed for one
 * who accepts gzip. A stream that fails cuts the connection: the caller sees that the answer has no end.
 */
export function sendStream(ctx: Context, stream: Readable): void {
  ctx.vary('Accept-Encoding');
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    ctx.body = stream;
    return;
  }
  ctx.set('Content-Encoding', 'gzip');
  // Each ends with the other: the stream that is sent tells of a failure.
  ctx.body = pipeline(stream, createGzip({ level: 1 }), () => {});
}
