const [second, minute, hour] = [1000, 60_000, 3_600_000];

/** The pauses after each failed attempt, as Standard Webhooks proposes. After the last one, it is over. */
const pausesMs = [
  5 * second,
  5 * minute,
  30 * minute,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
];

/** The most attempts at a message. */
export const attemptsMax = pausesMs.length + 1;

const longestMs = 24 * hour;
// So that many webhooks that failed together are not all tried again together.
const jitter = 0.2;

/**
 * The pause after this many failed attempts at a message; null: it is not tried again. Never shorter than a
 * receiver asks for, within a day.
 */
export function pauseAfter(
  attempts: number,
  askedMs: number | null,
  random: () => number = Math.random,
): number | null {
  const pause = pausesMs[attempts - 1];
  if (pause === undefined) return null;
  const longer = Math.max(pause, Math.min(askedMs ?? 0, longestMs));
  return Math.round(longer * (1 + jitter * random()));
}

/**
 * Reads `Retry-After`: seconds, or a date. `now`: milliseconds since 1970. Returns null if there is none, or
 * none that can be read.
 */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * second;
  // `Date.parse` also takes bare numbers.
  const at = /^[A-Z][a-z]+, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
