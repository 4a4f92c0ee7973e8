import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'koa';

const compress = promisify(gzip);

/** A file that everybody gets as it is. `headers`: beside its type and its tag. */
export type StaticFile = {
  type: string;
  content: Buffer;
  etag: string;
  headers: Record<string, string>;
  compressed?: Promise<Buffer>;
};

export function staticFile(
  type: string,
  content: string | Buffer,
  headers: Record<string, string>,
): StaticFile {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  // Weak, because the content may be compressed or not.
  return { type, content: Buffer.from(content), etag: `W/"${hash}"`, headers };
}

/** Sends a file, compressed for callers that take it. One that the caller has unchanged gets 304. */
export async function sendStaticFile(ctx: Context, file: StaticFile): Promise<void> {
  ctx.status = 200;
  ctx.set({ ...file.headers, ETag: file.etag });
  ctx.vary('Accept-Encoding');
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = file.type;
  const isZipped = file.type === 'application/gzip';
  if (isZipped || ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    ctx.body = file.content;
    return;
  }
  file.compressed ??= compress(file.content);
  ctx.set('Content-Encoding', 'gzip');
  ctx.body = await file.compressed;
}
