import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Console, type ConsoleFile, readConsole } from '@inventory/console/console-files';
import type { Context, Next } from 'koa';
import { methodRefused, unknownPath } from '../http/errors.ts';

const compress = promisify(gzip);
type Served = ConsoleFile & { etag: string; compressed?: Promise<Buffer> };

/** Whether a path belongs to the page for people. */
export function isOfConsole(path: string): boolean {
  return path === '/console' || path.startsWith('/console/');
}

/**
 * Serves the page for people and its files to everybody: no token is needed, and the page holds no data.
 * Unchanged files get 304. They are read when the page is first asked for.
 */
export function consoleRoutes() {
  let read: { files: Map<string, Served>; headers: Record<string, string> } | null = null;

  return (ctx: Context, next: Next) => {
    if (!isOfConsole(ctx.path)) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodRefused('GET, HEAD');
    if (ctx.path === '/console') {
      // Relative, so that a proxy may serve it below another path.
      ctx.status = 308;
      ctx.set('Location', 'console/');
      return undefined;
    }
    read ??= prepare(readConsole());
    const found = read.files.get(ctx.path.slice('/console/'.length));
    if (found === undefined) throw unknownPath();
    return sendFile(ctx, found, read.headers);
  };
}

function prepare({ files, policy }: Console) {
  const served = [...files].map(([path, file]): [string, Served] => {
    const hash = createHash('sha256').update(file.content).digest('base64url').slice(0, 22);
    // Weak, because the content may be compressed or not.
    return [path, { ...file, etag: `W/"${hash}"` }];
  });
  const headers = {
    // Asked for again each time, so that no file of one version meets those of another.
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(self)',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
  return { files: new Map(served), headers };
}

async function sendFile(ctx: Context, found: Served, headers: Record<string, string>) {
  ctx.status = 200;
  ctx.set({ ...headers, ETag: found.etag });
  ctx.vary('Accept-Encoding');
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.set('Content-Type', found.type);
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    ctx.body = found.content;
    return;
  }
  found.compressed ??= compress(found.content);
  ctx.set('Content-Encoding', 'gzip');
  ctx.body = await found.compressed;
}
