import { type RateLimitVerdict, windowSeconds } from '@inventory/auth/rate-limit';
import type { Context } from 'koa';

/** Names a limit and what is left of it in an answer's headers, beside those that are named already. */
export function nameLimit(
  ctx: Context,
  policy: 'default' | 'operations',
  { limit, remaining, resetMs }: RateLimitVerdict,
): void {
  add(ctx, 'RateLimit-Policy', `"${policy}";q=${limit};w=${windowSeconds}`);
  add(ctx, 'RateLimit', `"${policy}";r=${remaining};t=${secondsOf(resetMs)}`);
}

function add(ctx: Context, header: string, item: string) {
  const named = ctx.res.getHeader(header);
  ctx.set(header, named === undefined ? item : `${named}, ${item}`);
}

/** Seconds until a caller who was refused gets through. */
export function retryAfterOf({ resetMs }: RateLimitVerdict): string {
  return String(Math.max(1, secondsOf(resetMs)));
}

const secondsOf = (resetMs: number) => Math.ceil(resetMs / 1000);
