import { isOutage } from '@inventory/db/pool';
import { runAgain } from '@inventory/process/run-again';

export type RetentionKeeper = { stop(): Promise<void> };

// Whether a round is to begin, or another worker has left one.
const lookEveryMs = 5000;
// A fifth of the time at most: stock comes first.
const restTimes = 4;
const restMinMs = 50;

/**
 * Calls `removePiece`, which returns whether there is more to do at once, again and again, with rests; never
 * twice at once. An outage is no news: it is tried again.
 */
export function createRetentionKeeper(
  removePiece: () => Promise<boolean>,
  report: (error: Error, what: string) => void,
): RetentionKeeper {
  return runAgain(lookEveryMs, async () => {
    const startedAt = performance.now();
    try {
      if (await removePiece()) return Math.max(restMinMs, restTimes * (performance.now() - startedAt));
    } catch (error) {
      if (!isOutage(error)) report(error as Error, 'removing old keys');
    }
    return lookEveryMs;
  });
}
