import { createFairLine } from '../fair-line.ts';

/** Who of the batches may have operations under way. */
export type BatchTurns = {
  /** Resolves when so many operations of this client may begin. */
  take(clientId: string, count: number): Promise<void>;
  give(count: number): void;
};

/**
 * So many operations of all batches of a process are under way at once, `max` and what the last turn is more:
 * the callers of single operations find no more than these before them, however many batches there are.
 * Clients take turns.
 */
export function createBatchTurns(max: number): BatchTurns {
  const line = createFairLine<{ count: number; begin: () => void }>();
  let underWay = 0;

  function serve() {
    while (underWay < max) {
      const next = line.next();
      if (next === undefined) return;
      underWay += next.count;
      next.begin();
    }
  }

  return {
    take(clientId, count) {
      return new Promise((begin) => {
        line.join(clientId, { count, begin });
        serve();
      });
    },
    give(count) {
      underWay -= count;
      serve();
    },
  };
}
