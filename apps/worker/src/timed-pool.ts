import { countActive, createLeftBehind, type LeftBehind } from '@inventory/db/left-behind';
import type { Sql } from '@inventory/db/pool';
import { NeverBegunError } from '@inventory/db/statement-pool';
import { TooLateError, within } from '@inventory/process/within';

/** Connections to Postgres that are replaced when what runs on them takes too long. */
export type TimedPool<Pool> = {
  /**
   * Throws TooLateError after the time, the pool's unless told otherwise; work that was begun may still be
   * committed. Throws NeverBegunError while so much that was given up goes on that no more is begun.
   */
  run<T>(work: (pool: Pool) => Promise<T>, timeMs?: number): Promise<T>;
  /** The one in use now. */
  current(): Pool;
  end(): Promise<void>;
};

// Given up, and perhaps at work in Postgres.
const leftFreely = 2;

/**
 * A connection can break without a word, and a transaction then waits for it for ever. So each piece of work
 * has its time, `usualMs`; one that takes longer is given up, and the next one gets new connections.
 * `untilDone`: as `LeftBehind` takes it, for a pool that is about to be ended; `openOne`: opens a connection
 * of the pool's name, to ask what goes on in those that were given up.
 */
export function createTimedPool<Pool extends { end(options: { timeout: number }): Promise<void> }>(
  open: () => Pool,
  usualMs: number,
  untilDone: (pool: Pool) => Parameters<LeftBehind['add']>[0],
  openOne: () => Sql,
): TimedPool<Pool> {
  const leftBehind = createLeftBehind(leftFreely, () => countActive(openOne));
  let pool = open();
  let isGivenUp = false;

  function giveUp() {
    isGivenUp = true;
    // Those that work now, before they are ended.
    leftBehind.add(untilDone(pool));
    pool.end({ timeout: 0 }).catch(() => {});
  }

  return {
    async run(work, timeMs = usualMs) {
      if (isGivenUp) {
        if (!leftBehind.mayOpen())
          throw new NeverBegunError('too much that was given up goes on in Postgres');
        pool = open();
        isGivenUp = false;
      }
      const used = pool;
      try {
        return await within(timeMs, work(used));
      } catch (error) {
        // Once: other work that ran beside it may be late too.
        if (error instanceof TooLateError && pool === used && !isGivenUp) giveUp();
        throw error;
      }
    },
    current: () => pool,
    end() {
      leftBehind.end();
      return pool.end({ timeout: 5 });
    },
  };
}
