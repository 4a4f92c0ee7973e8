import { isOutage } from '@inventory/db/pool';

export type CountKeeper = {
  /** Something was written that the counts do not hold yet. */
  wake(): void;
  /**
   * For how long something that was written has not been brought into the counts, seconds; 0 when nothing
   * waits.
   */
  lagSeconds(): number;
  stop(): Promise<void>;
};

// As much as lists are late to be cheap; they are never late to be right.
const foldAfterMs = 500;
// Items come by way of the api; nobody tells.
const sweepEveryMs = 5000;

/**
 * Calls `fold` soon after work was done and now and then, never twice at once. An outage is no news: it is
 * tried again.
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
      if (!isOutage(error)) report(error as Error, 'the counts of the lists');
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
  const sweep = setInterval(wake, sweepEveryMs);
  return {
    wake,
    lagSeconds() {
      const since = foldingSince ?? dueSince;
      return since === null ? 0 : (performance.now() - since) / 1000;
    },
    async stop() {
      clearInterval(sweep);
      if (timer !== null) clearTimeout(timer);
      await folding;
    },
  };
}
