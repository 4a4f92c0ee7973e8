import { type FeedPosition, readFeedPosition } from '@inventory/db/changes/read-position';
import type { StatementPool } from '@inventory/db/postgres/statement-pool';
import { asBusy } from '../http/as-busy.ts';
import { gather } from '../turns/gather.ts';

export type Positions = {
  /**
   * How far the feed can be told. Includes every change that was answered before the call. Calls of one
   * moment share a statement.
   */
  read(): Promise<FeedPosition>;
  /**
   * A position that was read a moment ago, or is read now. For callers that wait: those who are woken
   * together go on to the same position and share their pages.
   */
  recent(): Promise<FeedPosition>;
  /** The position that was read last. */
  last(): FeedPosition;
};

// Longer than the pause between two looks of those who wait.
const recentMs = 1000;

export function createPositions(pool: StatementPool): Positions {
  let told: FeedPosition = { identity: '', knownNo: 0, drawnNo: 0 };
  let readAt = Number.NEGATIVE_INFINITY;

  const gathered = gather(pool, async (sql, inputs: readonly null[]) => {
    const beganAt = performance.now();
    const position = await readFeedPosition(sql, told.knownNo);
    readAt = beganAt;
    // After a restore, or the loss of its last changes, the database begins again elsewhere.
    const isOther = position.identity !== told.identity || position.drawnNo < told.knownNo;
    // Otherwise a position never goes back: one that was known once stays known, though a writer that
    // announces its numbers late may make it look otherwise.
    told = isOther ? position : { ...position, knownNo: Math.max(told.knownNo, position.knownNo) };
    return inputs.map(() => told);
  });

  async function read(): Promise<FeedPosition> {
    try {
      return await gathered(null);
    } catch (error) {
      throw asBusy(error);
    }
  }

  return {
    read,
    recent: async () => (performance.now() - readAt < recentMs ? told : read()),
    last: () => told,
  };
}
