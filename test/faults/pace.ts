import type { Told } from './told.ts';

/** Keeps as many callers at work as the machine can serve. */
export type Pace = {
  /** Resolves when this caller, counted from 0, may send; at once if enough of the machine is left. */
  turn(caller: number): Promise<void>;
  stop(): void;
};

const adjustEveryMs = 250;
const overMs = 1000;
// A request that waits a second for a connection is refused. From this far below, callers are taken away.
const slowMs = 150;
const quickMs = 80;
const leastCallers = 4;

/**
 * Callers without pauses keep any machine busy, and on a slow one requests then fail by overload with nothing
 * broken. So callers begin one after the other, and go on only while answers come quickly. What a fault holds
 * up does not count: the quicker quarter of the answers does.
 */
export function createPace(options: { count: number; now: () => number; log: readonly Told[] }): Pace {
  const { count, now, log } = options;
  let atWork = Math.min(leastCallers, count);
  let freed: (() => void)[] = [];

  const timer = setInterval(() => {
    const quickest = quickQuarterMs();
    if (quickest === null) return;
    if (quickest > slowMs) atWork = Math.max(leastCallers, Math.floor(atWork * 0.75));
    else if (quickest < quickMs && atWork < count) atWork += 1;
    else return;
    for (const free of freed) free();
    freed = [];
  }, adjustEveryMs);

  /** The time that a quarter of the good answers of the last second needed at most; null: there was none. */
  function quickQuarterMs(): number | null {
    const since = now() - overMs;
    const took: number[] = [];
    for (let index = log.length - 1; index >= 0; index--) {
      const { told, batch, at, tookMs } = log[index]!;
      if (at + tookMs < since) break;
      if (told === 'yes' && batch === null) took.push(tookMs);
    }
    return took.sort((one, other) => one - other)[Math.floor(took.length / 4)] ?? null;
  }

  return {
    async turn(caller) {
      while (caller >= atWork) await new Promise<void>((resolve) => freed.push(resolve));
    },
    stop() {
      clearInterval(timer);
      atWork = count;
      for (const free of freed) free();
    },
  };
}
