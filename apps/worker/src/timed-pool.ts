import { countActive, createLeftBehind, type LeftBehind } from '@inventory/postgres/left-behind';
import type { Sql } from '@inventory/postgres/pool';
import { NeverBegunError } from '@inventory/postgres/statement-pool';
import { TooLateError, within } from '@inventory/process/within';

/** A pool of connections to Postgres that is replaced when work on it takes too long. */
export type TimedPool<Pool> = {
  /**
   * Runs work. Throws TooLateError after `timeMs`, by default the pool's limit; the work may still commit.
   * Throws NeverBegunError while too many abandoned pools are still at work.
   */
  run<T>(work: (pool: Pool) => Promise<T>, timeMs?: number): Promise<T>;
  /** The pool in use now. */
  current(): Pool;
  end(): Promise<void>;
};

// The number of abandoned pools that may still be at work in Postgres.
const leftFreely = 2;

/**
 * A connection can break silently, and a transaction would then wait forever. So work has a time limit,
 * `usualMs`. After that it is abandoned, and the next work gets new connections. `untilDone`: see
 * `LeftBehind`; called for a pool that is about to be ended. `openOne`: opens a connection with the pool's
 * name, to ask what the abandoned connections are doing.
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
    // Registers the busy connections before the pool ends.
    leftBehind.add(untilDone(pool));
    pool.end({ timeout: 0 }).catch(() => {});
  }

  return {
    async run(work, timeMs = usualMs) {
      if (isGivenUp) {
        if (!leftBehind.mayOpen())
          throw new NeverBegunError('too much abandoned work is still running in Postgres');
        pool = open();
        isGivenUp = false;
      }
      const used = pool;
      try {
        return await within(timeMs, work(used));
      } catch (error) {
        // Only once: other work on the same pool may be late, too.
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
