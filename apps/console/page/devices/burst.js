// A scanner sends a key each 1 to 30 ms, also by radio. Fingers that type a text need 60 ms and more, though
// two may roll in 40: a short code must be faster, and one character is always a hand's.
const scannerKeyMs = 40;
const shortCodeKeyMs = 30;
const shortCodeMax = 3;
// A pause that is long for this scanner divides its code from what a hand typed before.
const pauseLeastMs = 45;
/** A scanner hardly pauses longer between two keys. */
export const pauseMostMs = 90;
/** Keys before a rest of this length have nothing to do with those behind it. */
export const restMs = 250;

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/**
 * The last of these keys that a scanner typed, whose Enter came at `endAt`, with its time for a key; null if
 * a hand pressed it. A key is `{ at, text }`: its time in milliseconds, and what it types, which may be
 * nothing, as with Shift. `isWhole`: false if its start may have been typed before `since`, or if it has a
 * pause in it, so that it may be the end of a code.
 */
export function burstOf(keys, endAt, since = Number.NEGATIVE_INFINITY) {
  const times = [...keys.map(({ at }) => at), endAt];
  const gaps = keys.map((_, place) => times[place + 1] - times[place]);
  const isOrdered = (gap) => gap >= 0;
  if (keys.length === 0 || !gaps.slice(-4).every(isOrdered)) return null;
  const isCut = [keys[0].at - since, ...gaps].every((gap) => gap <= pauseMostMs);
  if (isCut) return { burst: keys, keyMs: median(gaps), isWhole: false };
  const pauseMs = Math.min(Math.max(3 * median(gaps.slice(-4)), pauseLeastMs), pauseMostMs);
  const before = gaps.findLastIndex((gap) => gap > pauseMs || !isOrdered(gap));
  const [burst, own] = [keys.slice(before + 1), gaps.slice(before + 1)];
  const length = [...burst.map(({ text }) => text).join('')].length;
  if (length < 2) return null;
  const isFast =
    length > shortCodeMax ? median(own) <= scannerKeyMs : own.every((gap) => gap <= shortCodeKeyMs);
  if (!isFast) return null;
  // Hands do not type a text as fast as a scanner, so one before the pause is a part of this code.
  const last = keys[before];
  const head = last && burstOf(keys.slice(0, before), last.at);
  if (head) return { burst: [...head.burst, last, ...burst], keyMs: median(own), isWhole: false };
  return { burst, keyMs: median(own), isWhole: true };
}
