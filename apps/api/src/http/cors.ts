import type { Context, Next } from 'koa';

// The headers that are read and that a browser does not send unasked.
const requestHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Last-Event-ID',
  'Prefer',
  'X-Request-Id',
].join(', ');
// As long as browsers keep it at most.
const maxAgeSeconds = 7200;

export type CorsOptions = {
  /** The origins whose pages may read answers, as browsers send them. */
  origins: readonly string[];
  /** The methods of a path; throws when there is nothing at it. */
  methodsOf: (path: string) => readonly string[];
  /** The headers of answers that pages may read. */
  answerHeaders: readonly string[];
};

/**
 * Lets pages of other origins call the service from a browser. Preflights are answered without a token, which
 * browsers do not send with them. Credentials of the browser's own, such as cookies, are never allowed: the
 * token is one that the page must have.
 */
export function allowOrigins({ origins, methodsOf, answerHeaders }: CorsOptions) {
  const allowed = new Set(origins);
  const exposed = answerHeaders.join(', ');

  return async (ctx: Context, next: Next) => {
    // Of every answer: one that a cache keeps for a caller without an origin is not that of a page.
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
