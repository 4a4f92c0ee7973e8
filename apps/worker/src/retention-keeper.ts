import { isOutage } from '@inventory/postgres/pool';
import { runAgain } from '@inventory/process/look-every';

export type RetentionKeeper = { stop(): Promise<void> };

// How often to check whether a round is due, or was left unfinished by another worker.
const lookEveryMs = 5000;
// A pause of this many times the last piece, so that removal takes at most a fifth of the time.
const restTimes = 4;
const restMinMs = 50;

/**
 * Calls `removePiece` again and again, with pauses, never twice at once. `removePiece` returns whether there
 * is more to do at once. Outages are not reported; the piece is tried again.
 */
export function createRetentionKeeper(
  removePiece: () => Promise<boolean>,
  report: (error: Error, what: string) => void,
): RetentionKeeper {
  const stop = runAgain(lookEveryMs, async () => {
    const startedAt = performance.now();
    try {
      if (await removePiece()) return Math.max(restMinMs, restTimes * (performance.now() - startedAt));
    } catch (error) {
      if (!isOutage(error)) report(error as Error, 'removing old keys');
    }
    return lookEveryMs;
  });
  return { stop };
}
