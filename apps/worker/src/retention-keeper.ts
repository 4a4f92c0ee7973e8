import { isOutage } from '@inventory/db/client';

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
  let isStopped = false;
  let removing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const remove = async () => {
    const startedAt = performance.now();
    let restMs = lookEveryMs;
    try {
      if (await removePiece()) restMs = Math.max(restMinMs, restTimes * (performance.now() - startedAt));
    } catch (error) {
      if (!isOutage(error)) report(error as Error, 'removing old keys');
    }
    if (!isStopped) wait(restMs);
  };
  const wait = (restMs: number) => {
    timer = setTimeout(() => {
      removing = remove();
    }, restMs);
  };
  wait(lookEveryMs);
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await removing;
    },
  };
}
