import type { Context, Next } from 'koa';

// The headers we read that a browser sends cross-origin only if allowed.
const requestHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Last-Event-ID',
  'Prefer',
  'X-Request-Id',
].join(', ');
// Chromium caches preflights no longer than this.
const maxAgeSeconds = 7200;

export type CorsOptions = {
  /** The origins whose pages may read answers, as browsers send them. */
  origins: readonly string[];
  /** The methods of a path; throws if the path is unknown. */
  methodsOf: (path: string) => readonly string[];
  /** The headers of answers that pages may read. */
  answerHeaders: readonly string[];
};

/**
 * Lets pages of other origins call the service from a browser. Preflights are answered without a token,
 * because browsers send none with them. The browser's own credentials, such as cookies, are never allowed: a
 * page must have a token.
 */
export function allowOrigins({ origins, methodsOf, answerHeaders }: CorsOptions) {
  const allowed = new Set(origins);
  const exposed = answerHeaders.join(', ');

  return async (ctx: Context, next: Next) => {
    // On every answer: a cached answer to a caller without an origin must not be served to a page.
    ctx.vary('Origin');
    const origin = ctx.get('Origin');
    if (!allowed.has(origin)) return next();
    ctx.set('Access-Control-Allow-Origin', origin);
    if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') {
      ctx.set('Access-Control-Expose-Headers', exposed);
      return next();
    }
    ctx.set({
      'Access-Control-Allow-Methods': methodsOf(ctx.path).join(', '),
      'Access-Control-Allow-Headers': requestHeaders,
      'Access-Control-Max-Age': String(maxAgeSeconds),
    });
    ctx.status = 204;
  };
}
