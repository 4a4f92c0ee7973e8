import { isOutage } from '@inventory/db/client';

export type CountKeeper = {
  /** Something was written that the counts do not hold yet. */
  wake(): void;
  stop(): Promise<void>;
};

// As much as lists are late to be cheap; they are never late to be right.
const foldAfterMs = 500;
// Items come by way of the api; nobody tells.
const sweepEveryMs = 5000;

/** Calls `fold` soon after work was done and now and then, never twice at once. An outage is no news: it is tried again. */
export function createCountKeeper(
  fold: () => Promise<void>,
  report: (error: Error, what: string) => void,
): CountKeeper {
  let timer: NodeJS.Timeout | null = null;
  let folding: Promise<void> = Promise.resolve();
  const run = async () => {
    try {
      await fold();
    } catch (error) {
      if (!isOutage(error)) report(error as Error, 'the counts of the lists');
    } finally {
      timer = null;
    }
  };
  const wake = () => {
    timer ??= setTimeout(() => {
      folding = run();
    }, foldAfterMs);
  };
  const sweep = setInterval(wake, sweepEveryMs);
  return {
    wake,
    async stop() {
      clearInterval(sweep);
      if (timer !== null) clearTimeout(timer);
      await folding;
    },
  };
}
