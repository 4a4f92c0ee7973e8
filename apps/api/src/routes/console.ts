import { type Console, readConsole } from '@inventory/console/console-files';
import type { Context, Next } from 'koa';
import { methodRefused, unknownPath } from '../http/errors.ts';
import { type StaticFile, sendStaticFile, staticFile } from '../http/static-file.ts';

/** Whether a path belongs to the page for people. */
export function isOfConsole(path: string): boolean {
  return path === '/console' || path.startsWith('/console/');
}

/**
 * Serves the page for people and its files to everybody: no token is needed, and the page holds no data.
 * Unchanged files get 304. They are read when the page is first asked for. `?v=`: the version that is asked
 * for; another one gets 404.
 */
export function consoleRoutes() {
  let reading: Promise<{ files: Map<string, StaticFile>; version: string }> | null = null;

  return async (ctx: Context, next: Next) => {
    if (!isOfConsole(ctx.path)) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodRefused('GET, HEAD');
    if (ctx.path === '/console') {
      // Relative, so that a proxy may serve it below another path.
      ctx.status = 308;
      ctx.set('Location', 'console/');
      return undefined;
    }
    reading ??= readConsole()
      .then(prepare)
      .catch((error) => {
        reading = null;
        throw error;
      });
    const { files, version } = await reading;
    const found = files.get(ctx.path.slice('/console/'.length));
    const { v: asked = version } = ctx.query;
    if (found === undefined || asked !== version) throw unknownPath();
    return sendStaticFile(ctx, found);
  };
}

function prepare({ files, version, policy }: Console) {
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
  return {
    version,
    files: new Map([...files].map(([path, { type, content }]) => [path, staticFile(type, content, headers)])),
  };
}
