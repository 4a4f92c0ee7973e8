import type { RateLimiter } from '@inventory/auth/rate-limit';

/**
 * Counts the pages that a client's streams tell against its limit of requests: else one request would get
 * pages without end.
 */
export type ToldPages = {
  /** Counts a page. */
  note(): Promise<void>;
  /** Milliseconds until the next page may be told. */
  restMs(): number;
};

// The rest is left to the client's other calls.
const partOfLimit = 0.5;

/**
 * Pages of a stream are spread over what is left of the window, so that changes are told soon as long as they
 * are few, and within a second or so when they are many. `limit`: of the client's requests.
 */
export function createToldPages(limiter: RateLimiter, clientId: string, limit: number): ToldPages {
  let restUntil = 0;
  return {
    async note() {
      const { remaining, resetMs } = await limiter.take(clientId, limit);
      const spare = remaining - limit * (1 - partOfLimit);
      restUntil = performance.now() + resetMs / Math.max(1, spare);
    },
    restMs: () => Math.max(0, restUntil - performance.now()),
  };
}
