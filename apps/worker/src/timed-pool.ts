import { TooLateError, within } from '@inventory/process/within';

/** Connections to Postgres that are replaced when what runs on them takes too long. */
export type TimedPool<Pool> = {
  /**
   * Throws TooLateError after the time, the pool's unless told otherwise; work that was begun may still be
   * committed.
   */
  run<T>(work: (pool: Pool) => Promise<T>, timeMs?: number): Promise<T>;
  /** The one in use now. */
  current(): Pool;
  end(): Promise<void>;
};

/**
 * A connection can break without a word, and a transaction then waits for it for ever. So each piece of work
 * has its time, `usualMs`; one that takes longer is given up, and the next one gets new connections.
 */
export function createTimedPool<Pool extends { end(options: { timeout: number }): Promise<void> }>(
  open: () => Pool,
  usualMs: number,
): TimedPool<Pool> {
  let pool = open();
  return {
    async run(work, timeMs = usualMs) {
      const used = pool;
      try {
        return await within(timeMs, work(used));
      } catch (error) {
        // Once: other work that ran beside it may be late too.
        if (error instanceof TooLateError && pool === used) {
          pool = open();
          used.end({ timeout: 0 }).catch(() => {});
        }
        throw error;
      }
    },
    current: () => pool,
    end: () => pool.end({ timeout: 5 }),
  };
}
