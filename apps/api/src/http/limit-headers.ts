import { type RateLimitVerdict, windowSeconds } from '@inventory/auth/rate-limit';
import type { Context } from 'koa';

/** Adds a limit and what is left of it to the answer's headers, after the limits that are already there. */
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
  ctx.res.setHeader(header, named === undefined ? item : `${named}, ${item}`);
}

/** 429, with the contract's simpler body. `resetMs`: when the caller may try again. */
export function tooMany(message: string, { resetMs }: Pick<RateLimitVerdict, 'resetMs'>) {
  const headers = { 'Retry-After': String(Math.max(1, secondsOf(resetMs))) };
  return { status: 429, text: JSON.stringify({ message }), headers };
}

const secondsOf = (resetMs: number) => Math.ceil(resetMs / 1000);
