const firstMs = 200;
const longestMs = 5000;
// A proxy may ask for days, and the service is back long before. A timer cannot wait for a month either.
const askedMaxMs = 3_600_000;

/** Whether a resend may get another answer: none came (0), the service is busy, or a proxy lost it. */
export function isTemporary(status: number): boolean {
  return [0, 408, 429, 502, 503, 504].includes(status);
}

/**
 * How long to wait before the next try. `tries`: how many there were. `asked`: the milliseconds that the last
 * answer asks to wait. The jitter keeps callers apart that were refused together.
 */
export function pauseMs(tries: number, asked: number | null = null): number {
  return (asked ?? 0) + growingMs(tries, firstMs, longestMs);
}

/** A pause that doubles with each try, up to the longest, less at most half of it by chance. */
export function growingMs(tries: number, first: number, longest: number): number {
  return Math.min(first * 2 ** (tries - 1), longest) * (0.5 + Math.random() / 2);
}

/** The time that a `Retry-After` asks for, which is in seconds or a date; null if it asks for none. */
export function askedMs(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return ms > 0 ? Math.min(ms, askedMaxMs) : null;
}

/** Waits, or until the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
