import { type FeedPosition, lifeOf, readFeedPosition } from '@inventory/db/changes/read-position';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import { within } from '@inventory/process/within';
import { gather } from '@inventory/turns/gather';
import { asBusy } from '../http/as-busy.ts';

export type Positions = {
  /**
   * How far the feed can be newest. Includes every change that was answered before the call. Calls of one
   * moment share a statement. While commits hang, it hangs as well and then fails. `confirms`: with
   * synchronous standbys, these have everything that anybody was shown before the call, in lists as well.
   */
  read(options?: { confirms: boolean }): Promise<FeedPosition>;
  /**
   * The same, or an earlier position if Postgres or a standby does not answer soon. From an earlier position
   * a caller is told more than it needs, and misses nothing.
   */
  soon(): Promise<FeedPosition>;
  /**
   * A position that was read a moment ago, or `soon` now. For callers that wait: those who are woken together
   * go on to the same position and share their pages.
   */
  recent(): Promise<FeedPosition>;
  /** The position that was read last. */
  last(): FeedPosition;
  /** Whether a position did not come in time, because commits hang. */
  isLate(): boolean;
};

// Longer than the pause between two looks of those who wait.
const recentMs = 1000;
const soonMs = 1000;

/** `plain`: connections for what waits for no standby. */
export function createPositions(pool: StatementPool, plain: StatementPool): Positions {
  let newest: FeedPosition = { identity: '', places: [], knownNo: 0, drawnNo: 0, isSynchronous: false };
  let readAt = Number.NEGATIVE_INFINITY;
  // Set when a position did not come soon, until one comes: so only the first callers wait in vain.
  let isLate = false;

  const gathered = gather(pool, async (sql, inputs: readonly boolean[]) => {
    const beganAt = performance.now();
    const position = await readFeedPosition(
      sql,
      inputs.includes(true) || !newest.isSynchronous ? -1 : newest.knownNo,
    );
    isLate = false;
    // A later one was answered first.
    if (beganAt < readAt) return inputs.map(() => newest);
    readAt = beganAt;
    // After a restore, or the loss of its last changes, the database begins again elsewhere.
    const isOther = lifeOf(position) !== lifeOf(newest) || position.drawnNo < newest.knownNo;
    // Otherwise a position never goes back: one that was known once stays known, though a writer that
    // announces its numbers late may make it look otherwise.
    newest = isOther ? position : { ...position, knownNo: Math.max(newest.knownNo, position.knownNo) };
    return inputs.map(() => newest);
  });

  async function read({ confirms } = { confirms: false }): Promise<FeedPosition> {
    try {
      return await gathered(confirms);
    } catch (error) {
      throw asBusy(error);
    }
  }

  /** The last position that the standbys had. If this process has seen none, that is the beginning. */
  async function earlier(): Promise<FeedPosition> {
    if (newest.identity !== '') return newest;
    // From this number on, nothing needs to be on the standbys, so nothing is written.
    const position = await plain.run((sql) => readFeedPosition(sql, Number.MAX_SAFE_INTEGER));
    return { ...position, knownNo: 0 };
  }

  async function soon(): Promise<FeedPosition> {
    const reading = within(soonMs, read());
    // Read all the same, to see when it works again.
    reading.catch(() => {
      isLate = true;
    });
    return isLate ? earlier() : reading.catch(earlier);
  }

  return {
    read,
    soon,
    recent: async () => (performance.now() - readAt < recentMs ? newest : soon()),
    last: () => newest,
    isLate: () => isLate,
  };
}
