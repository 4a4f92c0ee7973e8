import type { Wait } from '@inventory/postgres/statement-pool';

/** A wait of at most this long, for no caller in particular. */
export function soon(timeMs: number): Wait {
  return { until: performance.now() + timeMs, hasGone: () => false };
}
