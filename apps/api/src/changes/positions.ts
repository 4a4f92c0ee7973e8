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
  /** The position that was read last. */
  last(): FeedPosition;
};

export function createPositions(pool: StatementPool): Positions {
  let told: FeedPosition = { identity: '', knownNo: 0, drawnNo: 0 };

  const read = gather(pool, async (sql, inputs: readonly null[]) => {
    const position = await readFeedPosition(sql, told.knownNo);
    // After a restore, or the loss of its last changes, the database begins again elsewhere.
    const isOther = position.identity !== told.identity || position.drawnNo < told.knownNo;
    // Otherwise a position never goes back: one that was known once stays known, though a writer that
    // announces its numbers late may make it look otherwise.
    told = isOther ? position : { ...position, knownNo: Math.max(told.knownNo, position.knownNo) };
    return inputs.map(() => told);
  });

  return {
    last: () => told,
    async read() {
      try {
        return await read(null);
      } catch (error) {
        throw asBusy(error);
      }
    },
  };
}
