import { PlainError } from '@inventory/process/plain-error';

export type Refusals = {
  /** Counts one more refusal. */
  note(): void;
  /**
   * The number of refusals in the last five to ten minutes, so that a past problem is no longer reported and
   * a new one is.
   */
  count(): number;
};

const countedMs = 300_000;

// The sender controls how many there are, but not how much is logged.
const tellEveryMs = 60_000;

/**
 * Counts refused messages from Redis and logs them, without their contents: at once, then at most once a
 * minute. `why`: what happened to them.
 */
export function createRefusals(
  what: string,
  report: (error: Error, what: string) => void,
  why = 'refused: not signed by this service for this job',
): Refusals {
  let count = 0;
  let told = 0;
  let counted = { now: 0, before: 0, from: performance.now() };

  function turn(now: number) {
    if (now - counted.from < countedMs) return;
    const before = now - counted.from < 2 * countedMs ? counted.now : 0;
    counted = { now: 0, before, from: now };
  }

  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    note() {
      count += 1;
      const now = performance.now();
      turn(now);
      counted.now += 1;
      if (now - toldAt < tellEveryMs) return;
      report(new PlainError(`${count - told} ${why}`), what);
      told = count;
      toldAt = now;
    },
    count() {
      turn(performance.now());
      return counted.now + counted.before;
    },
  };
}
