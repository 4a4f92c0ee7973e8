import { createFairRoom } from '../fair-room.ts';

/** Who of the batches may have operations under way. */
export type BatchTurns = {
  /** Notes that a caller of a single operation is there. */
  noteSingle(): void;
  /**
   * Resolves when so many operations of this client may begin, with how to end their turn; with null when
   * they may not at `until` of `performance.now()`.
   */
  take(clientId: string, count: number, until: number): Promise<(() => void) | null>;
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
