import { createFairRoom } from '@inventory/turns/fair-room';

/** Turns that batches take before they may have operations under way. */
export type BatchTurns = {
  /** Notes that a caller sent a single operation. */
  noteSingle(): void;
  /**
   * Resolves when this many operations of the client may begin, with a function that ends their turn.
   * Resolves to null if they cannot begin before `until` of `performance.now()`.
   */
  take(clientId: string, count: number, until: number): Promise<(() => void) | null>;
};

/** The most batch operations under way: while single operations come, and while none do. */
export type TurnsMax = { beside: number; alone: number };

// If no single operation comes for this long, batches may use the whole capacity.
const aloneAfterMs = 200;

/**
 * Limits the operations that all batches of a process have under way at once. The last turn may exceed the
 * limit. So callers of single operations wait behind a limited number of them, however many batches there
 * are. Clients take turns.
 */
export function createBatchTurns({ beside, alone }: TurnsMax): BatchTurns {
  let lastSingleAt = Number.NEGATIVE_INFINITY;
  const room = createFairRoom({
    total: () => (performance.now() - lastSingleAt < aloneAfterMs ? beside : alone),
  });
  return {
    noteSingle() {
      lastSingleAt = performance.now();
    },
    async take(clientId, count, until) {
      const turn = room.enter(clientId, count, { until });
      return (await turn.admitted) ? turn.leave : null;
    },
  };
}
