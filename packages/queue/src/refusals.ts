import { PlainError } from '@inventory/process/plain-error';

export type Refusals = {
  /** One more was refused. */
  note(): void;
  count(): number;
};

// The sender decides how many there are, but not how much is written about them.
const tellEveryMs = 60_000;

/**
 * Counts what was refused of what came through Redis, and says so: at once, and then once a minute at most,
 * without its contents. `why`: what became of them.
 */
export function createRefusals(
  what: string,
  report: (error: Error, what: string) => void,
  why = 'refused: not signed by this service for this job',
): Refusals {
  let count = 0;
  let told = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    note() {
      count += 1;
      const now = performance.now();
      if (now - toldAt < tellEveryMs) return;
      report(new PlainError(`${count - told} ${why}`), what);
      told = count;
      toldAt = now;
    },
    count: () => count,
  };
}
