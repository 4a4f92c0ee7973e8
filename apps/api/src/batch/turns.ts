import { createFairLine } from '../fair-line.ts';

/** Who of the batches may have operations under way. */
export type BatchTurns = {
  /** Notes that a caller of a single operation is there. */
  noteSingle(): void;
  /**
   * Resolves when so many operations of this client may begin, with true; with false, and nothing taken, when
   * they may not at `until` of `performance.now()`.
   */
  take(clientId: string, count: number, until: number): Promise<boolean>;
  give(count: number): void;
};

/** How many operations may be under way: while callers of single operations are there, and while none is. */
export type TurnsMax = { beside: number; alone: number };

// Nobody who scans is heard of for as long: batches may take what there is.
const aloneAfterMs = 200;

/**
 * So many operations of all batches of a process are under way at once, and what the last turn is more: the
 * callers of single operations find no more than these before them, however many batches there are. Clients
 * take turns.
 */
export function createBatchTurns({ beside, alone }: TurnsMax): BatchTurns {
  const line = createFairLine<{ count: number; begin: () => void }>();
  let underWay = 0;
  let lastSingleAt = Number.NEGATIVE_INFINITY;

  function serve() {
    const max = performance.now() - lastSingleAt < aloneAfterMs ? beside : alone;
    while (underWay < max) {
      const next = line.next();
      if (next === undefined) return;
      underWay += next.count;
      next.begin();
    }
  }

  return {
    noteSingle() {
      lastSingleAt = performance.now();
    },
    take(clientId, count, until) {
      return new Promise((resolve) => {
        const timeMs = until - performance.now();
        if (timeMs <= 0) return resolve(false);
        const leave = line.join(clientId, {
          count,
          begin() {
            clearTimeout(timer);
            resolve(true);
          },
        });
        const timer = setTimeout(() => {
          leave();
          resolve(false);
        }, timeMs);
        serve();
      });
    },
    give(count) {
      underWay -= count;
      serve();
    },
  };
}
