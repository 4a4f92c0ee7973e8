import { isOutage } from '@inventory/postgres/pool';
import { lookEvery } from '@inventory/process/look-every';

export type CountKeeper = {
  /** Says that there are arrivals to fold. */
  wake(): void;
  /** Seconds since the oldest unfolded arrival; 0 if there is none. */
  lagSeconds(): number;
  stop(): Promise<void>;
};

// Until then, lists are slower, but always correct.
const foldAfterMs = 500;
// The api writes items without telling the worker.
const sweepEveryMs = 5000;

/**
 * Calls `fold` soon after work was done, and at intervals, never twice at once. Outages are not reported; the
 * fold is tried again.
 */
export function createCountKeeper(
  fold: () => Promise<void>,
  report: (error: Error, what: string) => void,
): CountKeeper {
  let timer: NodeJS.Timeout | null = null;
  let folding: Promise<void> = Promise.resolve();
  let dueSince: number | null = null;
  let foldingSince: number | null = null;
  const run = async () => {
    foldingSince = dueSince;
    dueSince = null;
    try {
      await fold();
    } catch (error) {
      dueSince = foldingSince;
      if (!isOutage(error)) report(error as Error, 'folding the counts of the lists');
    } finally {
      foldingSince = null;
      timer = null;
    }
  };
  const wake = () => {
    dueSince ??= performance.now();
    timer ??= setTimeout(() => {
      folding = run();
    }, foldAfterMs);
  };
  const stopSweeping = lookEvery(sweepEveryMs, wake);
  return {
    wake,
    lagSeconds() {
      const since = foldingSince ?? dueSince;
      return since === null ? 0 : (performance.now() - since) / 1000;
    },
    async stop() {
      stopSweeping();
      if (timer !== null) clearTimeout(timer);
      await folding;
    },
  };
}
