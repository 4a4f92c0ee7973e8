import type { Context } from 'koa';

/** Koa's own `set` makes arrays and functions for each header. */
export function setHeaders({ res }: Context, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

/**
 * The headers of every JSON answer. Answers must not be cached: stock changes, and each answer is for one
 * client only.
 */
export const jsonHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};
