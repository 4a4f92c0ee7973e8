import { clientPackage } from '@inventory/console/client-package';
import type { Log } from '@inventory/process/log/log';
import type { Context, Next } from 'koa';
import { methodRefused, Refused } from '../http/errors.ts';
import { type StaticFile, sendStaticFile, staticFile } from '../http/static-file.ts';

/** The path below the base path. */
export const clientPackagePath = '/client.tgz';

// npm asks again with the tag.
const headers = { 'Cache-Control': 'public, max-age=60', 'X-Content-Type-Options': 'nosniff' };

/**
 * Serves `@inventory/client` as npm installs it to everybody: no token is needed. It is made once, when it is
 * first asked for, and whether or not that succeeds: making it costs seconds.
 */
export function clientPackageRoute(basePath: string, log: Log) {
  let making: Promise<StaticFile | null> | null = null;

  return async (ctx: Context, next: Next) => {
    if (ctx.path !== `${basePath}${clientPackagePath}`) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodRefused('GET, HEAD');
    making ??= clientPackage().then(
      (content) => staticFile('application/gzip', content, headers),
      (err) => {
        log.warn({ err }, 'the package of the client could not be made');
        return null;
      },
    );
    const file = await making;
    if (file === null)
      throw new Refused({ code: 'not_found', message: 'This service was installed without the client.' });
    return sendStaticFile(ctx, file);
  };
}
