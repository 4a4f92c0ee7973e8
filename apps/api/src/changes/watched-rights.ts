import { lookEvery } from '@inventory/process/look-every';
import { createPacer } from '@inventory/process/pacer';
import { Refused } from '../http/errors.ts';

/** Ends the waits of callers whose rights have ended. */
export type WatchedRights = {
  /**
   * Watches a caller. `renew` throws Refused once its rights have ended; then `tell` is called. Returns a
   * function that cancels this.
   */
  watch(renew: () => Promise<unknown>, tell: () => void): () => void;
  stop(): void;
};

// All at the same moment, so that their clients are read in one statement. With the half second for which a
// client is remembered, less than a second.
const lookEveryMs = 450;

export function createWatchedRights(): WatchedRights {
  const pace = createPacer();
  const all = new Set<{ renew: () => Promise<unknown>; tell: () => void }>();
  const stop = lookEvery(lookEveryMs, async () => {
    for (const { renew, tell } of [...all]) {
      await pace();
      // Postgres may be away: then nobody knows.
      renew().catch((error) => error instanceof Refused && tell());
    }
  });
  return {
    watch(renew, tell) {
      const watched = { renew, tell };
      all.add(watched);
      return () => all.delete(watched);
    },
    stop,
  };
}
